"""How much less deep a late move is searched at first, and how much deeper the only good one. Ideas: Chess Programming Wiki,
"Late Move Reductions" and "Singular Extensions"."""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import NO_MOVE
from zobra.search.history import capture_score, is_noisy, quiet_score
from zobra.search.worker import PLY, REDUCTION_DEPTHS, REDUCTION_MOVES, ROOT, may_be_lengthened

WHOLE_PLY, ONE_PLY, TWO_PLIES, NO_PLIES = np.int64(PLY), np.int64(1), np.int64(2), np.int64(0)
LAST_DEPTH, LAST_MOVE = np.int64(REDUCTION_DEPTHS - 1), np.int64(REDUCTION_MOVES - 1)
SIXTEENTHS = np.int64(16)
ONCE, TWICE, LESS, MUCH_LESS = np.int64(1), np.int64(2), np.int64(-1), np.int64(-2)


@kernel
def late_move_reduction(worker, number, depth, improving):
    """1024ths of a ply by which the `number`-th move of a node may be searched less deeply, before what is known of it."""
    reduction = worker.reductions[np.uint64(min(depth, LAST_DEPTH)), np.uint64(min(number, LAST_MOVE))]
    return reduction if improving else reduction + worker.parameters.reduction_worsening


@kernel
def adjusted_reduction(worker, ply, move, is_quiet, reduction, is_principal, is_cut_node):
    """The reduction for this move: less where the node or the move is important, more where it is expected to fail.

    At the root little of it is left: there a sacrifice that needs depth to be understood costs a game, and few nodes.
    """
    parameters, frame = worker.parameters, worker.frames[ply]
    if is_cut_node:
        reduction += parameters.reduction_cut_node
    if is_principal:
        reduction -= parameters.reduction_principal
    if frame.table_move != NO_MOVE and is_noisy(frame.position, frame.table_move):
        reduction += parameters.reduction_noisy_table_move
    if worker.frames[ply + ONE_PLY].position.checkers != ZERO:
        reduction -= parameters.reduction_check
    known = quiet_score(worker, ply, move) if is_quiet else capture_score(worker, frame.position, move)
    reduction -= known * WHOLE_PLY // parameters.reduction_history
    if ply == ROOT:
        return reduction * parameters.reduction_root // WHOLE_PLY
    often_refuted = worker.frames[ply + ONE_PLY].cutoffs > np.uint64(parameters.reduction_cutoffs_number)
    return reduction + parameters.reduction_cutoffs if often_refuted else reduction


@kernel
def reduced_depth(depth, reduction):
    """The depth left after a reduction in 1024ths of a ply: at least one ply, and no deeper than before."""
    return max(min(ONE_PLY, depth), min(depth - reduction // WHOLE_PLY, depth))


@kernel
def confirming_depth(worker, ply, depth, score, best):
    """How deep to search a move whose reduced search promised `score`: more if that is far above the best, less if hardly.

    Idea: Stockfish's deeper and shallower searches after a reduction.
    """
    parameters = worker.parameters
    if score > best + parameters.deeper_margin and may_be_lengthened(worker, ply):
        return depth + ONE_PLY
    return depth - ONE_PLY if score < best + parameters.shallower_margin and depth > ONE_PLY else depth


@kernel
def singular_bound(worker, score, depth):
    """The score that no other move may reach, if the table's move with its `score` is to count as the only good one."""
    return score - worker.parameters.singular_margin * depth // SIXTEENTHS


@kernel
def singular_extension(worker, score, bound, known, beta, is_principal, is_cut_node):
    """Plies by which to search the table's move deeper, when the others reached `score` where `bound` was asked."""
    if score < bound:
        double = not is_principal and score < bound - worker.parameters.singular_double_margin
        return TWICE if double else ONCE
    if known >= beta:  # others may refute this node too: no need to look so closely
        return MUCH_LESS
    return LESS if is_cut_node else NO_PLIES
