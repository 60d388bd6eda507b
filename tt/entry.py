"""One entry of the transposition table, and the only place that knows its bits.

    check  64 bits: key ^ data, so an entry torn by two threads, or of another position, does not
           verify
    data   63 ... 48  | 47 ... 32 | 31 ... 16 | 15 ... 8 | 7 6   | 5  | 4 ... 0
           evaluation   score       move        depth      bound   PV   generation

Idea: lockless hashing by exclusive or, Robert Hyatt and Tim Mann (2002), "A lock-less transposition
table implementation".
"""

import struct
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from zobra.engine.kernels import kernel, layout
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE

ENTRY = layout(("check", "u8"), ("data", "u8"))

# Bits of generation, PV, bound, depth, move, score and static evaluation
FIELD_BITS = (5, 1, 2, 8, 16, 16, 16)
PV_SHIFT, BOUND_SHIFT, DEPTH_SHIFT, MOVE_SHIFT, SCORE_SHIFT, EVALUATION_SHIFT, _ = map(
    np.uint64, accumulate(FIELD_BITS)
)
GENERATION_MASK, PV_MASK, BOUND_MASK, DEPTH_MASK, MOVE_MASK, SCORE_MASK, _ = (
    np.uint64((1 << bits) - 1) for bits in FIELD_BITS
)

# How the stored score bounds the true one. NO_BOUND marks an empty entry.
NO_BOUND, UPPER, LOWER, EXACT = (np.int64(bound) for bound in range(4))


class TTEntry(NamedTuple):
    """What the table knows about a position: 64-bit words in kernels, ints in Python.

    Mate scores count plies from the root, as everywhere in the search. `tt_pv` is 1 if the position
    was ever on a principal variation, otherwise 0. Idea: Stockfish's ttPv.
    """

    move: Any  # the best move, NO_MOVE if none is known
    score: Any
    evaluation: Any  # the static evaluation, NO_SCORE if none is known
    depth: Any  # of the search, in plies: 0 to 255
    bound: Any  # UPPER, LOWER or EXACT; NO_BOUND if there is no entry
    tt_pv: Any


NO_ENTRY = TTEntry(NO_MOVE, np.int64(0), NO_SCORE, np.int64(0), NO_BOUND, np.int64(0))


@kernel
def pack(tt_entry, ply, generation):
    """Return an entry of a position at `ply` in one word; score and evaluation fit int16."""
    score = score_to_table(tt_entry.score, ply)
    data = (np.uint64(tt_entry.evaluation) & SCORE_MASK) << EVALUATION_SHIFT
    data |= (np.uint64(score) & SCORE_MASK) << SCORE_SHIFT
    data |= tt_entry.move << MOVE_SHIFT
    data |= np.uint64(tt_entry.depth) << DEPTH_SHIFT
    data |= np.uint64(tt_entry.bound) << BOUND_SHIFT
    data |= np.uint64(tt_entry.tt_pv) << PV_SHIFT
    return data | generation


@kernel
def unpack(data, ply):
    """Return the entry in a word, for a position at `ply`."""
    score = np.int64(np.int16(data >> SCORE_SHIFT & SCORE_MASK))
    return TTEntry(
        move=data >> MOVE_SHIFT & MOVE_MASK,
        score=score_from_table(score, ply),
        evaluation=np.int64(np.int16(data >> EVALUATION_SHIFT)),
        depth=np.int64(data >> DEPTH_SHIFT & DEPTH_MASK),
        bound=np.int64(data >> BOUND_SHIFT & BOUND_MASK),
        tt_pv=np.int64(data >> PV_SHIFT & PV_MASK),
    )


@kernel
def with_move(data, move):
    """Return the same word with another best move."""
    return data & ~(MOVE_MASK << MOVE_SHIFT) | move << MOVE_SHIFT


@kernel
def generation_of(data):
    """Return the generation of an entry: the number of the search that stored it, modulo 32."""
    return data & GENERATION_MASK


@kernel
def score_to_table(score, ply):
    """Return a score as the table stores it: mate scores count plies from the position itself."""
    if score >= LONGEST_MATE:
        return score + ply
    return score - ply if score <= -LONGEST_MATE else score


@kernel
def score_from_table(score, ply):
    """Undo `score_to_table`."""
    if score >= LONGEST_MATE:
        return score - ply
    return score + ply if score <= -LONGEST_MATE else score


def entry_from_word(data: int) -> TTEntry:
    """Return the entry in a word, for Python: mate scores count from the position."""
    flags, depth, move, score, evaluation = struct.unpack("<BBHhh", data.to_bytes(8, "little"))
    bound = flags >> int(BOUND_SHIFT)
    tt_pv = flags >> int(PV_SHIFT) & int(PV_MASK)
    return TTEntry(move, score, evaluation, depth, bound, tt_pv)
