"""Doors from Python into the kernels of the search, for the tests alone."""

import inspect
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import INT, VOID, WORD, Entry, entry, kernel, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, MAX_MOVES, POSITION_TYPE
from zobra.engine.legality import is_legal
from zobra.engine.make import key_after
from zobra.engine.network import built_in_network, evaluate_anew
from zobra.engine.position import CONSTANTS_RECORD, Game, Position
from zobra.engine.scores import INFINITY
from zobra.search.history import (
    capture_score,
    note_searched,
    quiet_score,
    update_correction_histories,
    update_histories,
)
from zobra.search.iterative_deepening import begin_search, new_search
from zobra.search.move_picker import legal_or_none, next_move, skip_quiets, start_picking
from zobra.search.negamax import negamax
from zobra.search.node import make_move
from zobra.search.parameters import default_parameters
from zobra.search.quiescence import quiescence
from zobra.search.root import ROOT, begin_depth, open_window, sort_root, widen_window
from zobra.search.threats import set_threats
from zobra.search.worker import NODE, SIGNALS, WORKER_TYPE, count_node, new_worker
from zobra.tt.entry import NO_BOUND, TTEntry, pack, unpack
from zobra.tt.table import TABLE, Table, probe, store

ALL_NUMBERS = 1 << 16  # every 16-bit number, legal move or not
# An entry of the table as a record: kernels read its fields like those of a TTEntry.
FIELDS = layout(("move", "u8"), *((name, "i8") for name in TTEntry._fields[1:]))
FIELDS_TYPE = record(FIELDS)
TABLE_TYPE = record(TABLE)
VERDICTS = np.dtype([("legal", "u1", (ALL_NUMBERS,))])
PICKED = np.dtype(
    [("count", "u8"), ("moves", "u2", (MAX_MOVES,)), ("stages", "i8", (MAX_MOVES,))], align=True
)
MOVE_MASK = np.uint64(ALL_NUMBERS - 1)
DEFAULTS = default_parameters()

# The types of a kernel's arguments by their names; all others are INT
TYPES = {
    "worker": WORKER_TYPE,
    "constants": CONSTANTS_TYPE,
    "position": POSITION_TYPE,
    "node": record(NODE),
    "table": TABLE_TYPE,
    "root": record(ROOT),
    "tt_entry": FIELDS_TYPE,
}
WORDS = ("move", "tt_move", "data", "key", "generation", "from_", "to", "flag")
TYPES |= dict.fromkeys((*WORDS, "first", "end"), WORD)
# What kernels return; all others return INT
NO_RESULT = (
    count_node,
    make_move,
    note_searched,
    begin_depth,
    open_window,
    set_threats,
    sort_root,
    store,
    update_correction_histories,
    update_histories,
    widen_window,
)
RETURNS = dict.fromkeys(NO_RESULT, VOID)
RETURNS |= dict.fromkeys((pack, key_after), WORD)


@cache
def door(kernel: Any) -> tuple[list[str], Entry]:
    """Return the names of a kernel's arguments, and the kernel as an entry that Python can call."""
    names = list(inspect.signature(kernel.function).parameters)
    types = [TYPES.get(name, INT) for name in names]
    make_entry = entry(RETURNS.get(kernel, INT), *types)
    return names, make_entry(kernel.function)


def call(kernel: Any, bench: "Workbench | None" = None, ply: int = 1, **values: Any) -> int:
    """Call a kernel about the node at `ply` of a bench.

    Its records come from the bench; numbers that are not given are 0.
    """
    names, enter = door(kernel)
    unknown = values.keys() - set(names)
    assert not unknown, f"{unknown} are no arguments of {kernel.function.__name__}"
    values["ply"] = ply
    if bench is not None:
        node = bench.this["stack"][ply]
        values |= {
            "worker": bench.this,
            "constants": CONSTANTS_RECORD,
            "table": bench.this["tt"],
            "position": node["position"],
            "node": node,
            "root": bench.this["root"],
        }
    return enter(*(values.get(name, 0) for name in names))


def node_at(fen: str, ply: int = 1, previous_move: int = 1, **values: Any) -> "Workbench":
    """Return a bench with a node at `ply`, reached by `previous_move`.

    A value is a search parameter, or a field of the node or of the worker.
    """
    parameters = {name: value for name, value in values.items() if name in DEFAULTS}
    bench = Workbench(parse_fen(START), parameters)
    this = bench.this
    node = bench.this["stack"][ply]
    this["stack"][ply - 1]["move"] = previous_move
    bench.put(ply, parse_fen(fen))
    for name in values.keys() - DEFAULTS.keys() - {"root_depth"}:
        owner = node if name in node.dtype.names else this
        owner[name] = values[name]
    this["root"]["depth"] = values.get("root_depth", 0)
    return bench


def ask(kernel: Any, fen: str = START, ply: int = 1, **values: Any) -> int:
    """Call a kernel about a node; a value that is no argument of it is set as in `node_at`."""
    arguments = {name: values.pop(name) for name in door(kernel)[0] if name in values}
    return call(kernel, node_at(fen, ply, **values), ply, **arguments)


@entry(VOID, POSITION_TYPE, CONSTANTS_TYPE, record(VERDICTS))
def judge_all_numbers(position, constants, verdicts):
    for number in range(ALL_NUMBERS):
        verdicts.legal[number] = np.uint8(is_legal(position, constants, np.uint64(number)))


