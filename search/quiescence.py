"""Quiescence search: captures and promotions only, until the position is quiet enough for its static evaluation.

In check there is no stand-pat. All captures are searched; once a move avoids mate, at most one more quiet move.
"""

from __future__ import annotations

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry, kernel
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


@kernel
def delta_bound(worker, position, move, stand_pat):
    """Delta pruning: the most that a capture can raise the score to, a margin included."""
    return stand_pat + capture_value(position, move) + worker.parameters.quiescence_margin


@kernel
def quiescence_tt_move(position, tables, move, in_check):
    """The table's move if it is legal here. Out of check, a quiet TT move is ignored."""
    tt_move = legal_or_none(position, tables, move)
    return tt_move if in_check or tt_move == NO_MOVE or is_noisy(position, tt_move) else NO_MOVE


@kernel
def next_quiescence_move(worker, tables, ply, best):
    """The next capture, or in check the next move; NO_MOVE after the last. No quiet evasion follows one that avoids mate."""
    node = worker.stack[ply]
    if node.position.checkers == ZERO:
        return next_capture(worker, node, tables, 0)
    move = next_move(worker, tables, ply)
    if best > -LONGEST_MATE and worker.parameters.quiescence_evasions == 0:
        skip_quiets(node)
    return move


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT)
def quiescence(worker, tables, ply, alpha, beta):
    """Quiescence score of the position at `ply`, in centipawns for the side to move; fail-soft within (alpha, beta)."""
    count_node(worker)
    worker.pv_length[ply] = 0
    worker.selective_depth = max(worker.selective_depth, ply)
    node, position = worker.stack[ply], worker.stack[ply].position
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
                best = beta + (best - beta) * worker.parameters.stand_pat_share // SHARES
            if tt_entry == ZERO:  # keeps the evaluation
                store_tt(worker, ply, NO_MOVE, best, 0, LOWER)
            return best
        alpha = max(alpha, best)

    # Step 3. Captures, or evasions, with delta pruning
    start_picking(node, quiescence_tt_move(position, tables, move_of(tt_entry), in_check))
    while True:
        move = next_quiescence_move(worker, tables, ply, best)
        if move == NO_MOVE:
            break
        if not in_check:
            bound = delta_bound(worker, position, move, stand_pat)
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
