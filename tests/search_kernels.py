"""Doors from Python into inner kernels, for the tests alone: each compiles all that it calls, so they are few."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import BOOL, INT, VOID, WORD, entry, record
from zobra.engine.layouts import MAX_MOVES, POSITION_TYPE, TABLES_TYPE
from zobra.engine.legality import is_legal
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import INFINITY
from zobra.engine.see import see_at_least
from zobra.search.correction import corrected_evaluation as corrected
from zobra.search.correction import update_correction_histories
from zobra.search.history import capture_score, is_noisy, note_searched, quiet_score, update_histories
from zobra.search.history import gravity as approach
from zobra.search.move_picker import DONE, legal_or_none, next_capture, next_move, skip_quiets, start_picking
from zobra.search.negamax import negamax
from zobra.search.node import finish_node, make_move
from zobra.search.parameters import default_parameters
from zobra.search.pruning import (
    futility_pruning,
    history_pruning,
    is_improving,
    late_move_pruning,
    null_move_allowed,
    null_move_depth,
    null_move_needs_verification,
    null_move_score,
    prune_move,
    reverse_futility_applies,
    reverse_futility_score,
    see_pruning,
    singular_search_allowed,
    tt_adjusted_evaluation,
    tt_cutoff,
)
from zobra.search.quiescence import quiescence
from zobra.search.reductions import (
    adjusted_reduction,
    late_move_reduction,
    reduced_depth,
    research_depth,
    singular_beta,
    singular_extension,
)
from zobra.search.threats import gives_direct_check, set_threats
from zobra.search.worker import SIGNALS, WORKER_TYPE, is_repetition, new_worker
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
from zobra.tt.table import TABLE, Table, probe, store

ALL_NUMBERS = 1 << 16  # every 16-bit number, legal move or not
VERDICTS = np.dtype([("legal", "u1", (ALL_NUMBERS,))])
PICKED = np.dtype([("count", "u8"), ("moves", "u2", (MAX_MOVES,)), ("stages", "i8", (MAX_MOVES,))], align=True)
FIELDS = np.dtype([(name, "i8") for name in ("move", "score", "evaluation", "depth", "bound", "generation")], align=True)
MOVE_MASK = np.uint64(ALL_NUMBERS - 1)
CHEAP = np.int64(43)  # what history is worth to a capture that loses material
TABLE_TYPE, FIELDS_TYPE = record(TABLE), record(FIELDS)


@entry(BOOL, POSITION_TYPE, TABLES_TYPE, WORD, INT)
def exchange_reaches_from_python(position, tables, move, threshold):
    """`see_at_least` as it is."""
    return see_at_least(position, tables, move, threshold)


@entry(VOID, POSITION_TYPE, TABLES_TYPE, record(VERDICTS))
def judge_all_numbers(position, tables, verdicts):
    """Ask `is_legal` about every 16-bit number."""
    for number in range(ALL_NUMBERS):
        verdicts.legal[number] = np.uint8(is_legal(position, tables, np.uint64(number)))


@entry(VOID, WORKER_TYPE, TABLES_TYPE, INT, WORD, BOOL, INT, record(PICKED))
def pick_all(worker, tables, ply, tt_move, noisy_only, quiets_until, picked):
    """All moves of the picker in their order, and the stage it stood in after each.

    From the `quiets_until`-th move on, it is told after each that quiet ones are no longer wanted.
    """
    node = worker.stack[ply]
    start_picking(node, legal_or_none(node.position, tables, tt_move))
    picked.count = ZERO
    while picked.count < MAX_MOVES:
        move = next_capture(worker, node, tables, CHEAP) if noisy_only else next_move(worker, tables, ply)
        if move == ZERO:
            break
        picked.moves[picked.count] = np.uint16(move)
        picked.stages[picked.count] = node.stage
        picked.count += ONE
        if picked.count >= quiets_until:
            skip_quiets(node)
    if not noisy_only and node.stage != DONE:
        picked.count = np.uint64(MAX_MOVES)


@entry(INT, WORKER_TYPE, TABLES_TYPE, INT, INT)
def picker_perft(worker, tables, ply, depth):
    """Perft whose moves come from the picker, with a table move made from the bits of the key."""
    node = worker.stack[ply]
    find_checks(node.position, tables)
    start_picking(node, legal_or_none(node.position, tables, node.position.key & MOVE_MASK))
    total = np.int64(0)
    while True:
        move = next_move(worker, tables, ply)
        if move == ZERO:
            return total
        if depth == 1:
            total += np.int64(1)
        else:
            make_move(worker, tables, ply, move)
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


@entry(INT, INT, INT)
def approached(value, bonus):
    """`approach` as it is."""
    return np.int64(approach(value, bonus))


@entry(VOID, WORKER_TYPE, INT, WORD, BOOL, INT)
def cutoff(worker, ply, move, is_quiet, depth):
    """`update_histories` as it is."""
    update_histories(worker, ply, move, is_quiet, depth)


@entry(VOID, WORKER_TYPE, INT, WORD, BOOL)
def tried(worker, ply, move, is_quiet):
    """`note_searched` in the node of `ply`."""
    note_searched(worker.stack[ply], move, is_quiet)


@entry(INT, WORKER_TYPE, INT, WORD, BOOL)
def known_of(worker, ply, move, is_quiet):
    """`quiet_score` or `capture_score` of a move at `ply`."""
    return quiet_score(worker, ply, move) if is_quiet else capture_score(worker, worker.stack[ply].position, move)


@entry(INT, WORKER_TYPE, INT, WORD, INT, INT, INT, INT)
def end_node(worker, ply, move, score, depth, alpha, beta):
    """`finish_node` as it is."""
    return finish_node(worker, ply, move, score, depth, alpha, beta)


@entry(VOID, WORKER_TYPE, INT, INT, INT)
def teach_correction(worker, ply, difference, depth):
    """`update_correction_histories` as it is."""
    update_correction_histories(worker, ply, difference, depth)


@entry(INT, WORKER_TYPE, INT, INT)
def corrected_evaluation(worker, ply, static):
    """`corrected` as it is."""
    return corrected(worker, ply, static)


@entry(BOOL, WORKER_TYPE, TABLES_TYPE, WORD)
def gives_check(worker, tables, move):
    """`gives_direct_check` at the root, as it is."""
    set_threats(worker.stack[0], tables)
    return gives_direct_check(worker.stack[0], move)


@entry(BOOL, POSITION_TYPE, WORD)
def noisy(position, move):
    """`is_noisy` as it is."""
    return is_noisy(position, move)


QUESTION = np.dtype(
    [(name, "i8") for name in ("score", "evaluation", "alpha", "beta", "depth", "plies", "number", "reduction", "bound")]
    + [(name, "u8") for name in ("data", "move")]
    + [(name, "i8") for name in ("improving", "quiet", "principal", "cut")],
    align=True,
)
(
    FAR_ABOVE, PASSING, VERIFICATION, NULL_DEPTH, LATE_MOVES, FUTILE, BAD_HISTORY, BAD_EXCHANGE, IMPROVING, SINGULAR, REFINED,
    TABLE_DECIDES, REDUCTION, ADJUSTED, REDUCED_DEPTH, SINGULAR_BOUND, EXTENSION, CANNOT_MATTER, TOWARD_BETA, CONFIRMING,
    WORTH_OF_PASSING,
) = range(21)  # fmt: skip


@entry(INT, INT, WORKER_TYPE, TABLES_TYPE, INT, record(QUESTION))
def claim(which, worker, tables, ply, asked):
    """The answer of one predicate of `pruning` or `reductions` about the node at `ply`."""
    node, position = worker.stack[ply], worker.stack[ply].position
    improving, quiet, principal, cut = asked.improving != 0, asked.quiet != 0, asked.principal != 0, asked.cut != 0
    if which == FAR_ABOVE:
        return np.int64(reverse_futility_applies(worker, ply, asked.evaluation, asked.beta, asked.depth, improving))
    if which == PASSING:
        return np.int64(null_move_allowed(worker, ply, asked.evaluation, asked.beta, asked.depth))
    if which == VERIFICATION:
        return np.int64(null_move_needs_verification(worker, asked.depth))
    if which == NULL_DEPTH:
        return np.int64(null_move_depth(worker, asked.evaluation, asked.beta, asked.depth))
    if which == LATE_MOVES:
        return np.int64(late_move_pruning(worker, asked.number, asked.depth, improving))
    if which == FUTILE:
        return np.int64(futility_pruning(worker, node, asked.plies, asked.alpha))
    if which == BAD_HISTORY:
        return np.int64(history_pruning(worker, ply, asked.move, asked.plies))
    if which == BAD_EXCHANGE:
        return np.int64(see_pruning(worker, tables, position, asked.move, quiet, asked.depth, asked.plies))
    if which == IMPROVING:
        return np.int64(is_improving(worker, ply))
    if which == SINGULAR:
        return np.int64(singular_search_allowed(worker, ply, asked.data, asked.score, node.tt_move, asked.depth))
    if which == REFINED:
        return tt_adjusted_evaluation(asked.evaluation, asked.data, asked.score)
    if which == TABLE_DECIDES:
        return np.int64(tt_cutoff(position, asked.data, asked.score, asked.depth, asked.alpha, asked.beta))
    if which == REDUCTION:
        return late_move_reduction(worker, asked.number, asked.depth, improving)
    if which == ADJUSTED:
        return adjusted_reduction(worker, ply, asked.move, quiet, asked.reduction, principal, cut)
    if which == REDUCED_DEPTH:
        return reduced_depth(asked.depth, asked.reduction)
    if which == CONFIRMING:
        return np.int64(research_depth(worker, ply, asked.depth, asked.score, asked.bound))
    if which == SINGULAR_BOUND:
        return singular_beta(worker, asked.score, asked.depth)
    if which == CANNOT_MATTER:
        set_threats(node, tables)
        number, depth, alpha, best = asked.number, asked.depth, asked.alpha, asked.score
        return np.int64(prune_move(worker, tables, ply, asked.move, number, depth, asked.reduction, improving, alpha, best))
    if which == WORTH_OF_PASSING:
        return null_move_score(asked.score, asked.beta)
    if which == TOWARD_BETA:
        return reverse_futility_score(worker, asked.evaluation, asked.beta)
    return singular_extension(worker, asked.score, asked.bound, asked.evaluation, asked.beta, principal, cut)


def ask(which: int, bench: Bench, ply: int = 1, **values: int) -> int:
    """`claim`, with zero for what is not given."""
    asked = np.zeros(1, QUESTION)
    for name, value in values.items():
        asked[0][name] = value
    return int(claim(which, bench.this, TABLES_RECORD, ply, asked[0]))


# Parameters with which nothing is pruned, reduced or remembered: the search is then plain minimax.
PLAIN = {
    "use_table": 0,
    "internal_reduction_depth": 1_000,
    "reverse_futility_depth": 0,
    "null_move_depth": 1_000,
    "singular_depth": 1_000,
    "reduction_moves": 1_000,
    "late_move_depth": 0,
    "futility_depth": -1,
    "history_pruning_depth": -1,
    "exchange_pruning_depth": 0,
    "quiescence_evasions": 1,
    "quiescence_margin": 100_000,
    "correction_weight": 0,
    "capture_history_weight": 0,
}


class Bench:
    """A worker on a position, ready for one call of an inner kernel; `this` is the record to pass."""

    def __init__(self, position: Position, parameters: dict[str, int] | None = None, keys: Iterable[int] = ()) -> None:
        self.stop = np.zeros(SIGNALS, np.int64)
        self.array = new_worker(default_parameters() | (parameters or {}), self.stop)
        self.this = self.array[0]
        self.memory = Table(1)
        self.this["table"] = self.memory.record
        self.this["node_limit"] = np.iinfo(np.int64).max
        self.place(position, keys)

    def place(self, position: Position, keys: Iterable[int] = ()) -> None:
        """Put a position at the root, with the keys of the game before it."""
        earlier = list(keys)
        self.this["root_key_index"] = len(earlier)
        self.this["keys"][: len(earlier) + 1] = np.array([*earlier, position.key], np.uint64)
        self.this["stack"][0]["position"] = position.record
        self.this["stack"][0]["accumulator"]["computed"] = 0
        self.this["nodes"] = self.this["stopped"] = 0

    def search(self, depth: int, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """`negamax` from the root."""
        self.this["nodes"] = 0
        self.this["root_depth"] = depth
        return int(negamax(self.this, TABLES_RECORD, 0, depth, alpha, beta, 0))

    def quiesce(self, alpha: int = -int(INFINITY), beta: int = int(INFINITY)) -> int:
        """`quiescence` from the root."""
        self.this["nodes"] = 0
        return int(quiescence(self.this, TABLES_RECORD, 0, alpha, beta))

    def line(self) -> list[int]:
        """The principal variation of the last search."""
        return [int(move) for move in self.this["pv"][0][: self.this["pv_length"][0]]]


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
