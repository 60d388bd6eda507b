"""What every node does, in the full search or in quiescence: step to the next ply, know a draw, ask and tell the table."""

from __future__ import annotations

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ZERO
from zobra.engine.evaluate import evaluate, is_insufficient_material
from zobra.engine.generator import ALL, generate
from zobra.engine.jit import kernel
from zobra.engine.make import make, make_null
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import NO_SCORE
from zobra.search.worker import is_repetition
from zobra.tt.entry import evaluation_of, score_to_table
from zobra.tt.table import prefetch_bucket, probe, store

FIFTY_MOVES = np.int64(100)  # plies
OFF = np.int64(0)


@kernel
def step(worker, tables, ply, move):
    """Make a move (NO_MOVE passes) from `ply`; the position of the next ply is then complete."""
    frame, following = worker.frames[ply], worker.frames[ply + 1]
    frame.move = move
    if move == NO_MOVE:
        make_null(frame.position, following.position, tables)
    else:
        make(frame.position, following.position, move, tables)
    find_checks(following.position, tables)
    worker.keys[worker.root_key_index + ply + 1] = following.position.key


@kernel
def prefetch_entry(worker, ply):
    """Ask for the table's memory of the position at `ply`, which is about to be searched."""
    prefetch_bucket(worker.table, worker.frames[ply].position.key)


@kernel
def standing_score(position, data):
    """The static evaluation, from the table if it is there."""
    known = evaluation_of(data)
    return known if data != ZERO and known != NO_SCORE else evaluate(position)


@kernel
def is_draw(worker, tables, ply):
    """Repetition, insufficient material, or fifty moves without capture or pawn move (unless the last of them mates)."""
    frame = worker.frames[ply]
    position = frame.position
    if is_repetition(worker, ply) or is_insufficient_material(position):
        return True
    if position.halfmove < FIFTY_MOVES:
        return False
    frame.moves.count = ZERO
    return position.checkers == ZERO or generate(position, tables, frame.moves, ALL) != ZERO


@kernel
def ask_table(worker, key):
    """The table's data for a position, 0 for none."""
    return probe(worker.table, key) if worker.parameters.use_table != OFF else ZERO


@kernel
def tell_table(worker, ply, move, score, evaluation, depth, bound):
    """Store what the node at `ply` found."""
    if worker.parameters.use_table != OFF:
        key = worker.frames[ply].position.key
        store(worker.table, key, move, score_to_table(score, ply), evaluation, depth, bound)
