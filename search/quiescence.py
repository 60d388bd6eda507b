"""Quiescence search: only captures and promotions, until a static evaluation is reliable.

In check there is no stand-pat. All captures are searched; once a move avoids mate, at most one more
quiet move.
"""

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry
from zobra.engine.layouts import CONSTANTS_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY
from zobra.engine.see import capture_value, see_at_least
from zobra.search.draw import is_draw
from zobra.search.history import is_noisy
from zobra.search.move_picker import (
    legal_or_none,
    next_capture,
    next_move,
    skip_quiets,
    start_picking,
)
from zobra.search.node import (
    make_move,
    probe_tt,
    set_static_evaluation,
    store_tt,
    tt_adjusted_evaluation,
    tt_cutoff,
)
from zobra.search.worker import WORKER_TYPE, count_node, update_pv
from zobra.tt.entry import LOWER, NO_BOUND, NO_ENTRY, UPPER


@entry(INT, WORKER_TYPE, CONSTANTS_TYPE, INT, INT, INT)
def quiescence(worker, constants, ply, alpha, beta):  # noqa: C901, PLR0915
    """Return the quiescence score of the position at `ply` within (alpha, beta); fail-soft."""
    count_node(worker)
    worker.pv_length[ply] = 0
    worker.selective_depth = max(worker.selective_depth, ply)
    if worker.stopped or is_draw(worker, constants, ply):
        return DRAW

    node = worker.stack[ply]
    position = node.position
    parameters = worker.parameters
    pv_node = beta - alpha > 1
    in_check = position.checkers != ZERO
    if ply >= MAX_PLY:
        set_static_evaluation(worker, ply, NO_ENTRY)
        return DRAW if in_check else node.static_evaluation

    # Step 1. Transposition table, whose entries are all deep enough here
    tt_entry = probe_tt(worker, ply)
    if not pv_node and tt_cutoff(position, tt_entry, 0, beta):
        worker.counters.tt_cutoffs += 1
        return tt_entry.score

    # Step 2. Static evaluation and stand-pat: the side to move need not capture, so the evaluation
    # is a lower bound.
    node.tt_pv = tt_entry.tt_pv | pv_node
    set_static_evaluation(worker, ply, tt_entry)
    best = ply - MATE
    best_move = NO_MOVE
    stand_pat = -INFINITY
    if not in_check:
        stand_pat = tt_adjusted_evaluation(node.static_evaluation, tt_entry)
        if pv_node and abs(stand_pat) >= LONGEST_MATE:  # a mate from the table would have no PV
            stand_pat = node.static_evaluation
        best = stand_pat
        if best >= beta:
            if tt_entry.bound == NO_BOUND:  # keeps the evaluation
                store_tt(worker, ply, NO_MOVE, best, 0, LOWER)
            return best
        alpha = max(alpha, best)

    # Step 3. Captures, or evasions
    tt_move = legal_or_none(position, constants, tt_entry.move)
    if not in_check and not is_noisy(position, tt_move):
        tt_move = NO_MOVE
    start_picking(node, tt_move)
    futility_base = stand_pat + parameters.quiescence_margin
    while True:
        if in_check:
            move = next_move(worker, constants, ply)
        else:
            move = next_capture(worker, node, constants)
        if move == NO_MOVE:
            break

        # Step 4. Delta pruning: even the evaluation plus a margin plus the captured piece does not
        # exceed alpha; or the first two do not, and the capture wins no material.
        if not in_check:
            futility_value = futility_base + capture_value(position, move)
            if futility_value <= alpha:
                best = max(best, futility_value)
                continue
            if futility_base <= alpha and not see_at_least(position, constants, move, 1):
                best = max(best, futility_base)
                continue

        # One quiet evasion is enough, once there is a move that does not get mated.
        if in_check and best > -LONGEST_MATE and parameters.quiescence_evasions == 0:
            skip_quiets(node)

        make_move(worker, constants, ply, move)
        score = -quiescence(worker, constants, ply + 1, -beta, -alpha)
        if worker.stopped:
            return DRAW
        if score > best:
            best = score
            if score > alpha:
                alpha = score
                best_move = move
                update_pv(worker, ply, move)
                if score >= beta:
                    break

    store_tt(worker, ply, best_move, best, 0, LOWER if best >= beta else UPPER)
    return best
