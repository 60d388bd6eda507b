"""All that one searching thread changes, as one record: the stack of plies, histories, counters, and where the table lies."""

from __future__ import annotations

import math

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.jit import INT, entry, kernel, load_flag, monotonic_nanoseconds, record
from zobra.engine.layouts import MAX_MOVES, MOVE_LIST, POSITION
from zobra.engine.scores import MAX_PLY
from zobra.search.parameters import PARAMETER_RECORD, PARAMETERS
from zobra.tt.table import TABLE

STACK_PLIES = MAX_PLY + 4
MAX_KEYS = 1024  # earlier positions of the game that can still be repeated; more than 150 plies need an unclaimed draw
MAX_QUIETS = 64
REDUCTION_DEPTHS, REDUCTION_MOVES = 64, 64

# One ply: the position, its moves, and where the move picker stands among them.
FRAME = np.dtype(
    [
        ("position", POSITION),
        ("moves", MOVE_LIST),
        ("scores", "i4", (MAX_MOVES,)),
        ("quiets", "u2", (MAX_QUIETS,)),  # quiet moves searched so far
        ("stage", "i8"),
        ("next", "u8"),  # next move to pick
        ("bad_count", "u8"),  # captures put off because they lose material; they are kept at the head of the list
        ("table_move", "u8"),
        ("killers", "u8", (2,)),
        ("move", "u8"),  # the move being searched from here, 0 for a null move
        ("evaluation", "i8"),
    ],
    align=True,
)

WORKER = np.dtype(
    [
        ("parameters", PARAMETER_RECORD),
        ("table", TABLE),
        ("stop_address", "u8"),  # int64 that other threads set to make the search stop
        ("stopped", "i8"),
        ("nodes", "i8"),
        ("node_limit", "i8"),
        ("deadline", "i8"),  # monotonic nanoseconds, 0 for none
        ("selective_depth", "i8"),
        ("root_key_index", "i8"),  # index of the root's key in `keys`; smaller ones are of the game
        ("root_moves", MOVE_LIST),  # the moves allowed at the root; none: all
        ("reductions", "i8", (REDUCTION_DEPTHS, REDUCTION_MOVES)),  # plies, by depth and move number
        ("history", "i4", (2, 64, 64)),  # by side, from, to: how often a quiet move was best
        ("keys", "u8", (MAX_KEYS + STACK_PLIES,)),
        ("line_length", "i8", (STACK_PLIES,)),
        ("root_score", "i8"),  # score of the root's line, which may be of an unfinished attempt
        ("lines", "u2", (STACK_PLIES, STACK_PLIES)),  # principal variations, by ply
        ("frames", FRAME, (STACK_PLIES,)),
    ],
    align=True,
)
WORKER_TYPE = record(WORKER)

CLOCK_INTERVAL = np.int64(1024)  # nodes between two looks at the clock
ONE_NODE, STOPPED, NO_DEADLINE = np.int64(1), np.int64(1), np.int64(0)
SOONEST, BOTH_SIDES = np.int64(4), np.int64(2)  # plies: the shortest repetition, and from one move of a side to its next


@kernel
def count_node(worker):
    """Count a node, and see whether the search has to stop: once it has, its count stands."""
    if worker.stopped:
        return
    worker.nodes += ONE_NODE
    if worker.nodes >= worker.node_limit:
        worker.stopped = STOPPED
    if worker.nodes % CLOCK_INTERVAL == 0:
        if load_flag(worker.stop_address):
            worker.stopped = STOPPED
        if worker.deadline != NO_DEADLINE and monotonic_nanoseconds() >= worker.deadline:
            worker.stopped = STOPPED


@entry(INT)
def clock_now():
    """The clock that deadlines are measured on, in nanoseconds."""
    return monotonic_nanoseconds()


@kernel
def is_repetition(worker, ply):
    """Has this position been on the board before: once since the root, or twice in all?"""
    position = worker.frames[ply].position
    current = worker.root_key_index + ply
    seen_in_game = False
    back = SOONEST
    while back <= position.repeatable and back <= current:
        if worker.keys[current - back] == position.key:
            if back < ply or seen_in_game:
                return True
            seen_in_game = True
        back += BOTH_SIDES
    return False


@kernel
def is_root_move(worker, move):
    """May this move be played at the root?"""
    count = worker.root_moves.count
    if count == ZERO:
        return True
    index = ZERO
    while index < count:
        if np.uint64(worker.root_moves.moves[index]) == move:
            return True
        index += ONE
    return False


@kernel
def remember_line(worker, ply, move):
    """The principal variation from `ply` is this move and then the one found a ply deeper."""
    length = worker.line_length[ply + 1]
    worker.lines[ply, 0] = np.uint16(move)
    for index in range(length):
        worker.lines[ply, index + 1] = worker.lines[ply + 1, index]
    worker.line_length[ply] = length + 1


def new_worker(parameters: dict[str, int], stop: np.ndarray) -> np.ndarray:
    """A worker: shape (1,), dtype WORKER. `stop` is an int64 array of one element that the caller keeps alive."""
    worker = np.zeros(1, WORKER)
    this = worker[0]
    for parameter in PARAMETERS:
        this["parameters"][parameter.name] = parameters[parameter.name]
    this["stop_address"] = stop.ctypes.data
    base, divisor = parameters["reduction_base"] / 100, parameters["reduction_divisor"] / 100
    for depth in range(1, REDUCTION_DEPTHS):
        for number in range(1, REDUCTION_MOVES):
            this["reductions"][depth, number] = int(base + math.log(depth) * math.log(number) / divisor)
    return worker


def forget(worker: np.ndarray) -> None:
    """A new game: what was learned of moves in the last one does not count."""
    worker["history"] = 0
    worker["frames"]["killers"] = 0
