"""Quiescence search: captures and promotions only, until the position is quiet enough for its static evaluation.

In check there is no stand-pat. All captures are searched; once a move avoids mate, at most one more quiet move.
"""

from __future__ import annotations

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY
from zobra.engine.see import capture_value
from zobra.search.correction import corrected_evaluation
from zobra.search.draw import is_draw
from zobra.search.evaluation import evaluate
from zobra.search.history import SHARES, is_noisy
from zobra.search.move_picker import legal_or_none, next_capture, next_move, skip_quiets, start_picking
from zobra.search.node import make_move, probe_tt, set_static_evaluation, store_tt
from zobra.search.pruning import tt_adjusted_evaluation, tt_cutoff
from zobra.search.worker import WORKER_TYPE, count_node, update_pv
from zobra.tt.entry import LOWER, UPPER, is_pv, move_of, score_from_table, score_of


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT)
def quiescence(worker, tables, ply, alpha, beta):
    """Quiescence score of the position at `ply`, in centipawns for the side to move; fail-soft within (alpha, beta)."""
    count_node(worker)
    worker.pv_length[ply] = 0
    worker.selective_depth = max(worker.selective_depth, ply)
    node, position, parameters = worker.stack[ply], worker.stack[ply].position, worker.parameters
    if worker.stopped or is_draw(worker, tables, ply):
        return DRAW
    in_check = position.checkers != ZERO
    if ply >= MAX_PLY:
        return DRAW if in_check else corrected_evaluation(worker, ply, evaluate(worker, tables, ply))

    # Step 1. Transposition table
    tt_entry = probe_tt(worker, position.key)
    tt_score = score_from_table(score_of(tt_entry), ply)
    pv_node = beta - alpha > 1
    node.tt_pv = pv_node or is_pv(tt_entry)
    if not pv_node and tt_cutoff(worker, ply, tt_entry, 0, beta, 0):
        return tt_score

    # Step 2. Static evaluation and stand-pat
    set_static_evaluation(worker, tables, ply, tt_entry)
    best, best_move, stand_pat = ply - MATE, NO_MOVE, -INFINITY
    if not in_check:
        best = stand_pat = tt_adjusted_evaluation(node.static_evaluation, tt_entry, tt_score)
        if pv_node and abs(best) >= LONGEST_MATE:  # a mate from the table would have no PV
            best = stand_pat = node.static_evaluation
        if best >= beta:
            if best < LONGEST_MATE:
                best = beta + (best - beta) * parameters.stand_pat_share // SHARES
            if tt_entry == ZERO:  # keeps the evaluation
                store_tt(worker, ply, NO_MOVE, best, 0, LOWER)
            return best
        alpha = max(alpha, best)

    # Step 3. Captures, or evasions, with delta pruning
    tt_move = legal_or_none(position, tables, move_of(tt_entry))
    if not in_check and tt_move != NO_MOVE and not is_noisy(position, tt_move):
        tt_move = NO_MOVE
    start_picking(node, tt_move)
    while True:
        move = next_move(worker, tables, ply) if in_check else next_capture(worker, node, tables, 0)
        if move == NO_MOVE:
            break
        if in_check:
            if best > -LONGEST_MATE and parameters.quiescence_evasions == 0:
                skip_quiets(node)
        else:
            bound = stand_pat + capture_value(position, move) + parameters.quiescence_margin
            if bound <= alpha:
                best = max(best, bound)
                continue
        make_move(worker, tables, ply, move)
        score = -quiescence(worker, tables, ply + 1, -beta, -alpha)
        if worker.stopped:
            return DRAW
        if score > best:
            best = score
            if score > alpha:
                alpha, best_move = score, move
                update_pv(worker, ply, move, score)
                if score >= beta:
                    break

    store_tt(worker, ply, best_move, best, 0, LOWER if best >= beta else UPPER)
    return best
