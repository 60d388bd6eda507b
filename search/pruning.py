"""Pruning: when a node, or some of its moves, need not be searched. One predicate or formula for each technique.

Ideas and names: Chess Programming Wiki, "Pruning". Margins are tunable (parameters.py).
"""

from __future__ import annotations

from zobra.engine.board import KING, PAWN, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.engine.see import capture_value, see_at_least
from zobra.search.history import is_noisy, quiet_score
from zobra.search.move_picker import skip_quiets
from zobra.search.reductions import late_move_reduction
from zobra.search.threats import gives_direct_check
from zobra.search.worker import PLY
from zobra.tt.entry import EXACT, LOWER, NO_BOUND, UPPER, bound_of, depth_of, move_of, score_from_table, score_of

NEAR_FIFTY = 90  # plies without progress, from which a stored score is not trusted
TT_CUTOFF_DEPTH = 5  # beyond it every TT cutoff is taken


@kernel
def tt_cutoff(worker, ply, tt_entry, depth, beta, cut_node):
    """Does the table's entry end a null window below `beta`? At low depth maybe only as the node expects (Stockfish)."""
    bound, fails_high = bound_of(tt_entry), score_from_table(score_of(tt_entry), ply) >= beta
    if depth_of(tt_entry) < depth or worker.stack[ply].position.halfmove >= NEAR_FIFTY:
        return False
    if worker.parameters.tt_cutoff_cut_node != 0 and 0 < depth <= TT_CUTOFF_DEPTH and fails_high != (cut_node != 0):
        return False
    return bound == EXACT or (bound == LOWER and fails_high) or (bound == UPPER and not fails_high)


@kernel
def tt_adjusted_evaluation(evaluation, tt_entry, tt_score):
    """The table's score where its bound makes it a better estimate, else the static evaluation."""
    bound = bound_of(tt_entry)
    if bound == EXACT or (bound == LOWER and tt_score > evaluation) or (bound == UPPER and tt_score < evaluation):
        return tt_score
    return evaluation


@kernel
def is_improving(worker, ply):
    """Is the static evaluation above that of two plies before, or of four if that was in check? Never in check."""
    evaluation = worker.stack[ply].static_evaluation
    if evaluation == NO_SCORE:
        return False
    if ply < 2:
        return True
    before = worker.stack[ply - 2].static_evaluation
    if before == NO_SCORE:
        if ply < 4:
            return True
        before = worker.stack[ply - 4].static_evaluation
    return before == NO_SCORE or evaluation > before


@kernel
def reverse_futility_applies(worker, ply, tt_entry, evaluation, beta, depth):
    """Reverse futility pruning: the evaluation is above beta by a margin for each ply left.

    Not where a null move is verified: that would trust the evaluation once more.
    """
    node, parameters, tt_move = worker.stack[ply], worker.parameters, move_of(tt_entry)
    if depth > parameters.reverse_futility_depth or ply < worker.null_move_min_ply:
        return False
    if parameters.reverse_futility_not_tt_pv != 0 and node.tt_pv:
        return False
    if parameters.reverse_futility_not_quiet_tt_move != 0 and tt_move != NO_MOVE and not is_noisy(node.position, tt_move):
        return False
    margin = parameters.reverse_futility_margin * (depth - 1 if node.improving else depth)
    return evaluation - max(margin, parameters.reverse_futility_least_margin) >= beta > -LONGEST_MATE


@kernel
def razoring_applies(worker, evaluation, alpha, depth):
    """Razoring: the evaluation is so far below alpha that only a quiescence search can help."""
    parameters = worker.parameters
    if depth > parameters.razoring_depth or alpha >= LONGEST_MATE:
        return False
    return evaluation + parameters.razoring_base + parameters.razoring_slope * depth * depth <= alpha


