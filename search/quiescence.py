"""Quiescence: search captures and promotions only, until the position is quiet enough for its evaluation to be trusted.

In check there is no quiet and no score to be taken for granted: captures are searched and quiet moves, of these only one more
after a move that does not lose by mate.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry, kernel
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY
from zobra.engine.see import capture_value
from zobra.search.correction import corrected
from zobra.search.evaluation import evaluate
from zobra.search.history import is_noisy
from zobra.search.node import ask_table, assess, is_draw, step, tell_table
from zobra.search.picker import next_move, next_noisy, skip_quiets, start_picking
from zobra.search.pruning import refined, table_decides
from zobra.search.worker import WORKER_TYPE, count_node, remember_line
from zobra.tt.entry import LOWER, UPPER, move_of, score_from_table, score_of

LAST_PLY = np.int64(MAX_PLY)
FULL_PRICE = np.int64(0)  # no capture may lose material here, whatever its history
NEXT, HORIZON, NO = np.int64(1), np.int64(0), np.int64(0)


@kernel
def most_it_gains(worker, position, move, standing):
    """Delta pruning: the score can hardly rise above what the move wins, and a margin."""
    return standing + capture_value(position, move) + worker.parameters.quiescence_margin


@kernel
def start_quiescence(position, tables, frame, table_move, in_check):
    """Begin the moves of a node; out of check a quiet move of the table is none of them."""
    start_picking(position, tables, frame, table_move)
    if not in_check and frame.table_move != NO_MOVE and not is_noisy(position, frame.table_move):
        frame.table_move = NO_MOVE


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT)
def quiescence(worker, tables, ply, alpha, beta):
    """Score of the quiet end of this line, in centipawns for the side to move; fail-soft within (alpha, beta)."""
    count_node(worker)
    frame = worker.frames[ply]
    position = frame.position
    worker.line_length[ply] = 0
    worker.selective_depth = max(worker.selective_depth, ply)
    if worker.stopped or is_draw(worker, tables, ply):
        return DRAW
    in_check = position.checkers != ZERO
    if ply >= LAST_PLY:
        return DRAW if in_check else corrected(worker, ply, evaluate(worker, tables, ply))

    data = ask_table(worker, position.key)
    known = score_from_table(score_of(data), ply)
    is_principal = beta - alpha > 1
    if data != ZERO and not is_principal and table_decides(position, data, known, HORIZON, alpha, beta):
        return known
    assess(worker, tables, ply, data)
    best, best_move, standing = ply - MATE, NO_MOVE, -INFINITY
    if not in_check:
        best = standing = refined(frame.evaluation, data, known)
        if is_principal and abs(best) >= LONGEST_MATE:  # a mate out of the table would come without its line
            best = standing = frame.evaluation
        if best >= beta:
            if data == ZERO:  # the evaluation is kept for the next time
                tell_table(worker, ply, NO_MOVE, best, HORIZON, LOWER)
            return best
        alpha = max(alpha, best)

    start_quiescence(position, tables, frame, move_of(data), in_check)
    while True:
        move = next_move(worker, tables, ply) if in_check else next_noisy(worker, frame, tables, FULL_PRICE)
        if move == NO_MOVE:
            break
        if in_check and best > -LONGEST_MATE and worker.parameters.quiescence_evasions == NO:
            skip_quiets(frame)
        if not in_check:
            most = most_it_gains(worker, position, move, standing)
            if most <= alpha:
                best = max(best, most)
                continue
        step(worker, tables, ply, move)
        score = -quiescence(worker, tables, np.int64(ply + NEXT), np.int64(-beta), np.int64(-alpha))
        if worker.stopped:
            return DRAW
        if score > best:
            best = score
            if score > alpha:
                alpha, best_move = score, move
                remember_line(worker, ply, move, score)
                if score >= beta:
                    break
    bound = LOWER if best >= beta else UPPER
    tell_table(worker, ply, best_move, best, HORIZON, bound)
    return best
