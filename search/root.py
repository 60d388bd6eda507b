"""The root of a search: how a worker gets it, and the iterative deepening of a helper thread, in one kernel call.

A helper thread needs Python's lock only when its search begins and ends, so a hundred of them do not hold up the first thread.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.game import Game
from zobra.engine.kernels import INT, VOID, copy_record, entry, kernel, record
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.scores import INFINITY, LONGEST_MATE, MAX_PLY
from zobra.search.iterative_deepening import WIDEST_WINDOW
from zobra.search.negamax import negamax
from zobra.search.worker import MAX_KEYS, ROOT_MOVES, WORKER_TYPE
from zobra.tt.table import TABLE

NO_NODE_LIMIT = np.int64(np.iinfo(np.int64).max)
DEEPEST = np.int64(MAX_PLY - 1)

# What a search begins from; the moves are those allowed (none: all), and the last key is the root's.
ROOT = np.dtype(
    [
        ("table", TABLE),
        ("signals_address", "u8"),
        ("position", POSITION),
        ("moves", MOVE_LIST),
        ("key_count", "i8"),
        ("keys", "u8", (MAX_KEYS,)),
    ],
    align=True,
)
ROOT_TYPE = record(ROOT)


def new_root(game: Game, table: np.void, signals: np.ndarray, moves: tuple[int, ...]) -> np.ndarray:
    """The root of a search of a game's present position: shape (1,), dtype ROOT. The caller keeps table and signals alive."""
    array = np.zeros(1, ROOT)
    root = array[0]
    root["table"], root["signals_address"], root["position"] = table, signals.ctypes.data, game.position.record
    root["moves"]["count"] = len(moves)
    root["moves"]["moves"][: len(moves)] = moves
    keys = [*game.keys, game.position.key][-MAX_KEYS:]
    root["key_count"] = len(keys)
    root["keys"][: len(keys)] = np.array(keys, np.uint64)
    return array


@entry(VOID, WORKER_TYPE, ROOT_TYPE)
def set_root(worker, root):
    """Make a worker ready to search a root, without limits."""
    copy_record(worker.table, root.table)
    worker.signals_address = root.signals_address
    worker.node_limit = NO_NODE_LIMIT
    worker.stopped = worker.nodes = worker.root_move = worker.root_number = worker.null_move_min_ply = 0
    worker.completed_depth = worker.selective_depth = 0
    for index in range(ROOT_MOVES):
        worker.root_nodes[index] = 0
    copy_record(worker.root_moves, root.moves)
    worker.root_key_index = root.key_count - 1
    for index in range(root.key_count):
        worker.keys[index] = root.keys[index]
    copy_record(worker.stack[0].position, root.position)
    worker.stack[0].accumulator.computed = 0


@kernel
def aspiration_search(worker, tables, depth, expected):
    """Score of a search to one depth, with an aspiration window around the expected score, at full depth after a fail-high."""
    margin = worker.parameters.aspiration_margin
    alpha, beta = np.int64(-INFINITY), np.int64(INFINITY)
    if depth >= worker.parameters.aspiration_depth and abs(expected) < LONGEST_MATE:
        alpha, beta = np.int64(expected - margin), np.int64(expected + margin)
    worker.root_depth = depth
    while True:
        score = negamax(worker, tables, 0, depth, alpha, beta, 0)
        if worker.stopped or (score > alpha and score < beta):
            return score
        margin *= 2
        if score >= beta:
            beta = np.int64(score + margin if margin <= WIDEST_WINDOW else INFINITY)
        else:
            alpha = np.int64(score - margin if margin <= WIDEST_WINDOW else -INFINITY)


@entry(VOID, WORKER_TYPE, TABLES_TYPE, ROOT_TYPE, INT)
def run_helper(worker, tables, root, depth):
    """Search a root from `depth` on, deeper and deeper, until stopped. The last completed iteration is kept in the worker."""
    set_root(worker, root)
    score = np.int64(0)
    while depth <= DEEPEST:
        worker.selective_depth = worker.root_number = 0
        score = aspiration_search(worker, tables, depth, score)
        if worker.stopped:
            return
        worker.completed_depth, worker.completed_score = depth, score
        worker.completed_pv_length = worker.pv_length[0]
        for index in range(worker.pv_length[0]):
            worker.completed_pv[index] = worker.pv[0, index]
        depth += 1