@entry(VOID, WORKER_TYPE, CONSTANTS_TYPE, INT, WORD, INT, record(PICKED))
def pick_all(worker, constants, ply, tt_move, quiets_until, picked):
    """Write the moves of the picker in their order, and its stage after each.

    From `quiets_until` moves on, quiets are skipped.
    """
    node = worker.stack[ply]
    start_picking(node, legal_or_none(node.position, constants, tt_move))
    picked.count = ZERO
    while picked.count < MAX_MOVES:
        move = next_move(worker, constants, ply)
        if move == ZERO:
            break
        picked.moves[picked.count] = np.uint16(move)
        picked.stages[picked.count] = node.stage
        picked.count += ONE
        if picked.count >= quiets_until:
            skip_quiets(node)


@entry(INT, WORKER_TYPE, CONSTANTS_TYPE, INT, INT)
def picker_perft(worker, constants, ply, depth):
    """Count leaves with moves from the picker, whose table move is made of bits of the key."""
    node = worker.stack[ply]
    find_checks(node.position, constants)
    start_picking(node, legal_or_none(node.position, constants, node.position.key & MOVE_MASK))
    total = np.int64(0)
    while True:
        move = next_move(worker, constants, ply)
        if move == ZERO:
            return total
        if depth == 1:
            total += np.int64(1)
        else:
            make_move(worker, constants, ply, move)
            total += picker_perft(worker, constants, np.int64(ply + 1), np.int64(depth - 1))


# Parameters with which nothing is pruned, reduced or remembered: the search is then plain minimax
PLAIN = {
    "use_tt": 0,
    "internal_reduction_depth": 1_000,
    "reverse_futility_depth": 0,
    "null_move_depth": 1_000,
    "lmp_depth": 0,
    "futility_depth": -1,
    "history_pruning_depth": -1,
    "see_pruning_depth": 0,
    "singular_depth": 1_000,
    "reduction_moves": 1_000,
    "correction_weight": 0,
    "quiescence_evasions": 1,
    "quiescence_margin": 100_000,
}


class Workbench:
    """A worker on a position, ready for a call of a kernel; `this` is the record to pass."""

    def __init__(
        self,
        position: Position,
        parameters: dict[str, int] | None = None,
        keys: Iterable[int] = (),
        network: np.ndarray | None = None,
    ) -> None:
        self.stop = np.zeros(SIGNALS, np.int64)
        self.array = new_worker(DEFAULTS | (parameters or {}), self.stop)
        self.this = self.array[0]
        self.memory = Table(1)
        self.network = built_in_network() if network is None else network
        self.place(position, keys)

    def place(
        self,
        position: Position,
        keys: Iterable[int] = (),
        moves: Sequence[int] | None = None,
        lines: int = 1,
    ) -> None:
        """Put a position at the root, with the keys of the game before it.

        `moves` are the root moves to search, None for all.
        """
        game = Game(position)
        game.keys = list(keys)
        search = new_search(game, self.memory, self.network, self.stop, moves)
        begin_search(self.this, CONSTANTS_RECORD, search[0], 1, lines)
        self.put(0, position)

    def put(self, ply: int, position: Position) -> None:
        """Put a position and its accumulator on the search stack."""
        self.this["stack"][ply]["position"] = position.record
        evaluate_anew(self.network[0], self.this["stack"][ply]["accumulator"], position.record)

    def search(self, depth: int, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """Return what `negamax` finds at the root."""
        self.this["nodes"] = self.this["next_check"] = 0
        root = self.this["root"]
        root["depth"] = depth
        root["line"] = 0
        root["alpha"] = alpha
        root["beta"] = beta
        return int(negamax(self.this, CONSTANTS_RECORD, 0, depth, alpha, beta, 0))

    def quiesce(self, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """Return what `quiescence` finds at the root."""
        self.this["nodes"] = self.this["next_check"] = 0
        return int(quiescence(self.this, CONSTANTS_RECORD, 0, alpha, beta))

    def line(self) -> list[int]:
        """Return the principal variation of the last search."""
        return self.this["pv"][0][: self.this["pv_length"][0]].tolist()


def history_of(bench: Workbench, ply: int, move: int, is_quiet: bool) -> int:
    """Return the `quiet_score` or the `capture_score` of a move at `ply`."""
    return call(quiet_score if is_quiet else capture_score, bench, ply, move=move)


def tt_entry(**values: int) -> np.void:
    """Return an entry of the table, for kernels; fields that are not given are 0."""
    made = np.zeros(1, FIELDS)[0]
    for name, value in values.items():
        made[name] = value
    return made


@kernel
def fill(fields, found):
    fields.move = found.move
    fields.score = found.score
    fields.evaluation = found.evaluation
    fields.depth = found.depth
    fields.bound = found.bound
    fields.tt_pv = found.tt_pv


@entry(VOID, WORD, INT, FIELDS_TYPE)
def unpack_into(data, ply, fields):
    fill(fields, unpack(data, ply))


@entry(VOID, TABLE_TYPE, WORD, INT, FIELDS_TYPE)
def probe_into(table, key, ply, fields):
    fill(fields, probe(table, key, ply))


def as_dict(fields: np.void) -> dict[str, int]:
    return {name: int(fields[name]) for name in TTEntry._fields}


def unpacked(data: int, ply: int = 0) -> dict[str, int]:
    """Return the fields of a data word by their names."""
    fields = tt_entry()
    unpack_into(data, ply, fields)
    return as_dict(fields)


def probed(table: np.void, key: int, ply: int = 0) -> dict[str, int] | None:
    """Return the fields of a table's entry for a key, None if there is none."""
    fields = tt_entry()
    probe_into(table, key, ply, fields)
    return as_dict(fields) if fields["bound"] != NO_BOUND else None


def recalled(bench: Workbench, key: int) -> dict[str, int] | None:
    """Return the fields of the bench's table entry for a key, None if there is none."""
    return probed(bench.this["tt"], key)
