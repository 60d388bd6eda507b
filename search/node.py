"""What every node does, in the main search and in quiescence: make a move, evaluate, use the
table.
"""

from zobra.engine.accumulator import refresh, update
from zobra.engine.attacks import find_checks
from zobra.engine.board import ZERO
from zobra.engine.kernels import kernel
from zobra.engine.make import key_after, make, make_null
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search.evaluation import evaluate
from zobra.search.history import (
    corrected_evaluation,
    corrections,
    is_noisy,
    prefetch_value,
    update_correction_histories,
)
from zobra.search.root import is_partial_root
from zobra.search.worker import NOTHING_PLAYED, PLAYED_HERE, piece_to
from zobra.tt.entry import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    evaluation_of,
    score_to_table,
)
from zobra.tt.table import prefetch_bucket, probe, store

NEAR_FIFTY = 90  # plies without progress, from which a stored score is not trusted


@kernel
def make_move(worker, tables, ply, move):
    """Make a move (NO_MOVE: a null move) from `ply`; the position of the next ply is then
    complete.
    """
    node, following = worker.stack[ply], worker.stack[ply + 1]
    node.move = move
    node.nodes_before = worker.nodes
    if move == NO_MOVE:
        worker.played[ply + PLAYED_HERE] = NOTHING_PLAYED
        make_null(node.position, following.position, tables)
    else:
        prefetch_bucket(worker.table, key_after(node.position, move, tables))
        worker.played[ply + PLAYED_HERE] = piece_to(node.position, move)
        make(node.position, following.position, move, tables)
    prefetch_bucket(
        worker.table, following.position.key
    )  # the one above leaves some special moves out
    for row, index in corrections(worker, ply + 1):
        prefetch_value(row, index)
    if (
        worker.parameters.use_network != 0
    ):  # not every node needs the accumulator, but the bucket is on its way meanwhile
        update(
            tables.network,
            following.accumulator,
            following.position,
            node.accumulator,
            node.position,
        )
    find_checks(following.position, tables)
    worker.keys[worker.root_key_index + ply + 1] = following.position.key


@kernel
def set_static_evaluation(worker, tables, ply, tt_entry):
    """Set the raw and the corrected evaluation of the node at `ply`; the table may know the raw
    one. In check there is none.
    """
    node = worker.stack[ply]
    if ply == 0:  # no move made it
        refresh(tables.network, node.accumulator, node.position)
    if node.position.checkers != ZERO:
        node.raw_evaluation = node.static_evaluation = NO_SCORE
        return
    stored = evaluation_of(tt_entry)
    node.raw_evaluation = (
        stored if tt_entry != ZERO and stored != NO_SCORE else evaluate(worker, tables, ply)
    )
    node.static_evaluation = corrected_evaluation(worker, ply, node.raw_evaluation)


@kernel
def probe_tt(worker, key):
    """The table's entry for a position (its data word), 0 for none."""
    return probe(worker.table, key) if worker.parameters.use_table != 0 else ZERO


@kernel
def bound_decides(tt_entry, tt_score, threshold):
    """Does the table's bound put the true score on its side of `threshold`: at least that, or below
    it?
    """
    bound = bound_of(tt_entry)
    return (
        bound == EXACT
        or (bound == LOWER and tt_score >= threshold)
        or (bound == UPPER and tt_score < threshold)
    )


@kernel
def tt_cutoff(position, tt_entry, tt_score, depth, beta):
    """Does the table's entry end a null window below `beta`?

    Its depth must do, and the fifty moves must be far.
    """
    return (
        depth_of(tt_entry) >= depth
        and position.halfmove < NEAR_FIFTY
        and bound_decides(tt_entry, tt_score, beta)
    )


@kernel
def tt_adjusted_evaluation(evaluation, tt_entry, tt_score):
    """The table's score where its bound makes it a better estimate, else the static evaluation."""
    return tt_score if bound_decides(tt_entry, tt_score, evaluation) else evaluation


@kernel
def store_tt(worker, ply, move, score, depth, bound):
    """Store the result of the node at `ply` in the table."""
    if worker.parameters.use_table != 0:
        node = worker.stack[ply]
        store(
            worker.table,
            node.position.key,
            move,
            score_to_table(score, ply),
            node.raw_evaluation,
            depth,
            bound,
            node.tt_pv,
        )


@kernel
def finish_node(worker, ply, move, score, alpha, beta):
    """Update the correction histories and the table with a node's result, and return its score.

    In a null window a fail-high is blended toward beta, more so at low depth. The score shows the
    error of the static evaluation, but not in check, after a capture, or if it is a bound on the
    wrong side.
    """
    node, depth = worker.stack[ply], worker.stack[ply].depth
    if score >= beta and beta - alpha <= 1 and score < LONGEST_MATE and beta > -LONGEST_MATE:
        score = (score * depth + beta) // (depth + 1)
    bound = LOWER if score >= beta else (EXACT if score > alpha else UPPER)
    if ply == 0 and is_partial_root(worker.root):  # the score is not that of the position
        return score
    if node.static_evaluation != NO_SCORE and (
        move == NO_MOVE or not is_noisy(node.position, move)
    ):
        error = score - node.static_evaluation
        if bound == EXACT or (bound == LOWER and error > 0) or (bound == UPPER and error < 0):
            update_correction_histories(worker, ply, error, depth)
    store_tt(worker, ply, move, score, depth, bound)
    return score
