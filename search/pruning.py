"""When a node, or some of its moves, need not be searched in full: one predicate for each idea, named for what it claims."""

from __future__ import annotations

import numpy as np

from zobra.engine.board import BISHOP, KNIGHT, QUEEN, ROOK, ZERO
from zobra.engine.jit import kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE
from zobra.search.worker import REDUCTION_DEPTHS, REDUCTION_MOVES
from zobra.tt.entry import EXACT, LOWER, UPPER, bound_of, depth_of

NEAR_FIFTY = np.int64(90)  # from here on a stored score may not know how few moves are left
LAST_DEPTH, LAST_MOVE = np.int64(REDUCTION_DEPTHS - 1), np.int64(REDUCTION_MOVES - 1)
ONE_PLY, NO_PLIES = np.int64(1), np.int64(0)


@kernel
def table_decides(position, data, score, depth, alpha, beta):
    """The stored search was as deep, and its bound lies on the deciding side of the window."""
    bound = bound_of(data)
    if depth_of(data) < depth or position.halfmove >= NEAR_FIFTY:
        return False
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@kernel
def standing_far_above_beta(worker, evaluation, beta, depth):
    """Reverse futility: so far above beta that the opponent cannot catch up in the plies left."""
    parameters = worker.parameters
    margin = parameters.reverse_futility_margin * depth
    return depth <= parameters.reverse_futility_depth and evaluation - margin >= beta and beta > -LONGEST_MATE


@kernel
def has_pieces(position):
    """Does the side to move have more than king and pawns? Without pieces zugzwang is common."""
    pieces = position.pieces
    own = position.colours[position.side]
    return (pieces[KNIGHT] | pieces[BISHOP] | pieces[ROOK] | pieces[QUEEN]) & own != ZERO


@kernel
def passing_may_refute(worker, ply, evaluation, beta, depth):
    """Null move: already above beta, with pieces on the board, so that even passing may hold beta. Never twice in a row."""
    previous = worker.frames[ply - 1].move
    return (
        depth >= worker.parameters.null_move_depth
        and evaluation >= beta
        and beta > -LONGEST_MATE
        and previous != NO_MOVE
        and has_pieces(worker.frames[ply].position)
    )


@kernel
def null_move_depth(worker, evaluation, beta, depth):
    """Depth to search after passing: the shallower, the deeper the node and the higher the evaluation."""
    parameters = worker.parameters
    surplus = min((evaluation - beta) // parameters.null_move_margin, parameters.null_move_margin_plies)
    return depth - parameters.null_move_base - depth // parameters.null_move_divisor - surplus


@kernel
def late_quiets_are_hopeless(worker, number, depth):
    """Late-move pruning: near the horizon, so many moves have failed that the quiet ones still to come will too."""
    parameters = worker.parameters
    return depth <= parameters.late_move_depth and number >= parameters.late_move_base + depth * depth


@kernel
def late_move_reduction(worker, number, depth):
    """Plies by which the `number`-th move, if it is quiet, may be searched less deeply at first."""
    parameters = worker.parameters
    if depth < parameters.reduction_depth or number <= parameters.reduction_moves:
        return NO_PLIES
    plies = worker.reductions[np.uint64(min(depth, LAST_DEPTH)), np.uint64(min(number, LAST_MOVE))]
    return max(NO_PLIES, min(plies, depth - ONE_PLY - ONE_PLY))
