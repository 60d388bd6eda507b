"""All that one searching thread changes, as one record: the stack of plies, histories, counters, and where the table lies."""

from __future__ import annotations

import math

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import INT, entry, kernel, load_flag, monotonic_nanoseconds, record
from zobra.engine.layouts import ACCUMULATOR, MAX_MOVES, MOVE_LIST, POSITION
from zobra.engine.move import NO_MOVE, from_square, to_square
from zobra.engine.scores import MAX_PLY
from zobra.search.parameters import PARAMETER_RECORD, PARAMETERS
from zobra.tt.table import TABLE

STACK_PLIES = MAX_PLY + 4
MAX_KEYS = 1024  # earlier positions of the game that can still be repeated; more than 150 plies need an unclaimed draw
MAX_TRIED = 32
REDUCTION_DEPTHS, REDUCTION_MOVES = 64, 64

# Histories are indexed by a moved piece and its target square; a row more stands for "no move" (null move, before the root).
PIECE_SQUARES = 12 * 64
NOTHING_PLAYED = PIECE_SQUARES
PIECE_KINDS = 6
CAPTURED_KINDS = 8  # piece types, and 6 for none
PAWN_STRUCTURES = 512
CORRECTIONS = 1 << 14
ROOT_MOVES = 64 * 64  # by from and to
BEFORE = 4  # `played` begins this many plies before the root

# One ply: the position, its moves, and where the move picker stands among them.
FRAME = np.dtype(
    [
        ("position", POSITION),
        ("accumulator", ACCUMULATOR),
        ("moves", MOVE_LIST),
        ("scores", "i4", (MAX_MOVES,)),
        ("quiets", "u2", (MAX_TRIED,)),  # quiet moves searched so far
        ("noisies", "u2", (MAX_TRIED,)),  # captures and promotions searched so far
        ("quiet_count", "u8"),
        ("noisy_count", "u8"),
        ("threats", "u8", (PIECE_KINDS,)),  # by piece type: squares on which lesser enemy pieces attack it,
        ("checks", "u8", (PIECE_KINDS,)),  # and squares from which it gives check; set when quiet moves are ordered
        ("stage", "i8"),
        ("next", "u8"),  # next move to pick
        ("bad_count", "u8"),  # captures put off because they lose material; they are kept at the head of the list
        ("table_move", "u8"),
        ("excluded", "u8"),  # a move that must not be searched here: do the others come near it?
        ("nodes_before", "i8"),  # nodes counted when the move being searched was made
        ("move", "u8"),  # the move being searched from here, 0 for a null move
        ("cutoffs", "u8"),  # refutations found at this ply since its grandparent was begun
        ("static", "i8"),  # the evaluation of the position as such, NO_SCORE in check
        ("evaluation", "i8"),  # the same, corrected by what searches of like positions found; NO_SCORE in check
    ],
    align=True,
)

WORKER = np.dtype(
    [
        ("parameters", PARAMETER_RECORD),
        ("table", TABLE),
        ("signals_address", "u8"),  # int64s that other threads set: see SIGNALS
        ("stopped", "i8"),
        ("nodes", "i8"),
        ("node_limit", "i8"),
        ("selective_depth", "i8"),
        ("root_depth", "i8"),  # plies that the root is searched now
        ("root_key_index", "i8"),  # index of the root's key in `keys`; smaller ones are of the game
        ("root_moves", MOVE_LIST),  # the moves allowed at the root; none: all
        ("root_move", "i8"),  # the one being searched, for whoever asks,
        ("root_number", "i8"),  # and how many have been begun in this attempt
        ("reductions", "i8", (REDUCTION_DEPTHS, REDUCTION_MOVES)),  # 1024ths of a ply, by depth and move number
        ("no_null_move_before", "i8"),  # ply; while a null move's cutoff is verified
        ("quiet_history", "i2", (2, 64, 64)),  # by side, from, to
        ("capture_history", "i2", (PIECE_SQUARES, CAPTURED_KINDS)),
        ("pawn_history", "i2", (PAWN_STRUCTURES, PIECE_SQUARES)),
        ("continuation_history", "i2", (PIECE_SQUARES + 1, PIECE_SQUARES)),  # by an earlier move, and the move
        ("pawn_correction", "i2", (2, CORRECTIONS)),  # by side to move and structure key
        ("piece_correction", "i2", (2, 2, CORRECTIONS)),  # by side to move, and colour and key of the pieces
        ("continuation_correction", "i2", (PIECE_SQUARES + 1, PIECE_SQUARES + 1)),  # by the two moves before
        ("played", "u8", (BEFORE + STACK_PLIES,)),  # piece and target square of the line's moves
        ("keys", "u8", (MAX_KEYS + STACK_PLIES,)),
        ("line_length", "i8", (STACK_PLIES,)),
        ("root_nodes", "i8", (ROOT_MOVES,)),  # nodes spent on the moves of the root, by from and to
        ("root_score", "i8"),  # score of the root's line, which may be of an unfinished attempt
        ("lines", "u2", (STACK_PLIES, STACK_PLIES)),  # principal variations, by ply
        ("frames", FRAME, (STACK_PLIES,)),
    ],
    align=True,
)
WORKER_TYPE = record(WORKER)

