"""The worker: one record with everything that a search thread changes, and the table's address.

It has the search stack, histories and counters.
"""

import numpy as np

from zobra.engine.kernels import (
    INT,
    entry,
    kernel,
    layout,
    load_flag,
    monotonic_nanoseconds,
    record,
)
from zobra.engine.layouts import ACCUMULATOR, MAX_MOVES, MOVE_LIST, POSITION
from zobra.engine.memory import map_memory
from zobra.engine.move import NO_MOVE, from_square, to_square
from zobra.engine.scores import MAX_PLY
from zobra.search.parameters import PARAMETERS
from zobra.search.root import ROOT
from zobra.tt.table import TABLE

STACK_PLIES = MAX_PLY + 4
# Earlier positions that can still be repeated. The 75-move rule ends a game after 150 plies, but
# not every GUI applies it.
MAX_KEYS = 1024
MAX_SEARCHED = 32  # searched moves of a node that are remembered for the malus
REDUCTION_DEPTHS = 64
REDUCTION_MOVES = 64

PARAMETER_RECORD = layout(*((parameter.name, "i8") for parameter in PARAMETERS))

# Histories are indexed by a moved piece and its target square; a row more stands for "no move"
# (null move, before the root).
PIECE_SQUARES = 12 * 64
NOTHING_PLAYED = PIECE_SQUARES
PAWN_STRUCTURES = 512
CORRECTIONS = 1 << 14
BEFORE = 4  # `played` begins this many plies before the root

# One entry of the search stack: the node at a ply, its moves, and the state of its move picker.
NODE = layout(
    ("position", POSITION),
    ("accumulator", ACCUMULATOR),
    ("moves", MOVE_LIST),
    ("scores", "i4", (MAX_MOVES,)),
    ("quiets_searched", "u2", (MAX_SEARCHED,)),  # without a cutoff
    ("captures_searched", "u2", (MAX_SEARCHED,)),  # captures and promotions, without a cutoff
    *((name, "u8") for name in ("quiet_count", "capture_count")),
    ("threats", "u8", (6,)),  # by piece type: squares on which lesser enemy pieces attack it,
    ("checks", "u8", (6,)),  # and squares from which it gives check,
    ("attacked", "u8"),  # and squares that the enemy attacks; 0 until `set_threats`
    ("stage", "i8"),
    ("next", "u8"),  # next move to pick
    ("bad_count", "u8"),  # bad captures, kept at the head of the list
    ("tt_move", "u8"),  # a legal move, 0 for none
    *((name, "i8") for name in ("depth", "move_count", "improving", "pv_node", "cut_node")),
    ("tt_pv", "i8"),  # 1: the position was, or is now, on a principal variation
    ("excluded", "u8"),  # a move left out of a singular search, 0 for none
    ("nodes_before", "i8"),  # nodes counted when the move being searched was made
    ("move", "u8"),  # the move being searched from here, 0 for a null move
    ("cutoff_count", "u8"),  # beta cutoffs at this ply; reset when the node two plies up starts
    ("raw_evaluation", "i8"),  # of the network, without corrections; NO_SCORE in check
    ("static_evaluation", "i8"),  # the same with the correction histories; NO_SCORE in check
)

# What a search did: see Statistics
COUNTERS = layout(
    *((name, "i8") for name in ("tt_hits", "tt_cutoffs", "cutoffs", "first_move_cutoffs")),
    *((name, "i8") for name in ("late_moves", "researches", "failed_windows")),
)

WORKER = layout(
    ("parameters", PARAMETER_RECORD),
    ("tt", TABLE),
    ("network_address", "u8"),  # of the record NETWORK that evaluates
    ("signals_address", "u8"),  # int64s that other threads set: see SIGNALS
    *((name, "i8") for name in ("stopped", "nodes", "node_limit", "selective_depth")),
    ("counters", COUNTERS),
    ("next_check", "i8"),  # node count at which the limits are checked next
    ("check_interval", "i8"),  # nodes between two checks
    ("clock_read", "i8"),  # monotonic nanoseconds at the last check
    ("root_key_index", "i8"),  # index of the root's key in `keys`; smaller ones are of the game
    ("root", ROOT),
    # 1024ths of a ply, by depth and move number
    ("reductions", "i8", (REDUCTION_DEPTHS, REDUCTION_MOVES)),
    ("null_move_min_ply", "i8"),  # ply below which a verification search allows no null move
    ("quiet_history", "i2", (2, 4, 64, 64)),  # by side, threat_index, from, to
    ("capture_history", "i2", (PIECE_SQUARES, 8)),  # and by captured piece type, 6 for none
    ("pawn_history", "i2", (PAWN_STRUCTURES, PIECE_SQUARES)),
    ("continuation_history", "i2", (PIECE_SQUARES + 1, PIECE_SQUARES)),  # by an earlier move
    ("position_correction", "i2", (2, 3, CORRECTIONS)),  # by side to move, and correction keys
    # by the two moves before
    ("continuation_correction", "i2", (PIECE_SQUARES + 1, PIECE_SQUARES + 1)),
    ("played", "u8", (BEFORE + STACK_PLIES,)),  # moved piece and target square of the line's moves
    ("keys", "u8", (MAX_KEYS + STACK_PLIES,)),
    ("pv_length", "i8", (STACK_PLIES,)),
    ("pv", "u2", (STACK_PLIES, STACK_PLIES)),  # triangular table of principal variations, by ply
    ("stack", NODE, (STACK_PLIES,)),
)
WORKER_TYPE = record(WORKER)

