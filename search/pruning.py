"""Pruning: when a node, or some of its moves, need not be searched.

There is one predicate or formula for each technique. Margins are tunable (see parameters). Ideas
and names: Chess Programming Wiki, "Pruning".
"""

from zobra.engine.board import KING, PAWN, ZERO
from zobra.engine.kernels import inlined, kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.engine.see import see_at_least
from zobra.search.history import is_noisy, quiet_score
from zobra.search.move_picker import skip_quiets
from zobra.search.reductions import late_move_reduction
from zobra.search.threats import gives_direct_check
from zobra.search.worker import PLY


@kernel
def is_improving(worker, ply):
    """Return whether the static evaluation has risen since the side's last move.

    If the side was in check then, its move before that counts; if there is no earlier evaluation,
    it counts as risen. A side in check is not improving.
    """
    evaluation = worker.stack[ply].static_evaluation
    before = NO_SCORE
    if ply >= 2:
        before = worker.stack[ply - 2].static_evaluation
    if before == NO_SCORE and ply >= 4:
        before = worker.stack[ply - 4].static_evaluation
    return evaluation != NO_SCORE and (before == NO_SCORE or evaluation > before)


@kernel
def reverse_futility_applies(worker, ply, evaluation, beta, depth):
    """Return whether the evaluation exceeds beta by a margin for each ply left.

    This is reverse futility pruning. It is not done while a null move is verified, because that
    must not rely on the evaluation.
    """
    node = worker.stack[ply]
    parameters = worker.parameters
    if depth > parameters.reverse_futility_depth or ply < worker.null_move_min_ply:
        return False

    plies = depth - 1 if node.improving else depth
    margin = parameters.reverse_futility_margin * plies
    before = worker.stack[ply - 1].static_evaluation
    if before != NO_SCORE and node.static_evaluation > -before:  # the opponent's move was bad
        margin -= parameters.reverse_futility_opponent_worsening
    margin = max(margin, parameters.reverse_futility_least_margin)
    return evaluation - margin >= beta > -LONGEST_MATE


@kernel
def null_move_allowed(worker, ply, evaluation, beta, depth):
    """Return whether null move pruning is tried.

    The evaluation must exceed beta. It is not tried with only pawns left, where zugzwang is common,
    or after another null move.
    """
    node = worker.stack[ply]
    position = node.position
    parameters = worker.parameters
    if depth < parameters.null_move_depth or ply < worker.null_move_min_ply:
        return False
    if evaluation < beta or beta <= -LONGEST_MATE:
        return False
    if node.static_evaluation - parameters.null_move_static_margin < beta:
        return False
    if worker.stack[ply - 1].move == NO_MOVE:
        return False
    pawns_and_kings = position.pieces[PAWN] | position.pieces[KING]
    return position.colours[position.side] & ~pawns_and_kings != ZERO


@kernel
def null_move_depth(worker, evaluation, beta, depth):
    """Return the depth after a null move: the reduction grows with depth and evaluation."""
    parameters = worker.parameters
    surplus = (evaluation - beta) // parameters.null_move_eval_divisor
    reduction = parameters.null_move_base + depth // parameters.null_move_divisor
    return depth - reduction - min(surplus, parameters.null_move_eval_plies)


@inlined
def prune_move(worker, constants, ply, move, alpha, best):
    """Return whether a move need not be searched.

    No move is pruned before one that avoids mate is found. `lmr_depth` is the depth that the basic
    late move reduction leaves.
    """
    if best <= -LONGEST_MATE:
        return False

    node = worker.stack[ply]
    parameters = worker.parameters
    depth = node.depth
    evaluation = node.static_evaluation
    is_quiet = not is_noisy(node.position, move)
    lmr_depth = max(0, depth - 1 - late_move_reduction(worker, node) // PLY)

    if is_quiet:
        # Late move pruning: at low depth, the remaining quiet moves are skipped after a number of
        # moves that grows with the square of the depth.
        limit = parameters.lmp_base + depth * depth
        if not node.improving:
            limit //= 2
        if depth <= parameters.lmp_depth and node.move_count > limit:
            skip_quiets(node)
            return True

        # Futility pruning: the evaluation is below alpha by a margin that grows with the depth.
        # If alpha is a mate, a faster one may be quiet.
        is_hopeless = False
        may_be_futile = evaluation != NO_SCORE and alpha < LONGEST_MATE
        if may_be_futile and lmr_depth <= parameters.futility_depth:
            margin = parameters.futility_base + parameters.futility_slope * lmr_depth
            is_hopeless = evaluation + margin <= alpha

        # History pruning: the move has failed too often.
        if not is_hopeless and lmr_depth <= parameters.history_pruning_depth:
            least = -parameters.history_pruning_slope * (lmr_depth + 1)
            is_hopeless = quiet_score(worker, ply, move) < least

        if is_hopeless and not gives_direct_check(node, move):
            return True

    # SEE pruning: the move loses more material than the depth allows.
    if depth > parameters.see_pruning_depth:
        return False
    if is_quiet:
        loss = parameters.see_quiet_slope * lmr_depth * lmr_depth
    else:
        loss = parameters.see_noisy_slope * depth
    return not see_at_least(node.position, constants, move, -loss)
