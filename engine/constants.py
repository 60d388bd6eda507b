"""Builds the record of constants from python-chess' attack tables and the published keys."""

from itertools import permutations

import chess
import numpy as np

from zobra.engine.board import KING_FILE, ROOK_FILE
from zobra.engine.kernels import extract_bits
from zobra.engine.layouts import CONSTANTS
from zobra.engine.magics import BISHOP_MAGICS, ROOK_MAGICS
from zobra.engine.memory import map_memory
from zobra.engine.zobrist import PUBLISHED_KEYS


def slider_attacks(square: int, straight: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return every occupancy of the squares that matter to a rook (`straight`) or a bishop, in
    ascending order, and what it then attacks: two uint64 arrays of one length.
    """
    if straight:
        lines = (chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS)
    else:
        lines = (chess.BB_DIAG_ATTACKS, [{0: 0}] * 64)
    one, other = (np.array(list(line[square].items()), np.uint64) for line in lines)
    both = (one[:, None] | other).reshape(-1, 2)
    occupied, attacked = both[np.argsort(both[:, 0])].T
    return occupied, attacked


def _span(a: int, b: int) -> int:
    """Return the squares from a to b on one rank, both included."""
    return chess.between(a, b) | 1 << a | 1 << b


def _fill_lines(this: np.void) -> None:
    this["line"] = chess.BB_RAYS
    this["between"] = [[chess.between(a, b) for b in range(64)] for a in range(64)]
    for square in range(64):
        both = chess.BB_DIAG_ATTACKS[square][0]
        rising = sum(
            1 << target for target in chess.scan_forward(both) if (target - square) % 9 == 0
        )
        this["diagonal"][:, square] = rising, both ^ rising
    for rank in (0, 56):
        for king, rook in permutations(range(rank, rank + 8), 2):
            king_to = rank + KING_FILE[rook < king]
            rook_to = rank + ROOK_FILE[rook < king]
            to_be_empty = (_span(king, king_to) | _span(rook, rook_to)) & ~(1 << king | 1 << rook)
            this["castling_path"][king, rook] = to_be_empty
            this["castling_king_path"][king, rook] = _span(king, king_to) & ~(1 << king)


def build_constants() -> np.ndarray:
    """Return all constants: shape (1,), dtype TABLES. Kernels take the element [0]."""
    constants = map_memory(CONSTANTS.itemsize).view(CONSTANTS)
    this = constants[0]
    this["knight"] = chess.BB_KNIGHT_ATTACKS
    this["king"] = chess.BB_KING_ATTACKS
    this["pawn"] = chess.BB_PAWN_ATTACKS[chess.WHITE], chess.BB_PAWN_ATTACKS[chess.BLACK]
    _fill_lines(this)
    offset = 0
    for name, factors in (("rook", ROOK_MAGICS), ("bishop", BISHOP_MAGICS)):
        for square, factor in enumerate(factors):
            occupied, reached = slider_attacks(square, name == "rook")
            shift = 64 - int(occupied[-1]).bit_count()  # the last one has all the squares
            this[name][square] = occupied[-1], factor, shift, offset
            if extract_bits:  # packs ascending occupancies to ascending numbers
                index = np.arange(len(occupied), dtype=np.uint64)
            else:
                index = (occupied * np.uint64(factor)) >> np.uint64(shift)
            this["slider"][index + np.uint64(offset)] = reached
            offset += len(occupied)
    pieces, castling, files, side = np.split(PUBLISHED_KEYS, np.cumsum([12 * 64, 4, 8]))
    black_first = [piece ^ 1 for piece in range(12)]  # as Polyglot counts pieces
    this["piece_key"] = pieces.reshape(12, 64)[black_first]
    rights = [[right for right in range(4) if state >> right & 1] for state in range(16)]
    this["castling_key"] = [np.bitwise_xor.reduce(castling[chosen]) for chosen in rights]
    this["en_passant_key"] = files
    this["side_key"] = side[0]
    return constants
