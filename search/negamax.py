"""The node function of the search: negamax with alpha-beta bounds, in the form of principal variation search.

Read it top-down; each step is a claim that `pruning`, `picker` or `node` spells out. Scores are centipawns for the side to
move.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.jit import INT, entry
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, GRAIN, INFINITY, LONGEST_MATE, MATE, MAX_PLY, NO_SCORE
from zobra.search.history import is_noisy, reward_quiet
from zobra.search.node import ask_table, is_draw, prefetch_entry, standing_score, step, tell_table
from zobra.search.picker import next_move, skip_quiets, start_picking
from zobra.search.pruning import (
    late_move_reduction,
    late_quiets_are_hopeless,
    null_move_depth,
    passing_may_refute,
    standing_far_above_beta,
    table_decides,
)
from zobra.search.quiescence import quiescence
from zobra.search.worker import MAX_QUIETS, WORKER_TYPE, count_node, is_root_move, remember_line
from zobra.tt.entry import EXACT, LOWER, UPPER, move_of, score_from_table, score_of

ROOT, NEXT, HORIZON, NONE = np.int64(0), np.int64(1), np.int64(0), np.int64(0)
LAST_PLY = np.int64(MAX_PLY)
QUIETS_KEPT = np.uint64(MAX_QUIETS)


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT, INT)
def negamax(worker, tables, ply, depth, alpha, beta):
    """Score of the position at `ply`, searched `depth` plies deep within (alpha, beta); fail-soft."""
    frame = worker.frames[ply]
    position = frame.position
    in_check = position.checkers != ZERO
    if in_check:  # Step 1. A check is answered before the horizon
        depth += NEXT
    if depth <= HORIZON or ply >= LAST_PLY:
        return quiescence(worker, tables, ply, alpha, beta)
    count_node(worker)
    worker.line_length[ply] = NONE
    is_principal = beta - alpha > GRAIN

    if worker.stopped:
        return DRAW
    if ply > ROOT:  # Step 2. Draws, and mates shorter than any that could still be found
        if is_draw(worker, tables, ply):
            return DRAW
        alpha, beta = max(alpha, ply - MATE), min(beta, MATE - ply - NEXT)
        if alpha >= beta:
            return alpha

    data = ask_table(worker, position.key)  # Step 3. What is known from before
    if data != ZERO and not is_principal:
        known = score_from_table(score_of(data), ply)
        if table_decides(position, data, known, depth, alpha, beta):
            return known

    evaluation = NO_SCORE
    if not in_check:  # Step 4. Nodes that hold beta without a search of their moves
        evaluation = standing_score(position, data)
        if not is_principal:
            if standing_far_above_beta(worker, evaluation, beta, depth):
                return evaluation
            if passing_may_refute(worker, ply, evaluation, beta, depth):
                step(worker, tables, ply, NO_MOVE)
                reduced = null_move_depth(worker, evaluation, beta, depth)
                score = -negamax(worker, tables, np.int64(ply + NEXT), reduced, np.int64(-beta), np.int64(GRAIN - beta))
                if worker.stopped:
                    return DRAW
                if score >= beta:
                    return min(score, LONGEST_MATE - GRAIN)

    best, best_move, number, quiets, old_alpha = -INFINITY, NO_MOVE, NONE, ZERO, alpha
    start_picking(position, tables, frame, move_of(data))
    while True:  # Step 5. The moves, best first
        move = next_move(worker, frame, tables)
        if move == NO_MOVE:
            break
        if ply == ROOT and not is_root_move(worker, move):
            continue
        number += NEXT
        is_quiet = not is_noisy(position, move)
        if is_quiet and not is_principal and not in_check and best > -LONGEST_MATE:
            if late_quiets_are_hopeless(worker, number, depth):
                skip_quiets(frame)
                continue
        step(worker, tables, ply, move)
        below, deeper = np.int64(ply + NEXT), np.int64(depth - NEXT)
        if deeper > HORIZON:
            prefetch_entry(worker, below)

        score = INFINITY  # Step 6. First by a null window, reduced if late
        if number > NEXT or not is_principal:
            reduction = late_move_reduction(worker, number, depth) if is_quiet and not in_check else NONE
            score = -negamax(worker, tables, below, np.int64(deeper - reduction), np.int64(-alpha - GRAIN), np.int64(-alpha))
            if score > alpha and reduction > NONE:
                score = -negamax(worker, tables, below, deeper, np.int64(-alpha - GRAIN), np.int64(-alpha))
        if is_principal and (number == NEXT or score > alpha):
            score = -negamax(worker, tables, below, deeper, np.int64(-beta), np.int64(-alpha))
        if worker.stopped:
            return DRAW

        if score > best:  # Step 7. Better than before; good enough to alter the line, or to refute this node
            best = score
            if score > alpha:
                alpha, best_move = score, move
                remember_line(worker, ply, move)
                if ply == ROOT:
                    worker.root_score = score
                if score >= beta:
                    if is_quiet:
                        reward_quiet(worker, frame, move, quiets, depth)
                    break
        if is_quiet and quiets < QUIETS_KEPT:
            frame.quiets[quiets] = np.uint16(move)
            quiets += ONE

    if number == NONE:  # Step 8. No legal move: mate or stalemate
        return ply - MATE if in_check else DRAW
    bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
    tell_table(worker, ply, best_move, best, evaluation, depth, bound)
    return best
