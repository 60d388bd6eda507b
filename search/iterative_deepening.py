"""Iterative deepening: searches of the root with increasing depth, in aspiration windows.

One step is the search of one line in its window. The first thread takes its steps from Python and
reports between them. A helper thread takes them in one kernel call: it needs the global interpreter
lock only when its search begins and ends, so a hundred of them do not hold up the first thread.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import INT, VOID, copy_record, entry, kernel, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.move import NO_MOVE
from zobra.engine.position import CONSTANTS_RECORD, Game
from zobra.engine.scores import MAX_PLY
from zobra.search.move_picker import legal_or_none, next_move, start_picking
from zobra.search.negamax import negamax
from zobra.search.node import probe_tt
from zobra.search.root import (
    add_root_move,
    begin_deepening,
    begin_depth,
    confine_root,
    open_window,
    sort_root,
    widen_window,
)
from zobra.search.worker import MAX_KEYS, WORKER_TYPE, clear_counters
from zobra.tt.table import TABLE, Table

NO_NODE_LIMIT = np.int64(np.iinfo(np.int64).max)
DEEPEST = np.int64(MAX_PLY - 1)

# What a step came to: the search was stopped, the window failed, the line was found and others
# follow, or the last line of a depth was found.
STOPPED, WINDOW_FAILED, LINE_FOUND, DEPTH_FINISHED = (np.int64(step) for step in range(4))

# What every thread's search begins from. `moves` are those allowed (none: all); the last key is
# that of the root.
SEARCH = layout(
    ("tt", TABLE),
    ("network_address", "u8"),
    ("signals_address", "u8"),
    ("position", POSITION),
    ("moves", MOVE_LIST),
    ("key_count", "i8"),
    ("keys", "u8", (MAX_KEYS,)),
)
SEARCH_TYPE = record(SEARCH)


def new_search(
    game: Game,
    table: Table,
    network: np.ndarray,
    signals: np.ndarray,
    moves: Sequence[int] | None,
) -> np.ndarray:
    """Return the initial data of a search of a game's current position: shape (1,), dtype SEARCH.

    The search is restricted to `moves` (None: all). The caller keeps table, network (dtype NETWORK)
    and signals alive.
    """
    array = np.zeros(1, SEARCH)
    search = array[0]
    search["tt"] = table.record
    search["network_address"] = network.ctypes.data
    search["signals_address"] = signals.ctypes.data
    search["position"] = game.position.record

    allowed = moves or ()
    search["moves"]["count"] = len(allowed)
    search["moves"]["moves"][: len(allowed)] = allowed

    keys = [*game.keys, game.position.key][-MAX_KEYS:]
    search["key_count"] = len(keys)
    search["keys"][: len(keys)] = keys
    return array


@kernel
def list_root_moves(worker, constants):
    """List the legal moves of the root in the order of the move picker."""
    root = worker.root
    node = worker.stack[0]
    root.count = ZERO
    root.is_confined = 0
    tt_move = legal_or_none(node.position, constants, probe_tt(worker, 0).move)
    start_picking(node, tt_move)
    move = next_move(worker, constants, 0)
    while move != NO_MOVE:
        add_root_move(root, move)
        move = next_move(worker, constants, 0)


@entry(VOID, WORKER_TYPE, CONSTANTS_TYPE, SEARCH_TYPE, INT, INT)
def begin_search(worker, constants, search, first_depth, lines):
    """Prepare a worker to search `lines` lines from `first_depth` on, without limits."""
    copy_record(worker.tt, search.tt)
    worker.network_address = search.network_address
    worker.signals_address = search.signals_address
    worker.node_limit = NO_NODE_LIMIT
    worker.stopped = 0
    worker.nodes = 0
    clear_counters(worker)
    worker.next_check = 0
    worker.check_interval = 0
    worker.clock_read = 0
    worker.null_move_min_ply = 0

    worker.root_key_index = search.key_count - 1
    for index in range(search.key_count):
        worker.keys[index] = search.keys[index]
    copy_record(worker.stack[0].position, search.position)

    list_root_moves(worker, constants)
    if search.moves.count != ZERO:
        confine_root(worker.root, search.moves)
    begin_deepening(worker.root, first_depth, lines)


@entry(INT, WORKER_TYPE, CONSTANTS_TYPE)
def deepen_once(worker, constants):
    """Take one step of iterative deepening, and return its outcome.

    The list of root moves is sorted after a stop too: moves that were searched in time have new
    scores, the others those of the last iteration.
    """
    root = worker.root
    if root.line == root.lines:
        begin_depth(worker)

    worker.selective_depth = 0
    depth = max(np.int64(1), root.depth - root.reduction)
    score = negamax(worker, constants, np.int64(0), depth, root.alpha, root.beta, np.int64(0))
    sort_root(root, root.line, root.count)
    if worker.stopped:
        return STOPPED
    if score <= root.alpha or score >= root.beta:
        worker.counters.failed_windows += 1
        widen_window(worker, score)
        return WINDOW_FAILED

    root.line += ONE
    sort_root(root, ZERO, root.line)
    if root.line == root.lines:
        return DEPTH_FINISHED
    open_window(worker)
    return LINE_FOUND


@kernel
def search_depth(worker, constants):
    """Search the root one depth deeper; return False if the search was stopped."""
    step = deepen_once(worker, constants)
    while step == WINDOW_FAILED or step == LINE_FOUND:
        step = deepen_once(worker, constants)
    return step == DEPTH_FINISHED


@entry(VOID, WORKER_TYPE, CONSTANTS_TYPE, SEARCH_TYPE, INT)
def run_helper(worker, constants, search, first_depth):
    """Search the best line with increasing depth from `first_depth` on, until stopped."""
    begin_search(worker, constants, search, first_depth, np.int64(1))
    while worker.root.depth < DEEPEST and search_depth(worker, constants):
        pass


def steps(worker: np.void, last_depth: int) -> Iterator[int]:
    """Yield the outcome of each step, until the last depth is finished or the search is stopped."""
    step = int(DEPTH_FINISHED)
    while step != STOPPED and (step != DEPTH_FINISHED or worker["root"]["depth"] < last_depth):
        step = int(deepen_once(worker, CONSTANTS_RECORD))
        yield step
