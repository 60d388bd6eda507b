"""What the kernels must agree with: attacks by walking over a mailbox, and keys from scratch, in
slow and plain Python.

Nothing here is shared with the kernels but the numbering of squares (a1 = 0) and pieces (2 × type +
colour).
"""

import chess.polyglot
import numpy as np

Pieces = dict[int, int]  # {square: piece}

STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
EMPTY = 12

NUMBERS = np.array(
    chess.polyglot.POLYGLOT_RANDOM_ARRAY, np.uint64
)  # 12 × 64 pieces (Black's first), 4, 8, 1


def walk(square: int, step: tuple[int, int], pieces: Pieces) -> list[int]:
    """Squares from `square` in one direction, up to the edge or the first piece, which is
    included.
    """
    found = []
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file <= 7 and 0 <= rank <= 7:
        found.append(8 * rank + file)
        if found[-1] in pieces:
            break
        file, rank = file + step[0], rank + step[1]
    return found


def attacks(square: int, piece: int, pieces: Pieces) -> set[int]:
    """Squares that a piece on `square` attacks."""
    kind, colour = piece // 2, piece % 2
    if kind == PAWN:
        steps, far = ((-1, -1 if colour else 1), (1, -1 if colour else 1)), False
    elif kind == KNIGHT:
        steps, far = JUMPS, False
    else:
        steps = {BISHOP: DIAGONAL, ROOK: STRAIGHT}.get(kind, STRAIGHT + DIAGONAL)
        far = kind != KING
    return {target for step in steps for target in walk(square, step, pieces)[: None if far else 1]}


def squares(word: int) -> set[int]:
    """The squares of a bit set."""
    return {square for square in range(64) if int(word) >> square & 1}


def numbers_on_board(records: np.ndarray) -> np.ndarray:
    """For each record and square, the number of the piece that stands there, 0 for none."""
    board = records["board"].astype(np.int64)
    polyglot = 64 * (board ^ 1) + np.arange(64)  # the published order has Black's pieces first
    return np.where(board == EMPTY, np.uint64(0), NUMBERS[np.where(board == EMPTY, 0, polyglot)])


def correction_keys(records: np.ndarray) -> np.ndarray:
    """Keys of the pawns, of White's other pieces, of Black's other pieces: shape (records, 3)."""
    numbers, board = numbers_on_board(records), records["board"]
    pawns, colour = board < 2, board % 2
    parts = (pawns, ~pawns & (colour == 0), ~pawns & (colour == 1))
    return np.stack(
        [np.bitwise_xor.reduce(np.where(part, numbers, np.uint64(0)), axis=1) for part in parts],
        axis=1,
    )


def keys(records: np.ndarray) -> np.ndarray:
    """Keys of many positions from scratch, from nothing but mailbox, castling rooks, en-passant
    square and side to move.
    """
    found = np.bitwise_xor.reduce(numbers_on_board(records), axis=1)
    board, castling, target = records["board"], records["castling"], records["en_passant"]
    for rook in (*range(8), *range(56, 64)):
        colour = int(rook > 8)
        king = np.argmax(board == 2 * KING + colour, axis=1)
        right = NUMBERS[768 + 2 * colour + (rook < king)]
        found ^= np.where(castling >> np.uint64(rook) & np.uint64(1), right, np.uint64(0))
    found ^= np.where(target != 0, NUMBERS[772 + (target % 8).astype(np.int64)], np.uint64(0))
    return found ^ np.where(records["side"] == 0, NUMBERS[780], np.uint64(0))
