"""Static exchange evaluation: does a move win material if both sides keep taking on its target square?

Threshold form: instead of the whole swap list it answers only whether the balance reaches a limit. Pins are not looked at.
Idea: Fritz Reul's and the Chess Programming Wiki's "SEE - The Swap Algorithm".
"""

from __future__ import annotations

import numpy as np

from zobra.engine.attacks import bishop_attacks, rook_attacks
from zobra.engine.board import BISHOP, BLACK, EIGHT, KING, KNIGHT, ONE, PAWN, QUEEN, ROOK, WHITE, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import CASTLING, EN_PASSANT, PROMOTION, flag_of, from_square, promoted_type, to_square

# Exchange values in centipawns by piece type, the king last: what is lost when the exchange goes wrong.
PAWN_WORTH, MINOR_WORTH, ROOK_WORTH, QUEEN_WORTH, KING_WORTH = (np.int64(v) for v in (100, 320, 500, 950, 20_000))
NOTHING = np.int64(0)


@kernel
def worth(kind):
    """Exchange value of a piece type, 0 for none."""
    if kind == PAWN:
        return PAWN_WORTH
    if kind <= BISHOP:
        return MINOR_WORTH
    if kind == ROOK:
        return ROOK_WORTH
    if kind == QUEEN:
        return QUEEN_WORTH
    return KING_WORTH if kind == KING else NOTHING


@kernel
def gain(position, move):
    """Material a move wins at once, in centipawns: what it captures and what a promotion adds."""
    flag = flag_of(move)
    if flag == CASTLING:
        return NOTHING
    if flag == EN_PASSANT:
        return PAWN_WORTH
    captured = worth(np.uint64(position.board[to_square(move)]) >> ONE)
    if flag >= PROMOTION:
        captured += worth(promoted_type(flag)) - PAWN_WORTH
    return captured


@kernel
def least_attacker(position, attacking):
    """Kind of the least valuable piece among the attackers (not empty)."""
    kind = PAWN
    while position.pieces[kind] & attacking == ZERO:
        kind += ONE
    return kind


@kernel
def all_attackers(position, tables, square, occupied):
    """Pieces of both sides that attack `square`."""
    pieces = position.pieces
    found = tables.pawn[BLACK, square] & pieces[PAWN] & position.colours[WHITE]
    found |= tables.pawn[WHITE, square] & pieces[PAWN] & position.colours[BLACK]
    found |= tables.knight[square] & pieces[KNIGHT] | tables.king[square] & pieces[KING]
    found |= bishop_attacks(tables, square, occupied) & (pieces[BISHOP] | pieces[QUEEN])
    found |= rook_attacks(tables, square, occupied) & (pieces[ROOK] | pieces[QUEEN])
    return found & occupied


@kernel
def exchange_reaches(position, tables, move, threshold):
    """Does the exchange that `move` begins end with a balance of at least `threshold` centipawns for its side?"""
    flag = flag_of(move)
    if flag == CASTLING:
        return threshold <= NOTHING
    from_, to = from_square(move), to_square(move)
    balance = gain(position, move) - threshold
    if balance < NOTHING:
        return False
    kind = promoted_type(flag) if flag >= PROMOTION else np.uint64(position.board[from_]) >> ONE
    balance -= worth(kind)  # as if the piece were lost for nothing
    if balance >= NOTHING:
        return True
    occupied = (position.colours[WHITE] | position.colours[BLACK]) ^ (ONE << from_)
    if flag == EN_PASSANT:
        occupied ^= ONE << (to ^ EIGHT)
    occupied |= ONE << to
    diagonal = position.pieces[BISHOP] | position.pieces[QUEEN]
    straight = position.pieces[ROOK] | position.pieces[QUEEN]
    attacking = all_attackers(position, tables, to, occupied)
    side = position.side ^ ONE
    while True:
        own = attacking & occupied & position.colours[side]
        if own == ZERO:
            break
        kind = least_attacker(position, own)
        if kind == KING and attacking & occupied & position.colours[side ^ ONE]:
            break  # the king cannot take what is protected
        taker = position.pieces[kind] & own
        occupied ^= taker & (ZERO - taker)
        if kind == PAWN or kind == BISHOP or kind == QUEEN:
            attacking |= bishop_attacks(tables, to, occupied) & diagonal
        if kind == ROOK or kind == QUEEN:
            attacking |= rook_attacks(tables, to, occupied) & straight
        side ^= ONE
        balance = -balance - np.int64(1) - worth(kind)
        if balance >= NOTHING:
            break
    return side != position.side
