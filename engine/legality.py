"""Is a 16-bit number a legal move of this position?

Asked of moves that come from elsewhere: the table, a file of games.
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
def pawn_can_move(position, tables, from_, to, flag):
    """Does a pawn of the side to move go from `from_` to `to` in the manner of `flag`, pins and
    checks aside?
    """
    us = position.side
    occupied = position.colours[WHITE] | position.colours[BLACK]
    up = EIGHT - SIXTEEN * us
    target, one_step = ONE << to, rotate_left(ONE << from_, up)
    if (target & LAST_RANKS != ZERO) != (flag >= PROMOTION):
        return False
    if flag == DOUBLE_PUSH:
        home = from_ >> THREE == (SIX if us else ONE)
        return (
            home and target == rotate_left(one_step, up) and (target | one_step) & occupied == ZERO
        )
    if target == one_step:
        return target & occupied == ZERO
    return tables.pawn[us, from_] & target & position.colours[us ^ ONE] != ZERO


@kernel
def piece_can_move(position, tables, kind, from_, to):
    """Does a piece of this kind (no pawn) reach `to` from `from_`?"""
    occupied = position.colours[WHITE] | position.colours[BLACK]
    reached = ZERO
    if kind == KNIGHT:
        reached = tables.knight[from_]
    elif kind == KING:
        reached = tables.king[from_]
    if kind == BISHOP or kind == QUEEN:
        reached |= bishop_attacks(tables, from_, occupied)
    if kind == ROOK or kind == QUEEN:
        reached |= rook_attacks(tables, from_, occupied)
    return reached >> to & ONE != ZERO


@kernel
def keeps_king_safe(position, tables, kind, from_, to):
    """May a piece go from `from_` to `to` as far as checks and pins are concerned?"""
    us = position.side
    occupied = position.colours[WHITE] | position.colours[BLACK]
    king = lowest(position.pieces[KING] & position.colours[us])
    if kind == KING:
        return attackers(position, tables, to, us ^ ONE, occupied ^ ONE << king) == ZERO
    checkers = position.checkers
    if checkers:
        if checkers & (checkers - ONE):
            return False
        if (checkers | tables.between[king, lowest(checkers)]) >> to & ONE == ZERO:
            return False
    return position.pinned >> from_ & ONE == ZERO or tables.line[king, from_] >> to & ONE != ZERO


@kernel
def is_legal(position, tables, move):
    """Is `move` (any 16-bit number) a legal move? `checkers` and `pinned` must be set."""
    us = position.side
    from_, to, flag = from_square(move), to_square(move), flag_of(move)
    piece = np.uint64(position.board[from_])
    kind = piece >> ONE
    if (
        move == NO_MOVE
        or flag >= FLAGS_END
        or piece & ONE != us
        or position.colours[us] >> from_ & ONE == ZERO
    ):
        return False
    if flag == CASTLING:
        if (
            kind != KING
            or position.checkers
            or (position.castling & position.colours[us]) >> to & ONE == ZERO
        ):
            return False
        empty = ~(position.colours[WHITE] | position.colours[BLACK])
        return castling_is_legal(
            position, tables, from_, to, safe_king_steps(position, tables, from_, empty, us), us
        )
    if position.colours[us] >> to & ONE:
        return False
    if kind == PAWN:
        if flag == EN_PASSANT:
            target = position.en_passant
            attacked = tables.pawn[us, from_] >> to & ONE != ZERO
            return (
                target != ZERO
                and to == target
                and attacked
                and en_passant_is_legal(position, tables, from_, to)
            )
        if not pawn_can_move(position, tables, from_, to, flag):
            return False
    elif flag != NORMAL or not piece_can_move(position, tables, kind, from_, to):
        return False
    return keeps_king_safe(position, tables, kind, from_, to)
