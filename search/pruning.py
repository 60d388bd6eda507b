"""Pruning: when a node, or some of its moves, need not be searched.

One predicate or formula for each technique.

Ideas and names: Chess Programming Wiki, "Pruning". Margins are tunable (parameters.py).
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
    """Is the static evaluation above that of two plies before, or of four if that was in check?

    Never in check.
    """
    evaluation = worker.stack[ply].static_evaluation
    before = worker.stack[ply - 2].static_evaluation if ply >= 2 else NO_SCORE
    if before == NO_SCORE and ply >= 4:
        before = worker.stack[ply - 4].static_evaluation
    return evaluation != NO_SCORE and (before == NO_SCORE or evaluation > before)


@kernel
def reverse_futility_applies(worker, ply, evaluation, beta, depth):
    """Reverse futility pruning: the evaluation is above beta by a margin for each ply left.
    Not where a null move is verified: that would trust the evaluation once more."""
    parameters = worker.parameters
    if depth > parameters.reverse_futility_depth or ply < worker.null_move_min_ply:
        return False
    margin = parameters.reverse_futility_margin * (
        depth - 1 if worker.stack[ply].improving else depth
    )
    before = worker.stack[ply - 1].static_evaluation
    worsening = (
        before != NO_SCORE and worker.stack[ply].static_evaluation > -before
    )  # of the opponent's side, by its last move
    margin -= worsening * parameters.reverse_futility_worsening
    return (
        evaluation - max(margin, parameters.reverse_futility_least_margin) >= beta > -LONGEST_MATE
    )


@kernel
def null_move_allowed(worker, ply, evaluation, beta, depth):
    """Null move pruning: is it tried?

    The evaluation must be above beta; not without pieces, and never twice in a row.
    """
    node = worker.stack[ply]
    return (
        depth >= worker.parameters.null_move_depth
        and ply >= worker.null_move_min_ply
        and min(evaluation, node.static_evaluation - worker.parameters.null_move_static_margin)
        >= beta
        > -LONGEST_MATE
        and worker.stack[ply - 1].move != NO_MOVE
        and node.position.colours[node.position.side]
        & ~(node.position.pieces[PAWN] | node.position.pieces[KING])
        != ZERO
    )


@kernel
def null_move_depth(worker, evaluation, beta, depth):
    """Depth of the search after a null move: the reduction grows with depth and evaluation."""
    parameters = worker.parameters
    surplus = min(
        (evaluation - beta) // parameters.null_move_margin, parameters.null_move_margin_plies
    )
    return depth - parameters.null_move_base - depth // parameters.null_move_divisor - surplus


@inlined
def prune_move(worker, tables, ply, move, alpha, best):
    """May this move be pruned?

    Only after a move that is not mated. `lmr_depth` is the depth that LMR would leave it.
    """
    if best <= -LONGEST_MATE:
        return False
    node, parameters, reduction = (
        worker.stack[ply],
        worker.parameters,
        late_move_reduction(worker, worker.stack[ply]),
    )
    depth, evaluation, is_quiet = (
        node.depth,
        node.static_evaluation,
        not is_noisy(node.position, move),
    )
    lmr_depth = max(0, depth - 1 - reduction // PLY)
    may_be_futile = evaluation != NO_SCORE and alpha < LONGEST_MATE  # a faster mate may be quiet

    if is_quiet:
        # Late move pruning: at low depth, quiet moves are skipped after so many moves
        limit = parameters.late_move_base + depth * depth
        if depth <= parameters.late_move_depth and node.move_count > (
            limit if node.improving else limit // 2
        ):
            skip_quiets(node)
            return True

        # Futility pruning: the evaluation is below alpha by a margin that grows with the depth.
        # History pruning: a bad history
        margin = parameters.futility_base + parameters.futility_slope * lmr_depth
        is_hopeless = (
            may_be_futile
            and lmr_depth <= parameters.futility_depth
            and evaluation + margin <= alpha
        )
        if not is_hopeless and lmr_depth <= parameters.history_pruning_depth:
            is_hopeless = quiet_score(worker, ply, move) < -parameters.history_pruning_slope * (
                lmr_depth + 1
            )
        if is_hopeless and not gives_direct_check(node, move):
            return True

    # SEE pruning: the move loses more material than the depth allows
    if depth > parameters.exchange_pruning_depth:
        return False
    loss = (
        parameters.exchange_quiet_slope * lmr_depth * lmr_depth
        if is_quiet
        else parameters.exchange_noisy_slope * depth
    )
    return not see_at_least(node.position, tables, move, -loss)
