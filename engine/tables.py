"""Builds the record of constants from the rules of movement, the published keys and the fitted weights (no Numba needed)."""

from __future__ import annotations

import numpy as np

from zobra.engine import piece_square, zobrist
from zobra.engine.board import KING_FILE, ROOK_FILE
from zobra.engine.kernels import extract_bits
from zobra.engine.layouts import TABLES
from zobra.engine.magics import BISHOP_MAGICS, BISHOP_STEPS, ROOK_MAGICS, ROOK_STEPS, Steps, ray, relevant
from zobra.engine.network_file import BUILT_IN, install, read_network

KNIGHT_STEPS: Steps = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS: Steps = (*ROOK_STEPS, *BISHOP_STEPS)
PAWN_STEPS: tuple[Steps, Steps] = (((-1, 1), (1, 1)), ((-1, -1), (1, -1)))


def bits(squares: list[int]) -> int:
    """The bit set of these squares."""
    return sum(1 << square for square in squares)


def leaps(square: int, steps: Steps) -> int:
    """Squares one step away from `square`."""
    return bits([target for step in steps for target in ray(square, step)[:1]])


def slider_attacks(square: int, steps: Steps) -> tuple[np.ndarray, np.ndarray]:
    """Every occupancy of the relevant squares, and the squares then reached: two uint64 arrays of one length."""
    mask = relevant(square, steps)
    occupied = np.zeros(1, np.uint64)
    for place in (place for place in range(64) if mask >> place & 1):
        occupied = np.concatenate([occupied, occupied | np.uint64(1 << place)])
    reached = np.zeros_like(occupied)
    for step in steps:
        is_open = np.full_like(occupied, np.iinfo(np.uint64).max)
        for target in ray(square, step):
            bit = np.uint64(1 << target)
            reached |= is_open & bit
            is_open[(occupied & bit) != 0] = 0
    return occupied, reached


def _fill_sliders(this: np.void) -> None:
    offset = 0
    for name, steps, factors in (("rook", ROOK_STEPS, ROOK_MAGICS), ("bishop", BISHOP_STEPS, BISHOP_MAGICS)):
        for square in range(64):
            occupied, reached = slider_attacks(square, steps)
            shift = 64 - relevant(square, steps).bit_count()
            this[name][square] = (relevant(square, steps), factors[square], shift, offset)
            packed = np.arange(len(occupied), dtype=np.uint64)  # `occupied` counts through the subsets in this order
            index = packed if extract_bits else (occupied * np.uint64(factors[square])) >> np.uint64(shift)
            this["slider"][index + np.uint64(offset)] = reached
            offset += len(occupied)


def _fill_lines(this: np.void) -> None:
    between, line = this["between"], this["line"]
    for square in range(64):
        for file_step, rank_step in KING_STEPS:
            path = ray(square, (file_step, rank_step))
            whole = bits([square, *path, *ray(square, (-file_step, -rank_step))])
            for distance, target in enumerate(path):
                between[square, target] = bits(path[:distance])
                line[square, target] = whole
        for direction, (file_step, rank_step) in enumerate(((1, 1), (1, -1))):
            both = ray(square, (file_step, rank_step)) + ray(square, (-file_step, -rank_step))
            this["diagonal"][direction, square] = bits(both)


def _span(a: int, b: int) -> int:
    """Squares from a to b of one rank, both included."""
    return bits(list(range(min(a, b), max(a, b) + 1)))


def _fill_castling(this: np.void) -> None:
    for rank in (0, 56):
        for king in range(rank, rank + 8):
            for rook in set(range(rank, rank + 8)) - {king}:
                wing = int(rook < king)
                king_to, rook_to = rank + KING_FILE[wing], rank + ROOK_FILE[wing]
                both = bits([king, rook])
                this["castling_path"][king, rook] = (_span(king, king_to) | _span(rook, rook_to)) & ~both
                this["castling_king_path"][king, rook] = _span(king, king_to) & ~(1 << king)


def build_tables() -> np.ndarray:
    """All constants: an array of shape (1,) and dtype TABLES; its element [0] is what kernels take."""
    tables = np.zeros(1, TABLES)
    this = tables[0]
    this["knight"] = [leaps(square, KNIGHT_STEPS) for square in range(64)]
    this["king"] = [leaps(square, KING_STEPS) for square in range(64)]
    this["pawn"] = [[leaps(square, steps) for square in range(64)] for steps in PAWN_STEPS]
    _fill_sliders(this)
    _fill_lines(this)
    _fill_castling(this)
    this["piece_key"], this["castling_key"] = zobrist.piece_keys(), zobrist.castling_keys()
    this["en_passant_key"], this["side_key"] = zobrist.en_passant_keys(), zobrist.side_key()
    this["piece_square"] = piece_square.table()
    install(read_network(BUILT_IN), this["network"])
    return tables
