"""Correction histories: how far search scores of similar positions were above or below their static evaluation.

Positions are similar if they share the pawn structure, the pieces of one side, or the last two moves. Credits: Chess
Programming Wiki, "Static Evaluation Correction History"; the idea comes from Caissa and Stockfish.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import BLACK, ONE, WHITE
from zobra.engine.kernels import kernel
from zobra.engine.scores import LONGEST_MATE
from zobra.search.history import PAWNS, gravity
from zobra.search.worker import CORRECTIONS, FIRST_BEFORE, HISTORY_LIMIT, SECOND_BEFORE

CORRECTION_MASK = np.uint64(CORRECTIONS - 1)
LARGEST_BONUS = HISTORY_LIMIT // 4
BONUS_SLOPE = 2  # history values for a centipawn and ply


@kernel
def correction_index(position, which):
    """Index of the corrections for a position's pawns, or for the pieces of one side."""
    return position.correction_keys[which] & CORRECTION_MASK


@kernel
def corrected_evaluation(worker, ply, raw_evaluation):
    """The raw evaluation in centipawns with all corrections added; never a mate score."""
    position, side = worker.stack[ply].position, worker.stack[ply].position.side
    total = np.int64(worker.pawn_correction[side, correction_index(position, PAWNS)])
    total += worker.piece_correction[side, WHITE, correction_index(position, WHITE + ONE)]
    total += worker.piece_correction[side, BLACK, correction_index(position, BLACK + ONE)]
    total += worker.continuation_correction[worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]]
    largest = LONGEST_MATE - 1
    return max(-largest, min(raw_evaluation + total * worker.parameters.correction_weight // HISTORY_LIMIT, largest))


@kernel
def update_correction_histories(worker, ply, difference, depth):
    """A search of `depth` plies returned `difference` centipawns more than the static evaluation."""
    bonus = max(-LARGEST_BONUS, min(difference * depth * BONUS_SLOPE, LARGEST_BONUS))
    position, side = worker.stack[ply].position, worker.stack[ply].position.side
    pawns = correction_index(position, PAWNS)
    white, black = correction_index(position, WHITE + ONE), correction_index(position, BLACK + ONE)
    second, first = worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]
    worker.pawn_correction[side, pawns] = gravity(worker.pawn_correction[side, pawns], bonus)
    worker.piece_correction[side, WHITE, white] = gravity(worker.piece_correction[side, WHITE, white], bonus)
    worker.piece_correction[side, BLACK, black] = gravity(worker.piece_correction[side, BLACK, black], bonus)
    worker.continuation_correction[second, first] = gravity(worker.continuation_correction[second, first], bonus)
