"""Late move reductions and singular extensions.

Ideas: Chess Programming Wiki, the pages with these names.
"""

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import inlined, kernel
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import LONGEST_MATE
from zobra.search.history import capture_score, is_noisy, quiet_score
from zobra.search.worker import PLY, REDUCTION_DEPTHS, REDUCTION_MOVES
from zobra.tt.entry import EXACT, LOWER

LAST_DEPTH = REDUCTION_DEPTHS - 1
LAST_MOVE = REDUCTION_MOVES - 1


@kernel
def late_move_reduction(worker, node):
    """Return the base reduction of a move in 1024ths of a ply, by depth and move number.

    It is larger if the side to move is not improving.
    """
    depth = np.uint64(min(node.depth, LAST_DEPTH))
    number = np.uint64(min(node.move_count, LAST_MOVE))
    reduction = worker.reductions[depth, number]
    if not node.improving:
        reduction += worker.parameters.reduction_not_improving
    return reduction


@inlined
def adjusted_reduction(worker, ply, move, is_quiet):
    """Return the reduction of a move that has been made, in 1024ths of a ply.

    The base reduction is adjusted by the type of node, checks, history and cutoff counts. Root
    moves are reduced less: missing a deep sacrifice costs games, and the root has few moves.
    """
    parameters = worker.parameters
    node = worker.stack[ply]
    reduction = late_move_reduction(worker, node)
    if node.cut_node:
        reduction += parameters.reduction_cut_node
    if node.pv_node:
        reduction -= parameters.reduction_pv
    if node.tt_pv:
        reduction -= parameters.reduction_tt_pv
    if node.tt_move != NO_MOVE and is_noisy(node.position, node.tt_move):
        reduction += parameters.reduction_noisy_tt_move
    if worker.stack[ply + 1].position.checkers != ZERO:
        reduction -= parameters.reduction_check
    if is_quiet:
        history = quiet_score(worker, ply, move)
    else:
        history = capture_score(worker, node.position, move)
    reduction -= history * PLY // parameters.reduction_history

    if ply == 0:
        return reduction * parameters.reduction_root // PLY
    if worker.stack[ply + 1].cutoff_count > np.uint64(parameters.reduction_cutoffs_number):
        reduction += parameters.reduction_cutoffs
    return reduction


@kernel
def lmr_depth(worker, ply, move, is_quiet, depth):
    """Return the depth of the first search of a move that has been made.

    A late move is reduced, but to no less than one ply, and never extended.
    """
    if worker.stack[ply].move_count <= worker.parameters.reduction_moves:
        return depth
    worker.counters.late_moves += 1
    reduced = depth - adjusted_reduction(worker, ply, move, is_quiet) // PLY
    return max(min(1, depth), min(reduced, depth))


@kernel
def research_depth(worker, ply, depth, score, best):
    """Return the depth of the re-search after a reduced search that failed high.

    It is deeper if the score is far above the best one, and shallower if it is near. Idea:
    Stockfish's do-deeper and do-shallower searches.
    """
    parameters = worker.parameters
    if score > best + parameters.deeper_margin and 0 < ply < 2 * worker.root.depth:
        return depth + 1
    if score < best + parameters.shallower_margin and depth > 1:
        return depth - 1
    return depth


@kernel
def singular_search_allowed(worker, ply, tt_entry, tt_move, depth):
    """Return whether the TT move is tested for a singular extension.

    The depth of its entry must be near, and its score neither an upper bound nor a mate. Nothing is
    extended at the root, or in a line that is twice as deep as the iteration.
    """
    return (
        depth >= worker.parameters.singular_depth
        and 0 < ply < 2 * worker.root.depth
        and worker.stack[ply].excluded == NO_MOVE
        and tt_move != NO_MOVE
        and (tt_entry.bound == LOWER or tt_entry.bound == EXACT)
        and tt_entry.depth >= depth - 3
        and abs(tt_entry.score) < LONGEST_MATE
    )


@kernel
def singular_extension(worker, score, singular_beta, tt_fails_high, pv_node, cut_node):
    """Return the extension of the TT move in plies, after a singular search.

    `score` is the result of that search, in the null window below `singular_beta`. The extension is
    1 to 3, or 0 to -2 if the move is not singular.
    """
    if score < singular_beta:
        if pv_node or score >= singular_beta - worker.parameters.singular_double_margin:
            return 1
        return 2 if score >= singular_beta - worker.parameters.singular_triple_margin else 3
    if tt_fails_high:  # other moves may fail high too
        return -2
    return -1 if cut_node else 0
