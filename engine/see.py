"""Static exchange evaluation (SEE): the result of all captures on a move's target square.

Threshold form: instead of computing the whole swap list it answers only whether the balance reaches
a threshold. Pins are ignored. Idea: Fritz Reul's and the Chess Programming Wiki's "SEE - The Swap
Algorithm".
"""

import numpy as np

from zobra.engine.attacks import bishop_attacks, rook_attacks
from zobra.engine.board import (
    BISHOP,
    BLACK,
    EIGHT,
    KING,
    KNIGHT,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    ZERO,
)
from zobra.engine.kernels import kernel
from zobra.engine.move import (
    CASTLING,
    EN_PASSANT,
    PROMOTION,
    flag_of,
    from_square,
    promoted_type,
    to_square,
)

# Internal units by piece type, and of none. The king last: no exchange gains what its loss costs.
VALUES = np.array([100, 320, 320, 500, 950, 20_000, 0], np.int64)
PAWN_VALUE = VALUES[0]


@kernel
def piece_value(kind):
    """Return the exchange value of a piece type in internal units, or 0 for none."""
    return VALUES[kind]


@kernel
def capture_value(position, move):
    """Return the material in internal units that a move wins by capture and promotion."""
    flag = flag_of(move)
    if flag == CASTLING:
        return 0
    if flag == EN_PASSANT:
        return PAWN_VALUE
    captured = piece_value(np.uint64(position.board[to_square(move)]) >> ONE)
    if flag >= PROMOTION:
        captured += piece_value(promoted_type(flag)) - PAWN_VALUE
    return captured


@kernel
def all_attackers(position, constants, square, occupied):
    """Return the pieces of both sides that attack `square`."""
    pieces = position.pieces
    found = constants.pawn[BLACK, square] & pieces[PAWN] & position.colours[WHITE]
    found |= constants.pawn[WHITE, square] & pieces[PAWN] & position.colours[BLACK]
    found |= constants.knight[square] & pieces[KNIGHT]
    found |= constants.king[square] & pieces[KING]
    found |= bishop_attacks(constants, square, occupied) & (pieces[BISHOP] | pieces[QUEEN])
    found |= rook_attacks(constants, square, occupied) & (pieces[ROOK] | pieces[QUEEN])
    return found & occupied


@kernel
def see_at_least(position, constants, move, threshold):  # noqa: C901
    """Return whether the exchange that `move` begins gains at least `threshold` internal units."""
    flag = flag_of(move)
    if flag == CASTLING:
        return threshold <= 0

    # At best, the captured piece is free.
    from_ = from_square(move)
    to = to_square(move)
    balance = capture_value(position, move) - threshold
    if balance < 0:
        return False
    # At worst, the capturing piece is then lost for nothing.
    kind = promoted_type(flag) if flag >= PROMOTION else np.uint64(position.board[from_]) >> ONE
    balance -= piece_value(kind)
    if balance >= 0:
        return True

    occupied = (position.colours[WHITE] | position.colours[BLACK]) ^ (ONE << from_)
    if flag == EN_PASSANT:
        occupied ^= ONE << (to ^ EIGHT)
    occupied |= ONE << to
    diagonal = position.pieces[BISHOP] | position.pieces[QUEEN]
    straight = position.pieces[ROOK] | position.pieces[QUEEN]
    attacking = all_attackers(position, constants, to, occupied)

    # Both sides capture in turn with their least valuable attacker, until one has enough.
    side = position.side ^ ONE
    while True:
        own = attacking & occupied & position.colours[side]
        if own == ZERO:
            break
        kind = PAWN
        while position.pieces[kind] & own == ZERO:
            kind += ONE
        if kind == KING and attacking & occupied & position.colours[side ^ ONE]:
            break  # the king cannot capture what is protected

        attacker = position.pieces[kind] & own
        occupied ^= attacker & (ZERO - attacker)
        # Sliders behind it come into play.
        if kind == PAWN or kind == BISHOP or kind == QUEEN:
            attacking |= bishop_attacks(constants, to, occupied) & diagonal
        if kind == ROOK or kind == QUEEN:
            attacking |= rook_attacks(constants, to, occupied) & straight
        side ^= ONE
        balance = -balance - 1 - piece_value(kind)
        if balance >= 0:
            break
    return side != position.side
