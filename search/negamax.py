"""The node function of the main search: negamax with alpha-beta pruning, as principal variation
search.

Each step has a heading with the standard name of its technique; `pruning`, `reductions`,
`move_picker` and `node` have the details. Scores are centipawns for the side to move.
"""

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry
from zobra.engine.layouts import TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY
from zobra.search.draw import is_draw
from zobra.search.history import is_noisy, note_searched, update_histories
from zobra.search.move_picker import legal_or_none, next_search_move, start_picking
from zobra.search.node import (
    finish_node,
    make_move,
    probe_tt,
    set_static_evaluation,
    tt_adjusted_evaluation,
    tt_cutoff,
)
from zobra.search.pruning import (
    is_improving,
    null_move_allowed,
    null_move_depth,
    prune_move,
    reverse_futility_applies,
)
from zobra.search.quiescence import quiescence
from zobra.search.reductions import (
    late_move_depth,
    research_depth,
    singular_extension,
    singular_search_allowed,
)
from zobra.search.root import record_root_move
from zobra.search.threats import set_threats
from zobra.search.worker import WORKER_TYPE, count_node, update_pv
from zobra.tt.entry import move_of, pv_of, score_from_table, score_of

NO, YES = np.int64(0), np.int64(1)  # is it a cut node? A recursive call needs exact types


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT, INT, INT, INT)
def negamax(worker, tables, ply, depth, alpha, beta, cut_node):
    """Score of the position at `ply`, searched `depth` plies deep within (alpha, beta); fail-soft.

    `cut_node` is 0 or 1.
    """
    # Step 1. Quiescence search at the horizon
    if depth <= 0 or ply >= MAX_PLY:
        return quiescence(worker, tables, ply, alpha, beta)
    count_node(worker)
    worker.pv_length[ply], worker.stack[ply + 2].cutoff_count = 0, ZERO
    # Step 2. Draws, and mate distance pruning
    if worker.stopped or (ply > 0 and is_draw(worker, tables, ply)):
        return DRAW
    alpha, beta = max(alpha, ply - MATE), min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha
    node, position, parameters = worker.stack[ply], worker.stack[ply].position, worker.parameters
    pv_node, in_check, is_singular_search = (
        beta - alpha > 1,
        position.checkers != ZERO,
        node.excluded != NO_MOVE,
    )
    may_prune = not pv_node and not is_singular_search
    # Step 3. Transposition table
    tt_entry = probe_tt(worker, position.key)
    tt_score = score_from_table(score_of(tt_entry), ply)
    if may_prune and tt_cutoff(position, tt_entry, tt_score, depth, beta):
        return tt_score
    # Step 4. Static evaluation
    if not is_singular_search:
        node.tt_pv = pv_of(tt_entry) | pv_node
        set_static_evaluation(worker, tables, ply, tt_entry)
    node.improving = is_improving(worker, ply)
    if may_prune and not in_check:
        evaluation = tt_adjusted_evaluation(node.static_evaluation, tt_entry, tt_score)
        # Step 5. Reverse futility pruning
        if reverse_futility_applies(worker, ply, evaluation, beta, depth):
            surplus = (evaluation - beta) * parameters.reverse_futility_share // 1024
            return beta + surplus if evaluation < LONGEST_MATE else evaluation
        # Step 6. Null move pruning, with verification at high depth
        if null_move_allowed(worker, ply, evaluation, beta, depth):
            make_move(worker, tables, ply, NO_MOVE)
            null_depth = null_move_depth(worker, evaluation, beta, depth)
            score = -negamax(worker, tables, ply + 1, null_depth, -beta, 1 - beta, YES - cut_node)
            if (
                score >= beta
                and depth >= parameters.null_move_verification_depth
                and worker.null_move_min_ply == 0
            ):
                worker.null_move_min_ply = ply + 3 * null_depth // 4
                score = negamax(worker, tables, ply, null_depth, beta - 1, beta, NO)
                worker.null_move_min_ply = 0
            if score >= beta:
                return score if score < LONGEST_MATE else beta  # a null move proves no mate
    # Step 7. Internal iterative reductions
    tt_move = legal_or_none(position, tables, move_of(tt_entry))
    if ply == 0:  # the best move of the last iteration, whatever the table says
        tt_move = worker.root.moves[worker.root.line].move
    if (
        tt_move == NO_MOVE
        and depth >= parameters.internal_reduction_depth
        and (pv_node or cut_node)
    ):
        depth -= 1
    # Step 8. Singular extensions and multicut
    extension = 0
    if singular_search_allowed(worker, ply, tt_entry, tt_score, tt_move, depth):
        bound = tt_score - parameters.singular_margin * depth // 16
        node.excluded = tt_move
        score = negamax(worker, tables, ply, depth // 2, bound - 1, bound, cut_node)
        node.excluded = NO_MOVE
        if LONGEST_MATE > score >= max(bound, beta) and not pv_node:
            return score
        extension = singular_extension(worker, score, bound, tt_score >= beta, pv_node, cut_node)
    # Step 9. Move loop
    start_picking(node, tt_move)
    if ply == 0:  # whose moves come from a list: no picker sets the threats
        set_threats(node, tables)
    node.depth, node.pv_node, node.cut_node = depth, pv_node, cut_node
    best, best_move, old_alpha = -INFINITY, NO_MOVE, alpha
    while True:
        move = next_search_move(worker, tables, ply)
        if move == NO_MOVE:
            break
        # Step 10. Late move, futility, history and SEE pruning
        if ply > 0 and prune_move(worker, tables, ply, move, alpha, best):
            continue
        is_quiet = not is_noisy(position, move)
        make_move(worker, tables, ply, move)
        new_depth, score = depth - 1 + (extension if move == tt_move else 0), INFINITY
        # Step 11. Null window search with late move reductions; a re-search if the reduced search
        # fails high
        if node.move_count > 1 or not pv_node:
            lmr = late_move_depth(worker, ply, move, is_quiet, new_depth)
            score = -negamax(
                worker,
                tables,
                ply + 1,
                lmr,
                -alpha - 1,
                -alpha,
                YES if lmr < new_depth else YES - cut_node,
            )
            if score > alpha and lmr < new_depth:
                new_depth = research_depth(worker, ply, new_depth, score, best)
                score = -negamax(
                    worker, tables, ply + 1, new_depth, -alpha - 1, -alpha, YES - cut_node
                )
        # Step 12. Principal variation search
        if pv_node and (node.move_count == 1 or score > alpha):
            score = -negamax(worker, tables, ply + 1, new_depth, -beta, -alpha, NO)
        if worker.stopped:
            return DRAW
        if ply == 0:
            record_root_move(worker, score, alpha)
        # Step 13. A new best move, and perhaps a beta cutoff
        if score > best:
            best = score
            if score > alpha:
                alpha, best_move = score, move
                update_pv(worker, ply, move)
                if score >= beta:
                    history_depth = depth + (score > beta + parameters.history_beta_margin)
                    update_histories(worker, tables, ply, move, is_quiet, history_depth)
                    break
        note_searched(node, move, is_quiet)
    # Step 14. Checkmate, stalemate, or the result of the node
    if node.move_count == 0:
        return alpha if is_singular_search else (ply - MATE if in_check else DRAW)
    return (
        best if is_singular_search else finish_node(worker, ply, best_move, best, old_alpha, beta)
    )
