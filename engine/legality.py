"""Whether a 16-bit number is a legal move of a position.

It is for moves from elsewhere: the transposition table, or a file of games.
"""

import numpy as np

from zobra.engine.attacks import attackers, bishop_attacks, en_passant_is_legal, rook_attacks
from zobra.engine.board import (
    BISHOP,
    BLACK,
    EIGHT,
    KING,
    KNIGHT,
    LAST_RANKS,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    SIX,
    THREE,
    WHITE,
    ZERO,
)
from zobra.engine.generator import SIXTEEN, castling_is_legal, safe_king_steps
from zobra.engine.kernels import kernel, lowest, rotate_left
from zobra.engine.move import (
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    NO_MOVE,
    NORMAL,
    PROMOTION,
    flag_of,
    from_square,
    to_square,
)

FLAGS_END = np.uint64(8)


@kernel
def pawn_can_move(position, constants, from_, to, flag):
    """Return whether a pawn can go from `from_` to `to` in the manner of `flag`.

    The pawn is of the side to move. Pins and checks are ignored.
    """
    us = position.side
    occupied = position.colours[WHITE] | position.colours[BLACK]
    up = EIGHT - SIXTEEN * us
    target = ONE << to
    one_step = rotate_left(ONE << from_, up)
    if (target & LAST_RANKS != ZERO) != (flag >= PROMOTION):
        return False
    if flag == DOUBLE_PUSH:
        is_home = from_ >> THREE == (SIX if us else ONE)
        is_free = (target | one_step) & occupied == ZERO
        return is_home and is_free and target == rotate_left(one_step, up)
    if target == one_step:
        return target & occupied == ZERO
    return constants.pawn[us, from_] & target & position.colours[us ^ ONE] != ZERO


@kernel
def piece_can_move(position, constants, kind, from_, to):
    """Return whether a piece of this kind (not a pawn) reaches `to` from `from_`."""
    occupied = position.colours[WHITE] | position.colours[BLACK]
    reached = ZERO
    if kind == KNIGHT:
        reached = constants.knight[from_]
    elif kind == KING:
        reached = constants.king[from_]
    if kind == BISHOP or kind == QUEEN:
        reached |= bishop_attacks(constants, from_, occupied)
    if kind == ROOK or kind == QUEEN:
        reached |= rook_attacks(constants, from_, occupied)
    return reached >> to & ONE != ZERO


@kernel
def keeps_king_safe(position, constants, kind, from_, to):
    """Return whether checks and pins allow a piece to go from `from_` to `to`."""
    us = position.side
    occupied = position.colours[WHITE] | position.colours[BLACK]
    king = lowest(position.pieces[KING] & position.colours[us])
    if kind == KING:
        return attackers(position, constants, to, us ^ ONE, occupied ^ ONE << king) == ZERO
    checkers = position.checkers
    if checkers:
        if checkers & (checkers - ONE):
            return False
        if (checkers | constants.between[king, lowest(checkers)]) >> to & ONE == ZERO:
            return False
    return position.pinned >> from_ & ONE == ZERO or constants.line[king, from_] >> to & ONE != ZERO


@kernel
def can_castle(position, constants, king, rook):
    """Return whether the king may castle with the rook on a square of its own colour."""
    us = position.side
    may_castle = (position.castling & position.colours[us]) >> rook & ONE != ZERO
    if position.checkers or not may_castle:
        return False
    empty = ~(position.colours[WHITE] | position.colours[BLACK])
    safe = safe_king_steps(position, constants, king, empty, us)
    return castling_is_legal(position, constants, king, rook, safe, us)


@kernel
def can_capture_en_passant(position, constants, from_, to):
    """Return whether the pawn on `from_` may capture en passant on `to`."""
    if position.en_passant == ZERO or to != position.en_passant:
        return False
    if constants.pawn[position.side, from_] >> to & ONE == ZERO:
        return False
    return en_passant_is_legal(position, constants, from_, to)


@kernel
def is_legal(position, constants, move):
    """Return whether `move` (any 16-bit number) is legal. `checkers` and `pinned` must be set."""
    ours = position.colours[position.side]
    from_ = from_square(move)
    to = to_square(move)
    flag = flag_of(move)
    kind = np.uint64(position.board[from_]) >> ONE
    if move == NO_MOVE or flag >= FLAGS_END or ours >> from_ & ONE == ZERO:
        return False

    if flag == CASTLING:
        return kind == KING and can_castle(position, constants, from_, to)
    if ours >> to & ONE:
        return False
    if kind == PAWN:
        if flag == EN_PASSANT:
            return can_capture_en_passant(position, constants, from_, to)
        if not pawn_can_move(position, constants, from_, to, flag):
            return False
    elif flag != NORMAL or not piece_can_move(position, constants, kind, from_, to):
        return False
    return keeps_king_safe(position, constants, kind, from_, to)
