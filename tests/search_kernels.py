"""Doors from Python into inner kernels, for the tests alone: each compiles all that it calls, so they are few."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.exchange import exchange_reaches
from zobra.engine.jit import BOOL, INT, VOID, WORD, entry, record
from zobra.engine.layouts import MAX_MOVES, POSITION_TYPE, TABLES_TYPE
from zobra.engine.legality import is_legal
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import INFINITY
from zobra.search.history import add_history, is_noisy, reward_quiet
from zobra.search.negamax import negamax
from zobra.search.node import step
from zobra.search.parameters import default_parameters
from zobra.search.picker import DONE, next_move, next_noisy, start_picking
from zobra.search.pruning import (
    late_move_reduction,
    late_quiets_are_hopeless,
    null_move_depth,
    passing_may_refute,
    standing_far_above_beta,
    table_decides,
)
from zobra.search.quiescence import quiescence
from zobra.search.worker import WORKER_TYPE, is_repetition, new_worker
from zobra.tt.entry import (
    bound_of,
    depth_of,
    evaluation_of,
    generation_of,
    move_of,
    pack,
    score_from_table,
    score_of,
    score_to_table,
)
from zobra.tt.table import TABLE, probe, store

ALL_NUMBERS = 1 << 16  # every 16-bit number, legal move or not
VERDICTS = np.dtype([("legal", "u1", (ALL_NUMBERS,))])
PICKED = np.dtype([("count", "u8"), ("moves", "u2", (MAX_MOVES,)), ("stages", "i8", (MAX_MOVES,))], align=True)
FIELDS = np.dtype([(name, "i8") for name in ("move", "score", "evaluation", "depth", "bound", "generation")], align=True)
GARBAGE_SHIFT = np.uint64(17)  # other bits of a key make other killers
MOVE_MASK = np.uint64(ALL_NUMBERS - 1)
TABLE_TYPE, FIELDS_TYPE = record(TABLE), record(FIELDS)


@entry(BOOL, POSITION_TYPE, TABLES_TYPE, WORD, INT)
def exchange_reaches_from_python(position, tables, move, threshold):
    """`exchange_reaches` as it is."""
    return exchange_reaches(position, tables, move, threshold)


@entry(VOID, POSITION_TYPE, TABLES_TYPE, record(VERDICTS))
def judge_all_numbers(position, tables, verdicts):
    """Ask `is_legal` about every 16-bit number."""
    for number in range(ALL_NUMBERS):
        verdicts.legal[number] = np.uint8(is_legal(position, tables, np.uint64(number)))


@entry(VOID, WORKER_TYPE, TABLES_TYPE, INT, WORD, BOOL, record(PICKED))
def pick_all(worker, tables, ply, table_move, noisy_only, picked):
    """All moves of the picker in their order, and the stage it stood in after each."""
    frame = worker.frames[ply]
    start_picking(frame.position, tables, frame, table_move)
    picked.count = ZERO
    while picked.count < MAX_MOVES:
        move = next_noisy(frame, tables) if noisy_only else next_move(worker, frame, tables)
        if move == ZERO:
            break
        picked.moves[picked.count] = np.uint16(move)
        picked.stages[picked.count] = frame.stage
        picked.count += ONE
    if not noisy_only and frame.stage != DONE:
        picked.count = np.uint64(MAX_MOVES)


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT)
def picker_perft(worker, tables, ply, depth):
    """Perft whose moves come from the picker, with a table move and killers made from the bits of the key."""
    frame = worker.frames[ply]
    find_checks(frame.position, tables)
    key = frame.position.key
    frame.killers[0] = key >> GARBAGE_SHIFT & MOVE_MASK
    frame.killers[1] = frame.killers[0] ^ ONE
    start_picking(frame.position, tables, frame, key & MOVE_MASK)
    total = np.int64(0)
    while True:
        move = next_move(worker, frame, tables)
        if move == ZERO:
            return total
        if depth == 1:
            total += np.int64(1)
        else:
            step(worker, tables, ply, move)
            total += picker_perft(worker, tables, np.int64(ply + 1), np.int64(depth - 1))


@entry(BOOL, WORKER_TYPE, INT)
def repeats(worker, ply):
    """`is_repetition` as it is."""
    return is_repetition(worker, ply)


@entry(WORD, FIELDS_TYPE)
def pack_fields(given):
    """`pack` of the fields of a record."""
    move, generation = np.uint64(given.move), np.uint64(given.generation)
    return pack(move, given.score, given.evaluation, given.depth, given.bound, generation)


@entry(VOID, WORD, FIELDS_TYPE)
def unpack_fields(data, found):
    """Read every field of a data word into a record."""
    found.move, found.score, found.evaluation = np.int64(move_of(data)), score_of(data), evaluation_of(data)
    found.depth, found.bound, found.generation = depth_of(data), bound_of(data), np.int64(generation_of(data))


@entry(INT, INT, INT, BOOL)
def convert_score(score, ply, to_table):
    """`score_to_table`, or `score_from_table`."""
    return score_to_table(score, ply) if to_table else score_from_table(score, ply)


@entry(WORD, TABLE_TYPE, WORD)
def probe_table(table, key):
    """`probe` as it is."""
    return probe(table, key)


@entry(VOID, TABLE_TYPE, WORD, FIELDS_TYPE)
def store_in_table(table, key, given):
    """`store` with the fields of a record (the generation is the table's own)."""
    store(table, key, np.uint64(given.move), given.score, given.evaluation, given.depth, given.bound)


@entry(VOID, WORKER_TYPE, WORD, WORD, INT)
def push_history(worker, side, move, bonus):
    """`add_history` as it is."""
    add_history(worker, side, move, bonus)


@entry(VOID, WORKER_TYPE, INT, WORD, WORD, INT)
def reward(worker, ply, move, quiets_tried, depth):
    """`reward_quiet` in the frame of `ply`."""
    reward_quiet(worker, worker.frames[ply], move, quiets_tried, depth)


@entry(BOOL, POSITION_TYPE, WORD)
def noisy(position, move):
    """`is_noisy` as it is."""
    return is_noisy(position, move)


FAR_ABOVE, PASSING, LATE_QUIETS, NULL_DEPTH, REDUCTION, TABLE_DECIDES = range(6)


@entry(INT, INT, WORKER_TYPE, INT, WORD, INT, INT, INT, INT)
def claim(which, worker, ply, data, evaluation, beta, depth, number):
    """The answer of one predicate of `pruning`; the window is (beta - 1, beta), a table score is `evaluation`."""
    if which == FAR_ABOVE:
        return np.int64(standing_far_above_beta(worker, evaluation, beta, depth))
    if which == PASSING:
        return np.int64(passing_may_refute(worker, ply, evaluation, beta, depth))
    if which == LATE_QUIETS:
        return np.int64(late_quiets_are_hopeless(worker, number, depth))
    if which == NULL_DEPTH:
        return np.int64(null_move_depth(worker, evaluation, beta, depth))
    if which == REDUCTION:
        return np.int64(late_move_reduction(worker, number, depth))
    position = worker.frames[ply].position
    return np.int64(table_decides(position, data, evaluation, depth, beta - np.int64(1), beta))


# Parameters with which nothing is pruned, reduced or remembered: the search is then plain minimax.
PLAIN = {
    "use_table": 0,
    "reverse_futility_depth": 0,
    "null_move_depth": 1_000,
    "reduction_depth": 1_000,
    "late_move_depth": 0,
    "quiescence_margin": 100_000,
}


class Bench:
    """A worker on a position, ready for one call of an inner kernel; `this` is the record to pass."""

    def __init__(self, position: Position, parameters: dict[str, int] | None = None, keys: Iterable[int] = ()) -> None:
        self.stop = np.zeros(1, np.int64)
        self.array = new_worker(default_parameters() | (parameters or {}), self.stop)
        self.this = self.array[0]
        self.this["node_limit"] = np.iinfo(np.int64).max
        self.place(position, keys)

    def place(self, position: Position, keys: Iterable[int] = ()) -> None:
        """Put a position at the root, with the keys of the game before it."""
        earlier = list(keys)
        self.this["root_key_index"] = len(earlier)
        self.this["keys"][: len(earlier) + 1] = np.array([*earlier, position.key], np.uint64)
        self.this["frames"][0]["position"] = position.record
        self.this["nodes"] = self.this["stopped"] = 0

    def search(self, depth: int, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """`negamax` from the root."""
        self.this["nodes"] = 0
        return int(negamax(self.this, TABLES_RECORD, 0, depth, alpha, beta))

    def quiesce(self, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """`quiescence` from the root."""
        self.this["nodes"] = 0
        return int(quiescence(self.this, TABLES_RECORD, 0, alpha, beta))

    def line(self) -> list[int]:
        """The principal variation of the last search."""
        return [int(move) for move in self.this["lines"][0][: self.this["line_length"][0]]]


def fields(**values: int) -> np.ndarray:
    """A FIELDS record, zero where nothing is given."""
    made = np.zeros(1, FIELDS)
    for name, value in values.items():
        made[0][name] = value
    return made[0]


def unpacked(data: int) -> dict[str, int]:
    """{field: value} of a data word."""
    found = np.zeros(1, FIELDS)
    unpack_fields(data, found[0])
    return {name: int(found[0][name]) for name in FIELDS.names or ()}