@kernel
def null_move_allowed(worker, ply, evaluation, beta, depth, cut_node):
    """Null move pruning: is it tried? The evaluation must reach beta; not without pieces, and never twice in a row."""
    node, parameters = worker.stack[ply], worker.parameters
    return (
        depth >= parameters.null_move_depth
        and ply >= worker.null_move_min_ply
        and (cut_node != 0 or parameters.null_move_cut_nodes == 0)
        and evaluation >= beta
        and node.static_evaluation >= beta + parameters.null_move_static_margin - parameters.null_move_static_slope * depth
        and beta > -LONGEST_MATE
        and worker.stack[ply - 1].move != NO_MOVE
        and node.position.colours[node.position.side] & ~(node.position.pieces[PAWN] | node.position.pieces[KING]) != ZERO
    )


@kernel
def null_move_depth(worker, evaluation, beta, depth):
    """Depth of the search after a null move: the reduction grows with depth and evaluation."""
    parameters = worker.parameters
    surplus = min((evaluation - beta) // parameters.null_move_margin, parameters.null_move_margin_plies)
    return depth - parameters.null_move_base - depth // parameters.null_move_divisor - surplus


@kernel
def probcut_allowed(worker, tt_entry, tt_score, bound, depth):
    """ProbCut: is a capture likely to reach `bound`, which is above beta? Not if the table says no. Idea: Michael Buro."""
    if depth < worker.parameters.probcut_depth or abs(bound) >= LONGEST_MATE:
        return False
    return bound_of(tt_entry) == NO_BOUND or tt_score >= bound or depth_of(tt_entry) < depth - 3


@kernel
def prune_move(worker, tables, ply, move, alpha, best):
    """May this move be pruned? Only after a move that is not mated. `lmr_depth` is the depth that LMR would leave it."""
    if best <= -LONGEST_MATE:
        return False
    node, parameters, reduction = worker.stack[ply], worker.parameters, late_move_reduction(worker, worker.stack[ply])
    depth, evaluation, is_quiet = node.depth, node.static_evaluation, not is_noisy(node.position, move)
    if is_quiet and parameters.pruning_history_share != 0:
        reduction -= quiet_score(worker, ply, move) * parameters.pruning_history_share // parameters.reduction_history
    lmr_depth = max(0, depth - 1 - reduction // PLY)
    may_be_futile = evaluation != NO_SCORE and alpha < LONGEST_MATE  # a faster mate may be quiet

    if is_quiet:
        # Late move pruning: at low depth, quiet moves are skipped after so many moves
        limit = parameters.late_move_base + depth * depth
        if depth <= parameters.late_move_depth and node.move_count > (limit if node.improving else limit // 2):
            if parameters.late_move_checks == 0:
                skip_quiets(node)
                return True
            if not gives_direct_check(node, move):
                return True

        # Futility pruning: the evaluation is below alpha by a margin that grows with the depth. History pruning: a bad history
        margin = parameters.futility_base + parameters.futility_slope * lmr_depth
        is_hopeless = may_be_futile and lmr_depth <= parameters.futility_depth and evaluation + margin <= alpha
        if not is_hopeless and lmr_depth <= parameters.history_pruning_depth:
            is_hopeless = quiet_score(worker, ply, move) < -parameters.history_pruning_slope * (lmr_depth + 1)
        if is_hopeless and not gives_direct_check(node, move):
            return True
    elif may_be_futile and lmr_depth <= parameters.capture_futility_depth:
        # Futility pruning of captures: the value of what the move wins is added
        margin = parameters.capture_futility_base + parameters.capture_futility_slope * lmr_depth
        if evaluation + margin + capture_value(node.position, move) <= alpha:
            return True

    # SEE pruning: the move loses more material than the depth allows
    if depth > parameters.exchange_pruning_depth:
        return False
    loss = parameters.exchange_quiet_slope * lmr_depth * lmr_depth if is_quiet else parameters.exchange_noisy_slope * depth
    return not see_at_least(node.position, tables, move, -loss)
