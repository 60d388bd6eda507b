"""Iterative deepening: the root is searched depth after depth, for one line or several, each in an
aspiration window.

The first thread does so in Python, and reports. A helper thread does so in one kernel call: it
needs Python's lock only when its search begins and ends, so a hundred of them do not hold up the
first thread.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from zobra.engine.kernels import INT, VOID, copy_record, entry, kernel, layout, record
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.position import TABLES_RECORD, Game, Position
from zobra.engine.scores import INFINITY, LONGEST_MATE, MATE, MAX_PLY, is_mate
from zobra.search.negamax import negamax
from zobra.search.worker import MAX_KEYS, ROOT_MOVES, WORKER_TYPE
from zobra.tt.entry import EXACT, LOWER, UPPER, as_hint, unpack
from zobra.tt.table import TABLE, Table

WIDEST_WINDOW = 1_000  # centipawns; a wider window is opened to infinity
NO_NODE_LIMIT = np.int64(np.iinfo(np.int64).max)
DEEPEST = np.int64(MAX_PLY - 1)

# What a search begins from; the moves are those allowed (none: all), and the last key is that of
# the root.
ROOT = layout(
    ("table", TABLE), ("signals_address", "u8"), ("position", POSITION),
    ("moves", MOVE_LIST), ("key_count", "i8"), ("keys", "u8", (MAX_KEYS,)),
)  # fmt: skip
ROOT_TYPE = record(ROOT)


def new_root(game: Game, table: np.void, signals: np.ndarray, moves: Sequence[int]) -> np.ndarray:
    """The root of a search of a game's present position: shape (1,), dtype ROOT.

    The caller keeps table and signals alive.
    """
    array = np.zeros(1, ROOT)
    root, keys = array[0], np.array([*game.keys, game.position.key][-MAX_KEYS:], np.uint64)
    root["table"], root["signals_address"], root["position"] = (
        table,
        signals.ctypes.data,
        game.position.record,
    )
    root["moves"]["count"], root["key_count"] = len(moves), len(keys)
    root["moves"]["moves"][: len(moves)] = moves
    root["keys"][: len(keys)] = keys
    return array


@entry(VOID, WORKER_TYPE, ROOT_TYPE)
def set_root(worker, root):
    """Make a worker ready to search a root, without limits."""
    copy_record(worker.table, root.table)
    worker.signals_address = root.signals_address
    worker.node_limit = NO_NODE_LIMIT
    worker.stopped = worker.nodes = worker.root_move = worker.root_number = (
        worker.null_move_min_ply
    ) = 0
    worker.next_check = worker.check_interval = worker.clock_read = 0
    worker.completed_depth = worker.selective_depth = 0
    for index in range(ROOT_MOVES):
        worker.root_nodes[index] = 0
    copy_record(worker.root_moves, root.moves)
    worker.root_key_index = root.key_count - 1
    for index in range(root.key_count):
        worker.keys[index] = root.keys[index]
    copy_record(worker.stack[0].position, root.position)


@kernel
def aspiration_search(worker, tables, depth, expected):
    """Score of a search to one depth, with an aspiration window around the expected score, at full
    depth after a fail-high.
    """
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
    """Search a root from `depth` on, deeper and deeper, until stopped.

    The last completed iteration is kept in the worker.
    """
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


class PvLine(NamedTuple):
    """A principal variation and its score (centipawns, or to mate); bound: 0 exact, 1 at least, -1
    at most this.
    """

    depth: int
    selective_depth: int
    score: int
    bound: int
    moves: tuple[int, ...]


class IterativeDeepening:
    """Searches `moves` of the root that is set in a worker.

    `lines` are the best lines found, best first, at most `wanted`.

    `report(number, line)` is called after each window if one line is wanted, otherwise for all
    lines when a depth is finished. A further line (MultiPV) is a search of the root without the
    first moves of the better lines. The table's entry of the root is for all moves, so it is put
    back afterwards. Meanwhile it holds the first move that the line had at the last depth.
    """

    def __init__(
        self,
        worker,
        table: Table,
        moves: Sequence[int],
        wanted: int,
        report: Callable[[int, PvLine], None],
    ) -> None:
        self.lines: list[PvLine] = []
        self._worker, self._table, self._report, self._choices = worker, table, report, moves
        self._confined = bool(worker["root_moves"]["count"])
        self._wanted = min(wanted, len(moves))
        self._key = int(worker["stack"][0]["position"]["key"])
        self._known = table.recall(self._key)  # now, before any other thread searches this root
        self._known_line = self._line_in_table(moves[0]) if len(moves) == 1 else None

    def run(self, depths: range, is_enough: Callable[[int, PvLine], bool]) -> None:
        """Search depth after depth until stopped, or `is_enough(depth, best line)`.

        A stop reports all lines again.
        """
        for depth in depths:
            self._search_depth(depth)
            if self._worker["stopped"] or self._wanted > 1:
                for number, line in enumerate(self.lines, 1):
                    self._report(number, line)
            if self._worker["stopped"] or is_enough(depth, self.lines[0]):
                break
        if self._confined:
            self._table.revise(self._key, self._known)
        elif self._known_line is not None and self.lines:
            # A single legal move is seldom searched deeply: prefer what is known of a deeper search
            if self._known_line.depth > self.lines[0].depth:
                self._table.revise(self._key, self._known)
                self.lines = [self._known_line]
                self._report(1, self.lines[0])

    def _line_in_table(self, move: int) -> PvLine | None:
        """The line that begins with the only legal move, if the table has a proven score of it."""
        _, score, depth, bound = unpack(self._known)
        is_proven = bound == EXACT or (is_mate(score) and bound == (LOWER if score > 0 else UPPER))
        if not is_proven:
            return None
        longest = int(MATE) - abs(score) if is_mate(score) else depth
        position = Position(self._worker["stack"]["position"][:1])
        line: list[int] = []
        root_index = int(self._worker["root_key_index"])
        of_game = self._worker["keys"][: root_index + 1].tolist()
        of_line = {position.key}
        while len(line) < longest and move in position.legal_moves():
            line.append(move)
            position = position.after(move)
            if position.key in of_line or of_game.count(position.key) > 1:  # draw by repetition
                break
            of_line.add(position.key)
            move, _, _, _ = unpack(self._table.recall(position.key))
        return PvLine(depth, depth, score, 0, tuple(line))

    def _search_depth(self, depth: int) -> None:
        """Find the lines of one depth. Those not reached before a stop stay as they were."""
        found: list[PvLine] = []
        root_moves = self._worker["root_moves"]
        while len(found) < self._wanted and not self._worker["stopped"]:
            taken = {line.moves[0] for line in found}
            before = next((line for line in self.lines if line.moves[0] not in taken), None)
            allowed = (
                [move for move in self._choices if move not in taken]
                if taken or self._confined
                else []
            )
            root_moves["count"] = len(allowed)
            root_moves["moves"][: len(allowed)] = allowed
            known = self._table.recall(self._key) if taken else 0
            if known and before:
                self._table.revise(self._key, as_hint(known, before.moves[0]))
            line = self._search_line(depth, before, len(taken))
            if taken:
                self._table.revise(self._key, known)
            if line is not None:
                found.append(line)
        found.sort(key=lambda line: -line.score)  # of equals, the one that was found first
        if self._worker["stopped"]:
            begun = {line.moves[0] for line in found}
            found = (found + [line for line in self.lines if line.moves[0] not in begun])[
                : self._wanted
            ]
        self.lines = found

    def _search_line(self, depth: int, before: PvLine | None, rank: int) -> PvLine | None:
        """Search the line after `rank` better ones in a window around its last score, widened on
        the side that fails.

        After a stop: the line if its first move was found better than that of the line `before`,
        None otherwise. Another thread may have changed the root's entry, so the search may have
        been stopped before it came to the latter.
        """
        worker, parameters = self._worker, self._worker["parameters"]
        margin = int(parameters["aspiration_margin"])
        alpha, beta = -int(INFINITY), int(INFINITY)
        if (
            before is not None
            and depth >= parameters["aspiration_depth"]
            and not is_mate(before.score)
        ):
            alpha, beta = before.score - margin, before.score + margin
        moves, last, reduction = before.moves if before else (), None, 0
        worker["root_depth"] = depth
        while True:
            worker["selective_depth"], worker["root_number"] = 0, rank
            index = moves[0] % ROOT_MOVES if moves else 0
            spent = int(worker["root_nodes"][index])
            score = int(
                negamax(worker, TABLES_RECORD, 0, max(1, depth - reduction), alpha, beta, 0)
            )
            found = tuple(worker["pv"][0][: worker["pv_length"][0]].tolist())
            reached = max(depth, int(worker["selective_depth"]))
            if worker["stopped"]:
                if rank == 0 and found:
                    # promotions of one pawn are counted together, so their nodes show nothing
                    if not moves or (
                        found[0] % ROOT_MOVES != index and worker["root_nodes"][index] > spent
                    ):
                        return PvLine(depth, reached, int(worker["root_score"]), 0, found)
                return (
                    last
                    if rank == 0 and last and before and last.moves[0] != before.moves[0]
                    else None
                )
            moves = found or moves
            bound = 1 if score >= beta else -1 if score <= alpha else 0
            last = PvLine(depth, reached, score, bound, moves)
            if self._wanted == 1:
                self.lines = [last]
                self._report(1, last)
            if bound == 0:
                return last
            margin *= 2
            if bound > 0:
                reduction = min(reduction + 1, int(parameters["aspiration_reduction"]))
                beta = score + margin if margin <= WIDEST_WINDOW else int(INFINITY)
            else:
                reduction, beta = 0, (alpha + beta) // 2
                alpha = score - margin if margin <= WIDEST_WINDOW else -int(INFINITY)
