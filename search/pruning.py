"""Pruning: when a node, or some of its moves, need not be searched. One predicate or formula for each technique.

Ideas and names: Chess Programming Wiki, "Pruning". Margins are tunable (parameters.py).
"""

from __future__ import annotations

from zobra.engine.board import KING, PAWN, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.engine.see import capture_value, see_at_least
from zobra.search.history import SHARES, is_noisy, quiet_score
from zobra.search.move_picker import skip_quiets
from zobra.search.reductions import late_move_reduction
from zobra.search.threats import gives_direct_check
from zobra.search.worker import PLY, extension_allowed
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
    margin = max(margin, parameters.reverse_futility_least_margin)
    return evaluation - margin >= beta and beta > -LONGEST_MATE


@kernel
def reverse_futility_score(worker, evaluation, beta):
    """The score of reverse futility pruning: the evaluation blended toward beta, or a mate that the table knows."""
    if evaluation >= LONGEST_MATE:
        return evaluation
    return beta + (evaluation - beta) * worker.parameters.reverse_futility_share // SHARES


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
def null_move_score(score, beta):
    """The score of a null move cutoff: a mate is not proven by it."""
    return score if score < LONGEST_MATE else beta


@kernel
def null_move_needs_verification(worker, depth):
    """Is a null move cutoff verified by a search without null moves? At high depth, and not inside another verification."""
    return depth >= worker.parameters.null_move_verification_depth and worker.null_move_min_ply == 0


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
def singular_search_allowed(worker, ply, tt_entry, tt_score, tt_move, depth):
    """Singular extensions: is the TT move tested? The table's depth must be near, and its score no upper bound and no mate."""
    return (
        depth >= worker.parameters.singular_depth
        and extension_allowed(worker, ply)
        and worker.stack[ply].excluded == NO_MOVE
        and tt_move != NO_MOVE
        and bound_of(tt_entry) != UPPER
        and bound_of(tt_entry) != NO_BOUND
        and depth_of(tt_entry) >= depth - 3
        and abs(tt_score) < LONGEST_MATE
    )


@kernel
def late_move_pruning(worker, node):
    """Late move pruning: at low depth, quiet moves are skipped after so many moves."""
    parameters = worker.parameters
    limit = parameters.late_move_base + node.depth * node.depth
    return node.depth <= parameters.late_move_depth and node.move_count > (limit if node.improving else limit // 2)


@kernel
def futility_pruning(worker, node, lmr_depth, alpha):
    """Futility pruning: the static evaluation is below alpha by a margin that grows with the depth left."""
    parameters = worker.parameters
    if node.static_evaluation == NO_SCORE or lmr_depth > parameters.futility_depth or alpha >= LONGEST_MATE:
        return False
    return node.static_evaluation + parameters.futility_base + parameters.futility_slope * lmr_depth <= alpha


@kernel
def capture_futility_pruning(worker, node, move, lmr_depth, alpha):
    """Futility pruning of captures: even with what the move wins, the static evaluation is below alpha by a margin."""
    parameters = worker.parameters
    if node.static_evaluation == NO_SCORE or lmr_depth > parameters.capture_futility_depth or alpha >= LONGEST_MATE:
        return False
    margin = parameters.capture_futility_base + parameters.capture_futility_slope * lmr_depth
    return node.static_evaluation + margin + capture_value(node.position, move) <= alpha


@kernel
def history_pruning(worker, ply, move, lmr_depth):
    """History pruning: at low depth, a quiet move with a bad history."""
    parameters = worker.parameters
    if lmr_depth > parameters.history_pruning_depth:
        return False
    return quiet_score(worker, ply, move) < -parameters.history_pruning_slope * (lmr_depth + 1)


@kernel
def see_pruning(worker, tables, node, move, is_quiet, lmr_depth):
    """SEE pruning: a move that loses more material by SEE than the depth allows."""
    parameters = worker.parameters
    if node.depth > parameters.exchange_pruning_depth:
        return False
    if is_quiet:
        return not see_at_least(node.position, tables, move, -parameters.exchange_quiet_slope * lmr_depth * lmr_depth)
    return not see_at_least(node.position, tables, move, -parameters.exchange_noisy_slope * node.depth)


@kernel
def prune_move(worker, tables, ply, move, alpha, best):
    """May this move be pruned? Only after a move that is not mated."""
    if best <= -LONGEST_MATE:
        return False
    node, parameters, reduction = worker.stack[ply], worker.parameters, late_move_reduction(worker, worker.stack[ply])
    is_quiet = not is_noisy(node.position, move)
    if is_quiet and parameters.pruning_history_share != 0:
        reduction -= quiet_score(worker, ply, move) * parameters.pruning_history_share // parameters.reduction_history
    lmr_depth = max(0, node.depth - 1 - reduction // PLY)
    if is_quiet:
        if late_move_pruning(worker, node):
            if parameters.late_move_checks == 0:
                skip_quiets(node)
                return True
            if not gives_direct_check(node, move):
                return True
        is_hopeless = futility_pruning(worker, node, lmr_depth, alpha) or history_pruning(worker, ply, move, lmr_depth)
        if is_hopeless and not gives_direct_check(node, move):
            return True
    elif capture_futility_pruning(worker, node, move, lmr_depth, alpha):
        return True
    return see_pruning(worker, tables, node, move, is_quiet, lmr_depth)
