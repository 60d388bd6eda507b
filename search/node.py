"""The steps common to the main search and quiescence search.

They make a move, evaluate, probe the transposition table, and store the result.
"""

from zobra.engine.accumulator import refresh, update
from zobra.engine.attacks import find_checks
from zobra.engine.board import ZERO
from zobra.engine.kernels import kernel
from zobra.engine.make import key_after, make, make_null
from zobra.engine.move import NO_MOVE
from zobra.engine.network import network_at
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
from zobra.tt.entry import EXACT, LOWER, NO_BOUND, NO_ENTRY, UPPER, TTEntry
from zobra.tt.table import prefetch_bucket, probe, store

NEAR_FIFTY = 90  # plies without progress, from which a stored score causes no cutoff


@kernel
def make_move(worker, constants, ply, move):
    """Make a move from `ply` (NO_MOVE: a null move), and complete the node of the next ply.

    The entries of the table and the histories that the next node will read are prefetched.
    """
    node = worker.stack[ply]
    following = worker.stack[ply + 1]
    node.move = move
    node.nodes_before = worker.nodes

    if move == NO_MOVE:
        worker.played[ply + PLAYED_HERE] = NOTHING_PLAYED
        make_null(node.position, following.position, constants)
    else:
        prefetch_bucket(worker.tt, key_after(node.position, move, constants))
        worker.played[ply + PLAYED_HERE] = piece_to(node.position, move)
        make(node.position, following.position, move, constants)
    # `key_after` leaves some special moves out.
    prefetch_bucket(worker.tt, following.position.key)
    for row, index in corrections(worker, ply + 1):
        prefetch_value(row, index)

    update(
        network_at(worker.network_address),
        following.accumulator,
        following.position,
        node.accumulator,
        node.position,
    )
    find_checks(following.position, constants)
    worker.keys[worker.root_key_index + ply + 1] = following.position.key


@kernel
def set_static_evaluation(worker, ply, tt_entry):
    """Set the raw and the corrected evaluation of the node at `ply`; in check there is none.

    The raw one is taken from the table's entry if it is there.
    """
    node = worker.stack[ply]
    if ply == 0:  # no move has made its accumulator
        refresh(network_at(worker.network_address), node.accumulator, node.position)
    if node.position.checkers != ZERO:
        node.raw_evaluation = NO_SCORE
        node.static_evaluation = NO_SCORE
        return

    if tt_entry.evaluation != NO_SCORE:
        node.raw_evaluation = tt_entry.evaluation
    else:
        node.raw_evaluation = evaluate(worker, ply)
    node.static_evaluation = corrected_evaluation(worker, ply, node.raw_evaluation)


@kernel
def probe_tt(worker, ply):
    """Return the table's entry for the position at `ply`, or NO_ENTRY if there is none."""
    if worker.parameters.use_tt == 0:
        return NO_ENTRY
    tt_entry = probe(worker.tt, worker.stack[ply].position.key, ply)
    if tt_entry.bound != NO_BOUND:
        worker.counters.tt_hits += 1
    return tt_entry


@kernel
def bound_decides(tt_entry, threshold):
    """Return whether the entry's bound shows on which side of `threshold` the score is.

    The two sides are: at least `threshold`, and below it.
    """
    bound = tt_entry.bound
    return (
        bound == EXACT
        or (bound == LOWER and tt_entry.score >= threshold)
        or (bound == UPPER and tt_entry.score < threshold)
    )


@kernel
def tt_cutoff(position, tt_entry, depth, beta):
    """Return whether the table's entry decides the null window below `beta`.

    Its depth must suffice. Near the fifty-move draw it never does.
    """
    return (
        tt_entry.depth >= depth and position.halfmove < NEAR_FIFTY and bound_decides(tt_entry, beta)
    )


@kernel
def tt_adjusted_evaluation(evaluation, tt_entry):
    """Return the table's score if its bound makes it a better estimate, or the evaluation."""
    return tt_entry.score if bound_decides(tt_entry, evaluation) else evaluation


@kernel
def store_tt(worker, ply, move, score, depth, bound):
    """Store the result of the node at `ply` in the table."""
    if worker.parameters.use_tt != 0:
        node = worker.stack[ply]
        tt_entry = TTEntry(move, score, node.raw_evaluation, depth, bound, node.tt_pv)
        store(worker.tt, node.position.key, ply, tt_entry)


@kernel
def finish_node(worker, ply, move, score, alpha, beta):
    """Update the correction histories and the table with a node's result, and return its score.

    In a null window a fail-high is blended toward beta, more so at low depth. The score shows the
    error of the static evaluation, unless the side to move is in check, the best move is a capture
    or promotion, or the score is a bound on the wrong side of the evaluation.
    """
    node = worker.stack[ply]
    depth = node.depth
    if score >= beta and beta - alpha <= 1 and score < LONGEST_MATE and beta > -LONGEST_MATE:
        score = (score * depth + beta) // (depth + 1)

    bound = UPPER
    if score >= beta:
        bound = LOWER
    elif score > alpha:
        bound = EXACT

    if ply == 0 and is_partial_root(worker.root):  # the score is not that of the position
        return score

    is_quiet = move == NO_MOVE or not is_noisy(node.position, move)
    if node.static_evaluation != NO_SCORE and is_quiet:
        error = score - node.static_evaluation
        if bound == EXACT or (bound == LOWER and error > 0) or (bound == UPPER and error < 0):
            update_correction_histories(worker, ply, error, depth)

    store_tt(worker, ply, move, score, depth, bound)
    return score