# Signals: end at once (not 0); end at this time (monotonic nanoseconds, 0 for never)
STOP = 0
DEADLINE = 1
SIGNALS = 2
DEADLINE_OFFSET = np.uint64(8 * DEADLINE)
PLY = 1024  # reductions are counted in 1024ths of a ply
# Nodes between two checks of the limits. With a deadline they are adapted, so that the clock is
# read about every CLOCK_PERIOD nanoseconds.
MIN_CHECK_INTERVAL = np.int64(16)
MAX_CHECK_INTERVAL = np.int64(1024)
CLOCK_PERIOD = np.int64(500_000)
FIRST_DEPTHS = 4  # plies: these depths are not cut off before MAX_CHECK_INTERVAL nodes
HISTORY_LIMIT = np.int64(1 << 14)  # of any history value
PAWN_MASK = np.uint64(PAWN_STRUCTURES - 1)
CORRECTION_MASK = np.uint64(CORRECTIONS - 1)
# Added to a ply: where `played` has the move one, two or four plies before it, and the move made
# from it.
FIRST_BEFORE, SECOND_BEFORE, FOURTH_BEFORE, PLAYED_HERE = (
    np.int64(BEFORE - back) for back in (1, 2, 4, 0)
)
SQUARES = np.uint64(64)


@kernel
def count_node(worker):
    """Count a node, and stop the search at its node limit, stop signal or deadline.

    After that, nodes are no longer counted.
    """
    if worker.stopped:
        return
    worker.nodes += 1
    if worker.nodes >= worker.next_check:
        check_limits(worker)


@kernel
def clear_counters(worker):
    """Reset the counters of what a search does."""
    counters = worker.counters
    counters.tt_hits = 0
    counters.tt_cutoffs = 0
    counters.cutoffs = 0
    counters.first_move_cutoffs = 0
    counters.late_moves = 0
    counters.researches = 0
    counters.failed_windows = 0


@kernel
def check_limits(worker):
    """Stop the search if it has to end; otherwise set when to check again.

    With a deadline, the interval is adapted to the speed of the thread: one that was descheduled,
    or whose memory is slow, checks again after a few nodes. Without one, the clock is not read.
    """
    deadline = load_flag(worker.signals_address + DEADLINE_OFFSET)
    must_end = load_flag(worker.signals_address) != 0
    interval = MAX_CHECK_INTERVAL
    if deadline != 0:
        now = monotonic_nanoseconds()
        must_end |= now >= deadline
        elapsed = max(np.int64(1), now - worker.clock_read)
        interval = worker.check_interval * CLOCK_PERIOD // elapsed
        interval = max(MIN_CHECK_INTERVAL, min(interval, MAX_CHECK_INTERVAL))
        worker.clock_read = now

    # A search that begins too late finishes its first depths all the same: they take a millisecond,
    # and a move of depth 1 can cost the game.
    if worker.root.depth <= FIRST_DEPTHS and worker.nodes < MAX_CHECK_INTERVAL:
        must_end = False
    if must_end or worker.nodes >= worker.node_limit:
        worker.stopped = 1
    worker.check_interval = interval
    worker.next_check = min(worker.nodes + interval, worker.node_limit)


@entry(INT)
def clock_now():
    """Return the time of the monotonic clock that deadlines refer to, in nanoseconds."""
    return monotonic_nanoseconds()


@kernel
def piece_to(position, move):
    """Return the index of the moved piece and its target square: 0 to PIECE_SQUARES - 1."""
    return np.uint64(position.board[from_square(move)]) * SQUARES + to_square(move)


@kernel
def update_pv(worker, ply, move):
    """Set the principal variation at `ply` to this move and the PV of the next ply.

    A singular search has none.
    """
    if worker.stack[ply].excluded != NO_MOVE:
        return
    length = worker.pv_length[ply + 1]
    worker.pv[ply, 0] = np.uint16(move)
    for index in range(length):
        worker.pv[ply, index + 1] = worker.pv[ply + 1, index]
    worker.pv_length[ply] = length + 1


def new_worker(parameters: dict[str, int], signals: np.ndarray) -> np.ndarray:
    """Return a worker: shape (1,), dtype WORKER.

    `signals` is an int64 array of SIGNALS elements; the caller keeps it alive.
    """
    worker = map_memory(WORKER.itemsize).view(WORKER)
    worker[0]["signals_address"] = signals.ctypes.data
    worker[0]["played"] = NOTHING_PLAYED
    set_parameters(worker, parameters)
    return worker


def set_parameters(worker: np.ndarray, parameters: dict[str, int]) -> None:
    """Set the search parameters of a worker."""
    worker[0]["parameters"] = tuple(parameters[name] for name in PARAMETER_RECORD.names or ())
    base = parameters["reduction_base"] / 100
    divisor = parameters["reduction_divisor"] / 100
    depths = np.log(np.arange(1, REDUCTION_DEPTHS))
    numbers = np.log(np.arange(1, REDUCTION_MOVES))
    worker[0]["reductions"][1:, 1:] = PLY * (base + np.outer(depths, numbers) / divisor)


def clear_histories(worker: np.ndarray) -> None:
    """Set all histories to zero, for a new game."""
    for name in WORKER.names or ():
        if name.endswith(("_history", "_correction")):
            worker[name] = 0
