"""Builds the record of constants from python-chess' attack tables and the published keys."""

from itertools import permutations

import chess
import numpy as np

from zobra.engine.board import BISHOP, KING, KING_FILE, KNIGHT, ROOK, ROOK_FILE
from zobra.engine.kernels import extract_bits
from zobra.engine.layouts import CONSTANTS, MAX_TARGETS
from zobra.engine.magics import BISHOP_MAGICS, ROOK_MAGICS
from zobra.engine.memory import map_memory
from zobra.engine.move import SQUARE_BITS
from zobra.engine.zobrist import PUBLISHED_KEYS


def slider_attacks(square: int, straight: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the relevant occupancies of a rook (`straight`) or a bishop, and its attacks.

    They are two uint64 arrays of the same length; occupancies are in ascending order.
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


def _lowest_bits(words: np.ndarray, number: int) -> np.ndarray:
    """Return the indices of the set bits in each word, lowest first.

    They are in a new last axis of this length. Words with fewer bits are padded with others.
    """
    octets = words[..., np.newaxis].view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, bitorder="little")
    return np.argsort(bits == 0, axis=-1, kind="stable")[..., :number]


def _fill_steps(this: np.void) -> None:
    reached = {
        KNIGHT: chess.BB_KNIGHT_ATTACKS,
        BISHOP: [attacks[0] for attacks in chess.BB_DIAG_ATTACKS],
        ROOK: [chess.BB_RANK_ATTACKS[s][0] | chess.BB_FILE_ATTACKS[s][0] for s in range(64)],
        KING: chess.BB_KING_ATTACKS,
    }
    for kind, targets in reached.items():
        steps = this["steps"][kind]
        steps["targets"] = targets
        to = _lowest_bits(np.array(targets, np.uint64), MAX_TARGETS)
        steps["moves"] = np.arange(64)[:, np.newaxis] | to << SQUARE_BITS
    places = 2 * _lowest_bits(np.arange(256, dtype=np.uint8), 8)
    this["packing"]["bytes"] = np.stack((places, places + 1), axis=-1).reshape(256, 16)


def build_constants() -> np.ndarray:
    """Return all constants: shape (1,), dtype CONSTANTS. Kernels take the element [0]."""
    constants = map_memory(CONSTANTS.itemsize).view(CONSTANTS)
    this = constants[0]
    this["knight"] = chess.BB_KNIGHT_ATTACKS
    this["king"] = chess.BB_KING_ATTACKS
    this["pawn"] = chess.BB_PAWN_ATTACKS[chess.WHITE], chess.BB_PAWN_ATTACKS[chess.BLACK]
    _fill_lines(this)
    _fill_steps(this)
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