STOP, DEADLINE = 0, 1  # signals: end at once (not 0); end at this time (monotonic nanoseconds, 0 for never)
SIGNALS = 2
DEADLINE_OFFSET = np.uint64(8 * DEADLINE)
HUNDREDTHS = 100  # the parameters of the reductions are counted in them
PLY = 1024  # reductions are counted in fractions of a ply
CLOCK_INTERVAL = np.int64(1024)  # nodes between two looks at the clock
ONE_NODE, ONE_MOVE, STOPPED, NO_DEADLINE = np.int64(1), np.int64(1), np.int64(1), np.int64(0)
LIMIT = np.int64(1 << 14)  # of any history value
PAWN_MASK = np.uint64(PAWN_STRUCTURES - 1)
# Added to a ply, where in `played` the move one, two or four plies before is; and the one made from the ply itself.
FIRST_BEFORE, SECOND_BEFORE, FOURTH_BEFORE, PLAYED_HERE = (np.int64(BEFORE - back) for back in (1, 2, 4, 0))
SQUARES = np.uint64(64)
TWICE = np.int64(2)
ROOT, GRANDCHILD, ROOT_MOVE_MASK = np.int64(0), np.int64(2), np.uint64(ROOT_MOVES - 1)
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
        if load_flag(worker.signals_address):
            worker.stopped = STOPPED
        deadline = load_flag(worker.signals_address + DEADLINE_OFFSET)
        if deadline != NO_DEADLINE and monotonic_nanoseconds() >= deadline:
            worker.stopped = STOPPED


@entry(INT)
def clock_now():
    """The clock that deadlines are measured on, in nanoseconds."""
    return monotonic_nanoseconds()


@kernel
def begin_node(worker, ply):
    """Count a node of the full search, and forget what its ply knew of another one."""
    count_node(worker)
    worker.line_length[ply] = 0
    worker.frames[ply + GRANDCHILD].cutoffs = ZERO


@kernel
def may_be_lengthened(worker, ply):
    """May the line be searched deeper here? Not from the root, and not at twice the depth already: it would have no end."""
    return ROOT < ply < TWICE * worker.root_depth


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
def piece_to(position, move):
    """Index of the moved piece and its target square: 0 to PIECE_SQUARES - 1."""
    return np.uint64(position.board[from_square(move)]) * SQUARES + to_square(move)


@kernel
def is_root_move(worker, move):
    """May this move, which is next at the root, be played there? If so, it is noted as the one being searched."""
    count = worker.root_moves.count
    index = ZERO
    while index < count and np.uint64(worker.root_moves.moves[index]) != move:
        index += ONE
    if count != ZERO and index == count:
        return False
    worker.root_move = np.int64(move)
    worker.root_number += ONE_MOVE
    return True


@kernel
def count_root_nodes(worker, ply, move):
    """At the root, note what a move has cost."""
    if ply == ROOT:
        worker.root_nodes[move & ROOT_MOVE_MASK] += worker.nodes - worker.frames[ROOT].nodes_before


@kernel
def remember_line(worker, ply, move, score):
    """The principal variation from `ply` is this move and then the one found a ply deeper."""
    if worker.frames[ply].excluded != NO_MOVE:  # the line of a question, not of the node
        return
    if ply == ROOT:
        worker.root_score = score
    length = worker.line_length[ply + 1]
    worker.lines[ply, 0] = np.uint16(move)
    for index in range(length):
        worker.lines[ply, index + 1] = worker.lines[ply + 1, index]
    worker.line_length[ply] = length + 1


def new_worker(parameters: dict[str, int], signals: np.ndarray) -> np.ndarray:
    """A worker: shape (1,), dtype WORKER. `signals` is an int64 array of SIGNALS elements that the caller keeps alive."""
    worker = np.zeros(1, WORKER)
    worker[0]["signals_address"] = signals.ctypes.data
    worker[0]["played"] = NOTHING_PLAYED
    set_parameters(worker, parameters)
    return worker


def set_parameters(worker: np.ndarray, parameters: dict[str, int]) -> None:
    """Let a worker search by these numbers from now on."""
    this = worker[0]
    for parameter in PARAMETERS:
        this["parameters"][parameter.name] = parameters[parameter.name]
    base, divisor = parameters["reduction_base"] / HUNDREDTHS, parameters["reduction_divisor"] / HUNDREDTHS
    for depth in range(1, REDUCTION_DEPTHS):
        for number in range(1, REDUCTION_MOVES):
            this["reductions"][depth, number] = int(PLY * (base + math.log(depth) * math.log(number) / divisor))


def forget(worker: np.ndarray) -> None:
    """A new game: what was learned of moves in the last one does not count."""
    for name in WORKER.names or ():
        if name.endswith(("_history", "_correction")):
            worker[name] = 0
