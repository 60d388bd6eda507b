"""One entry of the transposition table, and the only place that knows its bits.

    check  64 bits   key ^ data: an entry torn by two threads, or of another position, does not
    verify
    data   63 ... 48  | 47 ... 32 | 31 ... 16 | 15 ... 8 | 7 6   | 5  | 4 ... 0
           evaluation   score       move        depth      bound   PV   generation

Idea: lockless hashing by exclusive or, Robert Hyatt and Tim Mann (2002), "A lock-less transposition
table implementation".
"""

import struct
from itertools import accumulate

import numpy as np

from zobra.engine.kernels import kernel, layout
from zobra.engine.scores import LONGEST_MATE

ENTRY = layout(("check", "u8"), ("data", "u8"))

FIELD_BITS = (
    5,
    1,
    2,
    8,
    16,
    16,
    16,
)  # generation, PV, bound, depth, move, score, static evaluation
PV_SHIFT, BOUND_SHIFT, DEPTH_SHIFT, MOVE_SHIFT, SCORE_SHIFT, EVALUATION_SHIFT, _ = map(
    np.uint64, accumulate(FIELD_BITS)
)
GENERATION_MASK, PV_MASK, BOUND_MASK, DEPTH_MASK, MOVE_MASK, SCORE_MASK, _ = (
    np.uint64((1 << bits) - 1) for bits in FIELD_BITS
)

# How the stored score bounds the true one. NO_BOUND marks an empty entry.
NO_BOUND, UPPER, LOWER, EXACT = (np.int64(bound) for bound in range(4))


@kernel
def pack(move, score, evaluation, depth, bound, generation, tt_pv):
    """All fields in one word; score and evaluation fit int16, depth is 0 to 255, `tt_pv` is 0 or
    1.
    """
    data = (np.uint64(evaluation) & SCORE_MASK) << EVALUATION_SHIFT | (
        np.uint64(score) & SCORE_MASK
    ) << SCORE_SHIFT
    data |= move << MOVE_SHIFT | np.uint64(depth) << DEPTH_SHIFT | np.uint64(bound) << BOUND_SHIFT
    return data | np.uint64(tt_pv) << PV_SHIFT | generation


@kernel
def with_move(data, move):
    """The same entry with another best move."""
    return data & ~(MOVE_MASK << MOVE_SHIFT) | move << MOVE_SHIFT


@kernel
def move_of(data):
    """The best move, 0 for none."""
    return data >> MOVE_SHIFT & MOVE_MASK


@kernel
def score_of(data):
    """The score as stored: mate scores count from this position."""
    return np.int64(np.int16(data >> SCORE_SHIFT & SCORE_MASK))


@kernel
def evaluation_of(data):
    """The static evaluation, NO_SCORE for none."""
    return np.int64(np.int16(data >> EVALUATION_SHIFT))


@kernel
def depth_of(data):
    """Depth of the search that made the entry, in plies."""
    return np.int64(data >> DEPTH_SHIFT & DEPTH_MASK)


@kernel
def bound_of(data):
    """UPPER, LOWER, EXACT, or NO_BOUND (0) for an empty entry."""
    return np.int64(data >> BOUND_SHIFT & BOUND_MASK)


@kernel
def generation_of(data):
    """Number of the search that made the entry, modulo 32."""
    return data & GENERATION_MASK


@kernel
def pv_of(data):
    """Was the position ever on a principal variation? 0 or 1. Idea: Stockfish's ttPv."""
    return np.int64(data >> PV_SHIFT & PV_MASK)


@kernel
def score_to_table(score, ply):
    """Mate scores count plies from the root in the search, and from the position itself in the
    table.
    """
    if score >= LONGEST_MATE:
        return score + ply
    return score - ply if score <= -LONGEST_MATE else score


@kernel
def score_from_table(score, ply):
    """The reverse of `score_to_table`."""
    if score >= LONGEST_MATE:
        return score - ply
    return score + ply if score <= -LONGEST_MATE else score


def unpack(data: int) -> tuple[int, int, int, int]:
    """Move, score as stored, depth and bound, for Python."""
    flags, depth, move, score, _ = struct.unpack("<BBHhh", data.to_bytes(8, "little"))
    return move, score, depth, flags >> int(BOUND_SHIFT)
