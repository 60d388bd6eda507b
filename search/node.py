"""What every node does, in the full search or in quiescence: step to the next ply, know a draw, evaluate, use the table."""

from __future__ import annotations

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import FIFTY_MOVES, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import kernel
from zobra.engine.make import make, make_null
from zobra.engine.material import is_insufficient_material
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search.correction import corrected, learn_correction
from zobra.search.evaluation import evaluate, forget_accumulator
from zobra.search.history import is_noisy
from zobra.search.worker import NOTHING_PLAYED, PLAYED_HERE, is_repetition, piece_to
from zobra.tt.entry import EXACT, LOWER, UPPER, evaluation_of, score_to_table
from zobra.tt.table import prefetch_bucket, probe, store

OFF, ROOT, ONE_PLY = np.int64(0), np.int64(0), np.int64(1)
NOTHING = np.uint64(NOTHING_PLAYED)


@kernel
def step(worker, tables, ply, move):
    """Make a move (NO_MOVE passes) from `ply`; the position of the next ply is then complete."""
    frame, following = worker.frames[ply], worker.frames[ply + 1]
    frame.move = move
    frame.nodes_before = worker.nodes
    worker.played[ply + PLAYED_HERE] = NOTHING if move == NO_MOVE else piece_to(frame.position, move)
    if move == NO_MOVE:
        make_null(frame.position, following.position, tables)
    else:
        make(frame.position, following.position, move, tables)
    prefetch_bucket(worker.table, following.position.key)
    find_checks(following.position, tables)
    forget_accumulator(following)
    worker.keys[worker.root_key_index + ply + 1] = following.position.key


@kernel
def assess(worker, tables, ply, data):
    """Evaluate the position at `ply`, with the table's help: as such and as corrected; in check there is no evaluation."""
    frame = worker.frames[ply]
    if frame.position.checkers != ZERO:
        frame.static = frame.evaluation = NO_SCORE
        return
    known = evaluation_of(data)
    frame.static = known if data != ZERO and known != NO_SCORE else evaluate(worker, tables, ply)
    frame.evaluation = corrected(worker, ply, frame.static)


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
def tell_table(worker, ply, move, score, depth, bound):
    """Store what the node at `ply` found."""
    if worker.parameters.use_table != OFF:
        frame = worker.frames[ply]
        store(worker.table, frame.position.key, move, score_to_table(score, ply), frame.static, depth, bound)


@kernel
def learn_from(worker, ply, move, score, depth, bound):
    """Where a quiet node's score and its evaluation disagree, and the bound allows to say so, the evaluation is corrected."""
    frame = worker.frames[ply]
    if frame.evaluation == NO_SCORE or (move != NO_MOVE and is_noisy(frame.position, move)):
        return
    if ply == ROOT and worker.root_moves.count != ZERO:  # its best moves may be forbidden
        return
    if (bound == LOWER and score <= frame.evaluation) or (bound == UPPER and score >= frame.evaluation):
        return
    learn_correction(worker, ply, score - frame.evaluation, depth)


@kernel
def conclude(worker, ply, move, score, depth, alpha, beta):
    """A node is searched in full: its score corrects evaluations and goes into the table. Returns the score.

    In a null window, what a score is above beta is seldom proved and is taken back in part, the more the shallower the search.
    """
    if score >= beta and beta - alpha <= 1 and score < LONGEST_MATE and beta > -LONGEST_MATE:
        score = (score * depth + beta) // (depth + ONE_PLY)
    bound = LOWER if score >= beta else (EXACT if score > alpha else UPPER)
    learn_from(worker, ply, move, score, depth, bound)
    tell_table(worker, ply, move, score, depth, bound)
    return score
