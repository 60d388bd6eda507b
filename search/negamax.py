"""The node function of the main search: principal variation search with alpha-beta pruning.

Each step has a heading with the standard name of its technique and its value: the loss of Elo
without it, in 1,000 games at 25,000 nodes per move (docs/strength.md has the margins). `pruning`,
`reductions`, `move_picker` and `node` have the details. Scores are for the side to move, in
internal units (engine/scores.py).
"""

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry
from zobra.engine.layouts import CONSTANTS_TYPE
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
    lmr_depth,
    research_depth,
    singular_extension,
    singular_search_allowed,
)
from zobra.search.root import record_root_move
from zobra.search.threats import set_threats
from zobra.search.worker import WORKER_TYPE, count_node, update_pv

NO, YES = np.int64(0), np.int64(1)  # is it a cut node? A recursive call needs exact types


@entry(INT, WORKER_TYPE, CONSTANTS_TYPE, INT, INT, INT, INT, INT)
def negamax(worker, constants, ply, depth, alpha, beta, cut_node):
    """Return the score of the position at `ply`, searched `depth` plies deep within (alpha, beta).

    The search is fail-soft: the score may lie outside the window. `cut_node` is 1 where a fail-high
    is expected, otherwise 0. After a stop the score is meaningless.
    """
    # Step 1. Quiescence search at the horizon: captures go on until the position is quiet enough
    # for its static evaluation.
    if depth <= 0 or ply >= MAX_PLY:
        return quiescence(worker, constants, ply, alpha, beta)

    count_node(worker)
    worker.pv_length[ply] = 0
    worker.stack[ply + 2].cutoff_count = ZERO
    if worker.stopped:
        return DRAW

    # Step 2. Draws, and mate distance pruning. No line from here is better than a mate with the
    # next move, or worse than being mated now: if a shorter mate is known, this node is of no use.
    if ply > 0 and is_draw(worker, constants, ply):
        return DRAW
    alpha = max(alpha, ply - MATE)
    beta = min(beta, MATE - ply - 1)
    if alpha >= beta:
        return alpha

    node = worker.stack[ply]
    position = node.position
    parameters = worker.parameters
    pv_node = beta - alpha > 1
    in_check = position.checkers != ZERO
    singular_search = node.excluded != NO_MOVE
    may_prune = not pv_node and not singular_search

    # Step 3 (+355 Elo). Transposition table. If the position was searched as deep before, and the
    # bound of its score decides the null window, the search need not be repeated.
    tt_entry = probe_tt(worker, ply)
    if may_prune and tt_cutoff(position, tt_entry, depth, beta):
        worker.counters.tt_cutoffs += 1
        return tt_entry.score

    # Step 4 (correction histories: +49 Elo). Static evaluation, corrected by what searches of
    # similar positions found, and whether it is improving.
    if not singular_search:
        node.tt_pv = tt_entry.tt_pv | pv_node
        set_static_evaluation(worker, ply, tt_entry)
    node.improving = is_improving(worker, ply)

    if may_prune and not in_check:
        evaluation = tt_adjusted_evaluation(node.static_evaluation, tt_entry)

        # Step 5 (+75 Elo). Reverse futility pruning. If the evaluation exceeds beta by more than
        # the opponent usually wins back in the plies that are left, assume a fail-high.
        if reverse_futility_applies(worker, ply, evaluation, beta, depth):
            if evaluation >= LONGEST_MATE:
                return evaluation
            return beta + (evaluation - beta) * parameters.reverse_futility_share // 1024

        # Step 6 (+39 Elo). Null move pruning. If the position is so good that the opponent may move
        # twice and a reduced search still exceeds beta, assume a fail-high. At high depth a search
        # without null moves verifies it, since in zugzwang passing is better than any move.
        if null_move_allowed(worker, ply, evaluation, beta, depth):
            make_move(worker, constants, ply, NO_MOVE)
            null_depth = null_move_depth(worker, evaluation, beta, depth)
            score = -negamax(
                worker, constants, ply + 1, null_depth, -beta, 1 - beta, YES - cut_node
            )

            verification_depth = parameters.null_move_verification_depth
            if score >= beta and depth >= verification_depth and worker.null_move_min_ply == 0:
                worker.null_move_min_ply = ply + 3 * null_depth // 4
                score = negamax(worker, constants, ply, null_depth, beta - 1, beta, NO)
                worker.null_move_min_ply = 0

            if score >= beta:
                return score if score < LONGEST_MATE else beta  # a null move proves no mate

    # Step 7. Internal iterative reductions. A node without a TT move is searched less deep: it was
    # not important so far, and the next iteration will have a move to begin with.
    tt_move = legal_or_none(position, constants, tt_entry.move)
    if ply == 0:  # the best move of the last iteration, whatever the table says
        tt_move = worker.root.moves[worker.root.line].move
    may_reduce = pv_node or cut_node
    if may_reduce and tt_move == NO_MOVE and depth >= parameters.internal_reduction_depth:
        depth -= 1

    # Step 8 (+70 Elo). Singular extensions. If all other moves are worse than the TT move by a
    # margin, it is extended; if they, too, exceed beta, the node is cut off (multicut).
    extension = 0
    if singular_search_allowed(worker, ply, tt_entry, tt_move, depth):
        singular_beta = tt_entry.score - parameters.singular_margin * depth // 16
        node.excluded = tt_move
        score = negamax(
            worker, constants, ply, depth // 2, singular_beta - 1, singular_beta, cut_node
        )
        node.excluded = NO_MOVE
        if LONGEST_MATE > score >= max(singular_beta, beta) and not pv_node:
            return score
        tt_fails_high = tt_entry.score >= beta
        extension = singular_extension(
            worker, score, singular_beta, tt_fails_high, pv_node, cut_node
        )

    # Step 9. Move loop
    start_picking(node, tt_move)
    if ply == 0:  # whose moves come from a list: no picker sets the threats
        set_threats(node, constants)
    node.depth = depth
    node.pv_node = pv_node
    node.cut_node = cut_node

    best = -INFINITY
    best_move = NO_MOVE
    old_alpha = alpha
    while True:
        move = next_search_move(worker, constants, ply)
        if move == NO_MOVE:
            break

        # Step 10. Pruning of single moves: late moves (+59 Elo), moves that cannot bring the
        # evaluation up to alpha (+37), moves that lose material (+45) or have a bad history.
        if ply > 0 and prune_move(worker, constants, ply, move, alpha, best):
            continue

        is_quiet = not is_noisy(position, move)
        make_move(worker, constants, ply, move)
        new_depth = depth - 1
        if move == tt_move:
            new_depth += extension
        score = INFINITY

        # Step 11 (+44 Elo). Late move reductions. Moves are ordered, so a later one is seldom
        # better: it is searched less deep in a null window, and again if it fails high.
        if node.move_count > 1 or not pv_node:
            reduced = lmr_depth(worker, ply, move, is_quiet, new_depth)
            child_cut_node = YES if reduced < new_depth else YES - cut_node
            score = -negamax(
                worker, constants, ply + 1, reduced, -alpha - 1, -alpha, child_cut_node
            )
            if score > alpha and reduced < new_depth:
                worker.counters.researches += 1
                new_depth = research_depth(worker, ply, new_depth, score, best)
                child_cut_node = YES - cut_node
                score = -negamax(
                    worker, constants, ply + 1, new_depth, -alpha - 1, -alpha, child_cut_node
                )

        # Step 12. Principal variation search. In a PV node the first move is searched with the full
        # window, and so is a later one whose null-window search exceeds alpha.
        if pv_node and (node.move_count == 1 or score > alpha):
            score = -negamax(worker, constants, ply + 1, new_depth, -beta, -alpha, NO)

        if worker.stopped:
            return DRAW
        if ply == 0:
            record_root_move(worker, score, alpha)

        # Step 13. A new best move, and perhaps a beta cutoff
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                update_pv(worker, ply, move)
                if score >= beta:
                    worker.counters.cutoffs += 1
                    if node.move_count == 1:
                        worker.counters.first_move_cutoffs += 1
                    history_depth = depth
                    if score > beta + parameters.history_beta_margin:
                        history_depth += 1
                    update_histories(worker, constants, ply, move, is_quiet, history_depth)
                    break
        note_searched(node, move, is_quiet)

    # Step 14. The result: checkmate, stalemate, or the best score
    if singular_search:
        return best if node.move_count > 0 else alpha
    if node.move_count == 0:
        return ply - MATE if in_check else DRAW
    return finish_node(worker, ply, best_move, best, old_alpha, beta)
