"""Corrections of the static evaluation: by how much searches of like positions came out above or below it.

Positions are alike that share the pawn structure, the pieces of one side, or the last two moves. Credits: Chess Programming
Wiki, "Correction History"; the idea spread from Caissa and Stockfish.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import BLACK, ONE, WHITE
from zobra.engine.kernels import kernel
from zobra.engine.scores import LONGEST_MATE
from zobra.search.history import PAWNS, approach
from zobra.search.worker import CORRECTIONS, FIRST_BEFORE, LIMIT, SECOND_BEFORE

CORRECTION_MASK = np.uint64(CORRECTIONS - 1)
LARGEST_BONUS = LIMIT // 4
BONUS_SLOPE = np.int64(2)
SMALLEST_MATE = np.int64(1)  # added to the largest evaluation: a corrected one never speaks of mate


@kernel
def structure(position, which):
    """Where the corrections for the pawns, or the pieces of one side, of a position lie."""
    return position.structure_keys[which] & CORRECTION_MASK


@kernel
def corrected(worker, ply, static):
    """The evaluation in centipawns that searches of like positions would have had it be."""
    position, side = worker.frames[ply].position, worker.frames[ply].position.side
    total = np.int64(worker.pawn_correction[side, structure(position, PAWNS)])
    total += worker.piece_correction[side, WHITE, structure(position, WHITE + ONE)]
    total += worker.piece_correction[side, BLACK, structure(position, BLACK + ONE)]
    total += worker.continuation_correction[worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]]
    largest = LONGEST_MATE - SMALLEST_MATE
    return max(-largest, min(static + total * worker.parameters.correction_weight // LIMIT, largest))


@kernel
def learn_correction(worker, ply, difference, depth):
    """A search of this position came out `difference` centipawns above its evaluation."""
    bonus = max(-LARGEST_BONUS, min(difference * depth * BONUS_SLOPE, LARGEST_BONUS))
    position, side = worker.frames[ply].position, worker.frames[ply].position.side
    pawns, white, black = structure(position, PAWNS), structure(position, WHITE + ONE), structure(position, BLACK + ONE)
    second, first = worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]
    worker.pawn_correction[side, pawns] = approach(worker.pawn_correction[side, pawns], bonus)
    worker.piece_correction[side, WHITE, white] = approach(worker.piece_correction[side, WHITE, white], bonus)
    worker.piece_correction[side, BLACK, black] = approach(worker.piece_correction[side, BLACK, black], bonus)
    worker.continuation_correction[second, first] = approach(worker.continuation_correction[second, first], bonus)
