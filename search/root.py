"""The root of a search: its moves with their results, and the state of iterative deepening.

`negamax` takes the root moves from this list, in its order. After each window the list is sorted,
so its first moves begin the best lines. Nothing else steers the root, and all reports about a
search come from this list. Idea: Stockfish's RootMoves.
"""

from typing import NamedTuple

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import copy_record, kernel, layout
from zobra.engine.layouts import MAX_MOVES
from zobra.engine.move import NO_MOVE
from zobra.engine.scores import INFINITY, LONGEST_MATE, MAX_PLY
from zobra.tt.entry import EXACT, LOWER, UPPER

REFUTED = -INFINITY  # the score of a move that a null window showed to be no better than another
WIDEST_WINDOW = 1_000  # internal units; a wider window is opened to infinity

# A move and the line that it begins. `score` is that of the current iteration; the line, with
# `bound`, `depth` and `selective_depth`, is the last one that was not refuted.
ROOT_MOVE = layout(
    ("move", "u8"),
    ("score", "i8"),  # internal units, REFUTED if the line is older
    ("previous_score", "i8"),  # the score at the end of the last iteration
    ("bound", "i8"),  # EXACT, LOWER or UPPER, as in the transposition table
    ("nodes", "i8"),  # spent on this move in all iterations
    ("depth", "i8"),  # of the iteration, in plies; 0: there is no line yet
    ("selective_depth", "i8"),
    ("pv_length", "u8"),
    ("pv", "u2", (MAX_PLY + 1,)),
)

# The list, and where iterative deepening is. Lines before the current one are finished.
ROOT = layout(
    ("count", "u8"),
    ("moves", ROOT_MOVE, (MAX_MOVES,)),
    ("spare", ROOT_MOVE),  # room for sorting
    ("is_confined", "i8"),  # 1: the list lacks some of the legal moves
    ("current", "u8"),  # index of the move being searched
    ("depth", "i8"),  # plies of the current iteration
    ("line", "u8"),  # index of the line being searched
    ("lines", "u8"),  # how many lines are wanted (MultiPV)
    ("alpha", "i8"),  # the aspiration window of the line,
    ("beta", "i8"),
    ("margin", "i8"),  # by how much it was opened or widened,
    ("reduction", "i8"),  # and the plies that fail-highs took off the depth
)


@kernel
def add_root_move(root, move):
    """Append a move to the list."""
    added = root.moves[root.count]
    added.move = move
    added.score = REFUTED
    added.previous_score = REFUTED
    added.nodes = 0
    added.depth = 0
    root.count += ONE


@kernel
def confine_root(root, allowed):
    """Remove all moves that are not allowed from the list."""
    kept = ZERO
    for index in range(root.count):
        for number in range(allowed.count):
            if root.moves[index].move == np.uint64(allowed.moves[number]):
                root.moves[kept].move = root.moves[index].move
                kept += ONE
                break
    root.is_confined = np.int64(kept < root.count)
    root.count = kept


@kernel
def next_root_move(worker):
    """Return and count the next root move to search, or return NO_MOVE after the last.

    The first moves of better lines are left out.
    """
    root = worker.root
    node = worker.stack[0]
    index = root.line + np.uint64(node.move_count)
    if index >= root.count:
        return NO_MOVE

    node.move_count += 1
    root.current = index
    return root.moves[index].move


@kernel
def record_root_move(worker, score, alpha):
    """Store the score of the move just searched, and its line unless another move is better."""
    root = worker.root
    record = root.moves[root.current]
    record.nodes += worker.nodes - worker.stack[0].nodes_before
    if root.current > root.line and score <= alpha:
        record.score = REFUTED
        return

    record.score = score
    record.bound = EXACT
    if score >= root.beta:
        record.bound = LOWER
    elif score <= root.alpha:
        record.bound = UPPER
    record.depth = root.depth
    record.selective_depth = max(root.depth, worker.selective_depth)

    record.pv[0] = np.uint16(record.move)
    record.pv_length = np.uint64(worker.pv_length[1]) + ONE
    for index in range(worker.pv_length[1]):
        record.pv[index + 1] = worker.pv[1, index]


@kernel
def is_partial_root(root):
    """Return whether any legal move is left out of the search of the root."""
    return root.is_confined != 0 or root.line > ZERO


@kernel
def is_better(one, other):
    """Return whether a root move has a better score than another, by the last score if equal."""
    if one.score != other.score:
        return one.score > other.score
    return one.previous_score > other.previous_score


@kernel
def sort_root(root, first, end):
    """Sort the moves from index `first` to `end` - 1, best first; the sort is stable."""
    for index in range(first + ONE, end):
        copy_record(root.spare, root.moves[index])
        place = np.uint64(index)
        while place > first and is_better(root.spare, root.moves[place - ONE]):
            copy_record(root.moves[place], root.moves[place - ONE])
            place -= ONE
        if place < index:
            copy_record(root.moves[place], root.spare)


@kernel
def begin_deepening(root, first_depth, lines):
    """Make the next step search the first of `lines` lines to `first_depth`."""
    root.depth = first_depth - 1
    root.lines = min(np.uint64(lines), root.count)
    root.line = root.lines
    root.current = ZERO


@kernel
def begin_depth(worker):
    """Begin the next iteration."""
    root = worker.root
    root.depth += 1
    root.line = ZERO
    for index in range(root.count):
        root.moves[index].previous_score = root.moves[index].score
    open_window(worker)


@kernel
def open_window(worker):
    """Set the window of a line around its last score, or infinite at low depth or near a mate."""
    root = worker.root
    root.reduction = 0
    root.margin = worker.parameters.aspiration_margin
    root.alpha = -INFINITY
    root.beta = INFINITY
    expected = root.moves[root.line].previous_score
    if root.depth >= worker.parameters.aspiration_depth and abs(expected) < LONGEST_MATE:
        root.alpha = expected - root.margin
        root.beta = expected + root.margin


@kernel
def widen_window(worker, score):
    """Widen the window on the side on which the search failed with this score.

    After a fail-high the depth is reduced, because the move is good in any case; after a fail-low
    the other bound moves closer. Idea: Stockfish.
    """
    root = worker.root
    root.margin *= 2
    is_open = root.margin > WIDEST_WINDOW
    if score >= root.beta:
        root.reduction = min(root.reduction + 1, worker.parameters.aspiration_reduction)
        root.beta = INFINITY if is_open else score + root.margin
    else:
        root.reduction = 0
        root.beta = (root.alpha + root.beta) // 2
        root.alpha = -INFINITY if is_open else score - root.margin


class RootLine(NamedTuple):
    """A line that begins with a root move.

    `score` is in internal units or to mate, and EXACT or a bound, as `bound` says (tt/entry.py).
    `nodes` are those spent on the move in all iterations.
    """

    depth: int
    selective_depth: int
    score: int
    bound: int
    moves: tuple[int, ...]
    nodes: int = 0


def root_lines(root: np.void) -> list[RootLine]:
    """Return the lines of a record of layout ROOT, best first, at most as many as were asked for.

    A line that the current iteration has not searched yet is that of the last one.
    """
    lines = []
    for record in root["moves"][: int(root["lines"])]:
        score = int(record["score"])
        if score == REFUTED:
            score = int(record["previous_score"])
        if record["depth"] == 0 or score == REFUTED:
            continue
        lines.append(
            RootLine(
                depth=int(record["depth"]),
                selective_depth=int(record["selective_depth"]),
                score=score,
                bound=int(record["bound"]),
                moves=tuple(record["pv"][: int(record["pv_length"])].tolist()),
                nodes=int(record["nodes"]),
            )
        )
    return lines
