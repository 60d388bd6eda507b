"""The node function of the search: negamax with alpha-beta bounds, in the form of principal variation search.

Read it top-down; each step is a claim that `pruning`, `reductions`, `picker` or `node` spells out. Scores are centipawns for
the side to move.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, MATE, MAX_PLY
from zobra.search.history import is_noisy, learn_cutoff, remember_tried
from zobra.search.node import ask_table, assess, conclude, is_draw, step
from zobra.search.picker import next_move, start_picking
from zobra.search.pruning import (
    cannot_matter,
    is_improving,
    may_be_singular,
    null_move_depth,
    passing_may_refute,
    passing_needs_verification,
    refined,
    standing_far_above_beta,
    table_decides,
    toward_beta,
    worth_of_passing,
)
from zobra.search.quiescence import quiescence
from zobra.search.reductions import (
    adjusted_reduction,
    confirming_depth,
    late_move_reduction,
    reduced_depth,
    singular_bound,
    singular_extension,
)
from zobra.search.worker import WORKER_TYPE, begin_node, count_root_nodes, is_root_move, remember_line
from zobra.tt.entry import move_of, score_from_table, score_of

ROOT, NEXT, HORIZON, NONE, ONE_PLY = (np.int64(number) for number in (0, 1, 0, 0, 1))
NO, YES = np.int64(0), np.int64(1)
VERIFIED_QUARTERS, QUARTERS = np.int64(3), np.int64(4)  # of the plies of a verification, in which there is no null move
HALF = np.int64(2)
LAST_PLY = np.int64(MAX_PLY)


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT, INT, INT)
def negamax(worker, tables, ply, depth, alpha, beta, is_cut_node):
    """Score of the position at `ply`, searched `depth` plies deep within (alpha, beta); fail-soft."""
    if depth <= HORIZON or ply >= LAST_PLY:  # Step 1. The horizon
        return quiescence(worker, tables, ply, alpha, beta)
    begin_node(worker, ply)
    if worker.stopped or (ply > ROOT and is_draw(worker, tables, ply)):  # Step 2. Draws, and the window that mates leave open
        return DRAW
    below, opposite = np.int64(ply + NEXT), np.int64(YES - is_cut_node)
    alpha, beta = max(alpha, ply - MATE), min(beta, MATE - below)
    if alpha >= beta:
        return alpha

    frame, parameters = worker.frames[ply], worker.parameters
    position, excluded = frame.position, frame.excluded
    is_principal, in_check, is_whole = beta - alpha > 1, position.checkers != ZERO, excluded == NO_MOVE

    data = ask_table(worker, position.key)  # Step 3. What is known from before
    known = score_from_table(score_of(data), ply)
    if data != ZERO and not is_principal and is_whole and table_decides(position, data, known, depth, alpha, beta):
        return known
    if is_whole:
        assess(worker, tables, ply, data)
    improving = is_improving(worker, ply)

    if not is_principal and not in_check and is_whole:  # Step 4. Nodes decided without a search of their moves
        evaluation = refined(frame.evaluation, data, known)
        if standing_far_above_beta(worker, ply, evaluation, beta, depth, improving):
            return toward_beta(worker, evaluation, beta)
        if passing_may_refute(worker, ply, evaluation, beta, depth):
            step(worker, tables, ply, NO_MOVE)
            reduced = null_move_depth(worker, evaluation, beta, depth)
            score = -negamax(worker, tables, below, reduced, np.int64(-beta), np.int64(1 - beta), opposite)
            if score >= beta and passing_needs_verification(worker, depth):
                worker.no_null_move_before = ply + VERIFIED_QUARTERS * reduced // QUARTERS
                score = negamax(worker, tables, ply, reduced, np.int64(beta - 1), beta, NO)
                worker.no_null_move_before = ROOT
            if score >= beta:
                return worth_of_passing(score, beta)

    start_picking(position, tables, frame, move_of(data))
    if frame.table_move == NO_MOVE and depth >= parameters.internal_reduction_depth and (is_principal or is_cut_node):
        depth -= ONE_PLY  # Step 5. Without a move to try first, a full search is dear; with one, is it the only good one?
    extension = NONE
    if may_be_singular(worker, frame, data, known, ply, depth):
        bound = singular_bound(worker, known, depth)
        frame.excluded = frame.table_move
        score = negamax(worker, tables, ply, np.int64(depth // HALF), np.int64(bound - 1), bound, is_cut_node)
        frame.excluded = NO_MOVE
        if score >= bound and bound >= beta and parameters.multicut != NO and not is_principal:
            return bound
        extension = singular_extension(worker, score, bound, known, beta, is_principal, is_cut_node)
        start_picking(position, tables, frame, move_of(data))

    best, best_move, number, old_alpha = -INFINITY, NO_MOVE, NONE, alpha
    while True:  # Step 6. The moves, best first
        move = next_move(worker, tables, ply)
        if move == NO_MOVE:
            break
        if move == excluded or (ply == ROOT and not is_root_move(worker, move)):
            continue
        number += NEXT
        is_quiet = not is_noisy(position, move)
        reduction = late_move_reduction(worker, number, depth, improving)
        if ply > ROOT and cannot_matter(worker, tables, ply, move, number, depth, reduction, improving, alpha, best):
            continue
        step(worker, tables, ply, move)
        full = np.int64(depth - ONE_PLY + extension if move == frame.table_move else depth - ONE_PLY)

        score = INFINITY  # Step 7. First by a null window, reduced if late
        if number > NEXT or not is_principal:
            lower, upper = np.int64(-alpha - 1), np.int64(-alpha)
            first = full
            if number > parameters.reduction_moves:
                reduction = adjusted_reduction(worker, ply, move, is_quiet, reduction, is_principal, is_cut_node)
                first = np.int64(reduced_depth(full, reduction))
            score = -negamax(worker, tables, below, first, lower, upper, YES if first < full else opposite)
            if score > alpha and first < full:
                full = np.int64(confirming_depth(worker, ply, full, score, best))
                score = -negamax(worker, tables, below, full, lower, upper, opposite)
        if is_principal and (number == NEXT or score > alpha):
            score = -negamax(worker, tables, below, full, np.int64(-beta), np.int64(-alpha), NO)
        if worker.stopped:
            return DRAW
        count_root_nodes(worker, ply, move)

        if score > best:  # Step 8. Better than before; good enough to alter the line, or to refute this node
            best = score
            if score > alpha:
                alpha, best_move = score, move
                remember_line(worker, ply, move, score)
                if score >= beta:
                    learn_cutoff(worker, ply, move, is_quiet, depth)
                    break
        remember_tried(frame, move, is_quiet)

    if number == NONE:  # Step 9. No legal move: mate or stalemate
        return (ply - MATE if in_check else DRAW) if is_whole else alpha
    return conclude(worker, ply, best_move, best, depth, old_alpha, beta) if is_whole else best
