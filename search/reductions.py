"""Late move reductions and singular extensions.

Ideas: Chess Programming Wiki, pages of these names.
"""

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import inlined, kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE
from zobra.search.history import capture_score, is_noisy, quiet_score
from zobra.search.worker import PLY, REDUCTION_DEPTHS, REDUCTION_MOVES
from zobra.tt.entry import EXACT, LOWER, bound_of, depth_of

LAST_DEPTH, LAST_MOVE = REDUCTION_DEPTHS - 1, REDUCTION_MOVES - 1


@kernel
def late_move_reduction(worker, node):
    """Base reduction of a node's move, in 1024ths of a ply: by depth and move number, and more if
    not improving.
    """
    reduction = worker.reductions[
        np.uint64(min(node.depth, LAST_DEPTH)), np.uint64(min(node.move_count, LAST_MOVE))
    ]
    return reduction if node.improving else reduction + worker.parameters.reduction_worsening


@inlined
def adjusted_reduction(worker, ply, move, is_quiet):
    """The reduction for this move, after it was made: adjusted by the type of node, checks, history
    and cutoff counts. At the root little of it is left: there a sacrifice that needs depth costs a
    game, and the search of it few nodes.
    """
    parameters, node = worker.parameters, worker.stack[ply]
    reduction = late_move_reduction(worker, node) + node.cut_node * parameters.reduction_cut_node
    reduction -= (
        node.pv_node * parameters.reduction_principal + node.tt_pv * parameters.reduction_tt_pv
    )
    if node.tt_move != NO_MOVE and is_noisy(node.position, node.tt_move):
        reduction += parameters.reduction_noisy_table_move
    if worker.stack[ply + 1].position.checkers != ZERO:
        reduction -= parameters.reduction_check
    history = (
        quiet_score(worker, ply, move) if is_quiet else capture_score(worker, node.position, move)
    )
    reduction -= history * PLY // parameters.reduction_history
    if ply == 0:
        return reduction * parameters.reduction_root // PLY
    many_cutoffs = worker.stack[ply + 1].cutoff_count > np.uint64(
        parameters.reduction_cutoffs_number
    )
    return reduction + parameters.reduction_cutoffs if many_cutoffs else reduction


@kernel
def late_move_depth(worker, ply, move, is_quiet, depth):
    """Depth of the first search of a move, after it was made: reduced if it is a late move, but to
    no less than one ply.
    """
    if worker.stack[ply].move_count <= worker.parameters.reduction_moves:
        return depth
    return max(
        min(1, depth), min(depth - adjusted_reduction(worker, ply, move, is_quiet) // PLY, depth)
    )


@kernel
def research_depth(worker, ply, depth, score, best):
    """Depth of the search after a reduced one that failed high: deeper if its score is far above
    the best, shallower if near. Idea: Stockfish's do-deeper and do-shallower searches.
    """
    parameters = worker.parameters
    if score > best + parameters.deeper_margin and 0 < ply < 2 * worker.root.depth:
        return depth + 1
    return depth - 1 if score < best + parameters.shallower_margin and depth > 1 else depth


@kernel
def singular_search_allowed(worker, ply, tt_entry, tt_score, tt_move, depth):
    """Singular extensions: is the TT move tested?

    The table's depth must be near, and its score no upper bound and no mate. Neither the root nor a
    line of twice the iteration's depth is extended.
    """
    return (
        depth >= worker.parameters.singular_depth
        and 0 < ply < 2 * worker.root.depth
        and worker.stack[ply].excluded == NO_MOVE
        and tt_move != NO_MOVE
        and (bound_of(tt_entry) == LOWER or bound_of(tt_entry) == EXACT)
        and depth_of(tt_entry) >= depth - 3
        and abs(tt_score) < LONGEST_MATE
    )


@kernel
def singular_extension(worker, score, bound, tt_fails_high, pv_node, cut_node):
    """Plies to extend the TT move by, after a singular search with upper bound `bound` returned
    `score`; may be negative.
    """
    if score < bound:
        double, triple = (
            worker.parameters.singular_double_margin,
            worker.parameters.singular_triple_margin,
        )
        return 1 if pv_node else 1 + (score < bound - double) + (score < bound - triple)
    if tt_fails_high:  # other moves may fail high too
        return -2
    return -1 if cut_node else 0
