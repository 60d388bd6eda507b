"""Correction histories: how far search scores of similar positions were above or below their static evaluation.

Positions are similar if they share the pawn structure, the pieces of one side, or the last two moves. Credits: Chess
Programming Wiki, "Static Evaluation Correction History"; the idea comes from Caissa and Stockfish.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.kernels import kernel
from zobra.engine.scores import LONGEST_MATE
from zobra.search.history import gravity
from zobra.search.worker import CORRECTION_KEYS, CORRECTIONS, FIRST_BEFORE, HISTORY_LIMIT, SECOND_BEFORE

CORRECTION_MASK = np.uint64(CORRECTIONS - 1)
LARGEST_BONUS = HISTORY_LIMIT // 4


@kernel
def corrected_evaluation(worker, ply, raw_evaluation):
    """The raw evaluation in centipawns with all corrections added; never a mate score."""
    position, played = worker.stack[ply].position, worker.played
    total = np.int64(worker.continuation_correction[played[ply + SECOND_BEFORE], played[ply + FIRST_BEFORE]])
    for which in range(CORRECTION_KEYS):
        total += worker.position_correction[position.side, which, position.correction_keys[which] & CORRECTION_MASK]
    largest = LONGEST_MATE - 1
    return max(-largest, min(raw_evaluation + total * worker.parameters.correction_weight // HISTORY_LIMIT, largest))


@kernel
def update_correction_histories(worker, ply, difference, depth):
    """A search of `depth` plies returned `difference` centipawns more than the static evaluation."""
    bonus = max(-LARGEST_BONUS, min(2 * difference * depth, LARGEST_BONUS))
    position, side = worker.stack[ply].position, worker.stack[ply].position.side
    second, first = worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]
    worker.continuation_correction[second, first] = gravity(worker.continuation_correction[second, first], bonus)
    for which in range(CORRECTION_KEYS):
        index = position.correction_keys[which] & CORRECTION_MASK
        worker.position_correction[side, which, index] = gravity(worker.position_correction[side, which, index], bonus)
