"""When a node, or some of its moves, need not be searched: one predicate for each idea, named for what it claims.

Ideas and names: Chess Programming Wiki, "Pruning". Margins are tunable (parameters.py).
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import BISHOP, KNIGHT, QUEEN, ROOK, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.engine.see import see_at_least
from zobra.search.history import is_noisy, quiet_score
from zobra.search.picker import skip_quiets
from zobra.search.threats import attacks_the_king
from zobra.search.worker import PLY, may_be_lengthened
from zobra.tt.entry import EXACT, LOWER, NO_BOUND, UPPER, bound_of, depth_of

NEAR_FIFTY = np.int64(90)  # from here on a stored score may not know how few moves are left
ROOT, ONE_PLY, NO_PLIES, TWO_PLIES, THREE_PLIES, FOUR_PLIES = (np.int64(plies) for plies in (0, 1, 0, 2, 3, 4))
WHOLE_PLY = np.int64(PLY)
HALF = np.int64(2)
WHOLE = np.int64(1024)  # what shares are parts of


@kernel
def table_decides(position, data, score, depth, alpha, beta):
    """The stored search was as deep, its bound is on the deciding side of the window, and the fifty moves are far from over."""
    bound = bound_of(data)
    if depth_of(data) < depth or position.halfmove >= NEAR_FIFTY:
        return False
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@kernel
def refined(evaluation, data, score):
    """The evaluation, or the stored score where that bounds it on the right side."""
    bound = bound_of(data)
    if bound == EXACT or (bound == LOWER and score > evaluation) or (bound == UPPER and score < evaluation):
        return score
    return evaluation


@kernel
def is_improving(worker, ply):
    """Does the side to move stand better than at its move before? Not in check; and yes where nothing is known of that move."""
    evaluation = worker.frames[ply].evaluation
    if evaluation == NO_SCORE:
        return False
    if ply < TWO_PLIES:
        return True
    before = worker.frames[ply - TWO_PLIES].evaluation
    if before == NO_SCORE:
        if ply < FOUR_PLIES:
            return True
        before = worker.frames[ply - FOUR_PLIES].evaluation
    return before == NO_SCORE or evaluation > before


@kernel
def standing_far_above_beta(worker, ply, evaluation, beta, depth, improving):
    """Reverse futility: so far above beta that the opponent cannot catch up in the plies left.

    Never where a null move is verified: that would believe the evaluation once more.
    """
    parameters = worker.parameters
    if depth > parameters.reverse_futility_depth or ply < worker.no_null_move_before:
        return False
    margin = parameters.reverse_futility_margin * (depth - ONE_PLY if improving else depth)
    return evaluation - margin >= beta and beta > -LONGEST_MATE


@kernel
def toward_beta(worker, evaluation, beta):
    """What a node is worth that stands far above beta: not all of that would last, unless it is a mate that the table knows."""
    if evaluation >= LONGEST_MATE:
        return evaluation
    return beta + (evaluation - beta) * worker.parameters.reverse_futility_share // WHOLE


@kernel
def has_pieces(position):
    """Does the side to move have more than king and pawns? Without pieces zugzwang is common."""
    pieces = position.pieces
    own = position.colours[position.side]
    return (pieces[KNIGHT] | pieces[BISHOP] | pieces[ROOK] | pieces[QUEEN]) & own != ZERO


@kernel
def passing_may_refute(worker, ply, evaluation, beta, depth):
    """Null move: already above beta, with pieces on the board, so that even passing may hold beta. Never twice in a row."""
    frame = worker.frames[ply]
    return (
        depth >= worker.parameters.null_move_depth
        and ply >= worker.no_null_move_before
        and evaluation >= beta
        and frame.evaluation >= beta
        and beta > -LONGEST_MATE
        and worker.frames[ply - ONE_PLY].move != NO_MOVE
        and has_pieces(frame.position)
    )


@kernel
def worth_of_passing(score, beta):
    """What a refutation by a null move is worth: a mate that it seems to threaten is not proven."""
    return score if score < LONGEST_MATE else beta


@kernel
def passing_needs_verification(worker, depth):
    """Deep enough that a wrong cutoff by a null move, in zugzwang, would cost much; and no verification under way."""
    return depth >= worker.parameters.null_move_verification_depth and worker.no_null_move_before == ROOT


@kernel
def null_move_depth(worker, evaluation, beta, depth):
    """Depth to search after passing: the shallower, the deeper the node and the higher the evaluation."""
    parameters = worker.parameters
    surplus = min((evaluation - beta) // parameters.null_move_margin, parameters.null_move_margin_plies)
    return depth - parameters.null_move_base - depth // parameters.null_move_divisor - surplus


@kernel
def may_be_singular(worker, frame, data, score, ply, depth):
    """Is the table's move, by a search nearly as deep, so good that it is worth asking how good the others are?"""
    return (
        depth >= worker.parameters.singular_depth
        and may_be_lengthened(worker, ply)
        and frame.excluded == NO_MOVE
        and frame.table_move != NO_MOVE
        and bound_of(data) != UPPER
        and bound_of(data) != NO_BOUND
        and depth_of(data) >= depth - THREE_PLIES
        and abs(score) < LONGEST_MATE
    )


@kernel
def late_moves_are_hopeless(worker, number, depth, improving):
    """Late-move pruning: near the horizon, so many moves have failed that the quiet ones still to come will too."""
    parameters = worker.parameters
    enough = parameters.late_move_base + depth * depth
    return depth <= parameters.late_move_depth and number > (enough if improving else enough // HALF)


@kernel
def quiet_moves_are_futile(worker, frame, plies, alpha):
    """Futility: a quiet move, unless it mates, cannot make up for standing so far below alpha in the plies left."""
    parameters = worker.parameters
    if frame.evaluation == NO_SCORE or plies > parameters.futility_depth or alpha >= LONGEST_MATE:
        return False
    return frame.evaluation + parameters.futility_base + parameters.futility_slope * plies <= alpha


@kernel
def has_bad_history(worker, ply, move, plies):
    """History pruning: near the horizon, a quiet move that has nearly always failed."""
    parameters = worker.parameters
    if plies > parameters.history_pruning_depth:
        return False
    return quiet_score(worker, ply, move) < -parameters.history_pruning_slope * (plies + ONE_PLY)


@kernel
def loses_the_exchange(worker, tables, position, move, is_quiet, depth, plies):
    """A move that loses more material on its target square than the depth left could bring back."""
    parameters = worker.parameters
    if depth > parameters.exchange_pruning_depth:
        return False
    if is_quiet:
        return not see_at_least(position, tables, move, -parameters.exchange_quiet_slope * plies * plies)
    return not see_at_least(position, tables, move, -parameters.exchange_noisy_slope * depth)


@kernel
def cannot_matter(worker, tables, ply, move, number, depth, reduction, improving, alpha, best):
    """May this move be left out, when a line that is not mated is known already?"""
    if best <= -LONGEST_MATE:
        return False
    frame = worker.frames[ply]
    is_quiet = not is_noisy(frame.position, move)
    plies = max(NO_PLIES, depth - ONE_PLY - reduction // WHOLE_PLY)
    if is_quiet:
        if late_moves_are_hopeless(worker, number, depth, improving):
            skip_quiets(frame)
            return True
        may_fail = quiet_moves_are_futile(worker, frame, plies, alpha) or has_bad_history(worker, ply, move, plies)
        if may_fail and not attacks_the_king(frame, move):
            return True
    return loses_the_exchange(worker, tables, frame.position, move, is_quiet, depth, plies)
