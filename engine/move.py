"""A move in 16 bits, and its text.

    bit  15 14 13 12 | 11 10  9  8  7  6 |  5  4  3  2  1  0
             flag    |     to square     |    from square

Castling is written as king takes own rook (`to` is the rook's square), which is clear in Chess960
too. 0 (a1a1) is no move.
"""

import numpy as np

from zobra.engine.board import KING_FILE, KNIGHT, SQUARE_NAMES, THREE
from zobra.engine.kernels import kernel

SQUARE_BITS = 6
TO_SHIFT = np.uint64(SQUARE_BITS)
FLAG_SHIFT = np.uint64(2 * SQUARE_BITS)
SQUARE_MASK = np.uint64((1 << SQUARE_BITS) - 1)
NO_MOVE = np.uint64(0)

NORMAL, DOUBLE_PUSH, CASTLING, EN_PASSANT = (np.uint64(flag) for flag in range(4))
PROMOTION = np.uint64(4)  # 4 + (piece type - knight): knight, bishop, rook, queen
QUEEN_PROMOTION = np.uint64(7)

PROMOTION_LETTERS = "nbrq"


@kernel
def from_square(move):
    """Return the square that the piece leaves (for castling, the king)."""
    return move & SQUARE_MASK


@kernel
def to_square(move):
    """Return the square that the piece enters (for castling, the square of the rook)."""
    return (move >> TO_SHIFT) & SQUARE_MASK


@kernel
def flag_of(move):
    """Return the kind of move: NORMAL, DOUBLE_PUSH, CASTLING, EN_PASSANT, PROMOTION or above."""
    return move >> FLAG_SHIFT


@kernel
def encode(from_, to, flag):
    """Pack a move."""
    return from_ | to << TO_SHIFT | flag << FLAG_SHIFT


@kernel
def promoted_type(flag):
    """Return the piece type that a promotion flag names."""
    return (flag & THREE) + KNIGHT


def move_text(move: int, chess960: bool = False) -> str:
    """Return the UCI text of a move: e2e4, e7e8q, 0000 for no move.

    Castling is e1g1, or king takes rook (e1h1) with `chess960`.
    """
    move = int(move)
    if move == 0:
        return "0000"
    from_ = move & 63
    to = move >> SQUARE_BITS & 63
    flag = move >> 2 * SQUARE_BITS
    if flag == CASTLING and not chess960:
        to = (from_ & 56) + KING_FILE[to < from_]
    suffix = PROMOTION_LETTERS[flag - 4] if flag >= PROMOTION else ""
    return SQUARE_NAMES[from_] + SQUARE_NAMES[to] + suffix
