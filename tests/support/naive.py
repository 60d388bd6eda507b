"""Oracles of the kernels: attacks by walking over a mailbox, and keys from scratch.

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

# 12 × 64 pieces (Black's first), 4 castling rights, 8 en-passant files, 1 side to move
NUMBERS = np.array(chess.polyglot.POLYGLOT_RANDOM_ARRAY, np.uint64)


def walk(square: int, step: tuple[int, int], pieces: Pieces) -> list[int]:
    """Return the squares in one direction, up to the edge or to the first piece, included."""
    found = []
    file = square % 8 + step[0]
    rank = square // 8 + step[1]
    while 0 <= file <= 7 and 0 <= rank <= 7:
        found.append(8 * rank + file)
        if found[-1] in pieces:
            break
        file += step[0]
        rank += step[1]
    return found


def attacks(square: int, piece: int, pieces: Pieces) -> set[int]:
    """Return the squares that a piece on `square` attacks."""
    kind = piece // 2
    is_black = piece % 2 == 1
    if kind == PAWN:
        steps = ((-1, -1), (1, -1)) if is_black else ((-1, 1), (1, 1))
    elif kind == KNIGHT:
        steps = JUMPS
    elif kind == BISHOP:
        steps = DIAGONAL
    elif kind == ROOK:
        steps = STRAIGHT
    else:
        steps = STRAIGHT + DIAGONAL
    found = set()
    for step in steps:
        line = walk(square, step, pieces)
        found.update(line if kind in (BISHOP, ROOK, QUEEN) else line[:1])
    return found


def squares(word: int) -> set[int]:
    """Return the squares of a bit set."""
    return {square for square in range(64) if int(word) >> square & 1}


def numbers_on_board(records: np.ndarray) -> np.ndarray:
    """Return the number of the piece on each square of each record, 0 for none.

    The shape is (records, 64).
    """
    board = records["board"].astype(np.int64)
    is_empty = board == EMPTY
    polyglot = 64 * (board ^ 1) + np.arange(64)  # the published order has Black's pieces first
    return np.where(is_empty, np.uint64(0), NUMBERS[np.where(is_empty, 0, polyglot)])


def correction_keys(records: np.ndarray) -> np.ndarray:
    """Return the keys of pawns, of White's other pieces and of Black's other pieces.

    The shape is (records, 3).
    """
    numbers = numbers_on_board(records)
    board = records["board"]
    pawns = board < 2
    colour = board % 2
    found = []
    for part in (pawns, ~pawns & (colour == 0), ~pawns & (colour == 1)):
        found.append(np.bitwise_xor.reduce(np.where(part, numbers, np.uint64(0)), axis=1))
    return np.stack(found, axis=1)


def keys(records: np.ndarray) -> np.ndarray:
    """Return the keys of many positions, from mailbox, castling rooks, en-passant square and side
    to move alone.
    """
    found = np.bitwise_xor.reduce(numbers_on_board(records), axis=1)
    board = records["board"]
    castling = records["castling"]
    target = records["en_passant"]
    for rook in (*range(8), *range(56, 64)):
        colour = int(rook > 8)
        king = np.argmax(board == 2 * KING + colour, axis=1)
        right = NUMBERS[768 + 2 * colour + (rook < king)]
        found ^= np.where(castling >> np.uint64(rook) & np.uint64(1), right, np.uint64(0))
    found ^= np.where(target != 0, NUMBERS[772 + (target % 8).astype(np.int64)], np.uint64(0))
    return found ^ np.where(records["side"] == 0, NUMBERS[780], np.uint64(0))
