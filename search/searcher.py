"""The search as its user sees it: iterative deepening over aspiration windows, each attempt one call of the node kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zobra.engine.evaluate import static_evaluation
from zobra.engine.game import Game
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import INFINITY, MAX_PLY, is_mate, mate_in_moves
from zobra.search.clock import Allotment, allot
from zobra.search.limits import Limits, Report, Result
from zobra.search.negamax import negamax
from zobra.search.parameters import default_parameters
from zobra.search.worker import MAX_KEYS, clock_now, forget, new_worker
from zobra.tt.table import Table

NANOSECONDS = 1_000_000  # in a millisecond
NO_NODE_LIMIT = np.iinfo(np.int64).max
WIDENING = 2
WIDEST = 1_000  # centipawns; a window that failed beyond this is thrown open


class Searcher:
    """One thinking engine: a table, a worker, and what they learned. `search` blocks; `stop` may come from any thread."""

    def __init__(self, megabytes: int = 16, move_overhead: int = 10, parameters: dict[str, int] | None = None) -> None:
        self.move_overhead = move_overhead
        self.parameters = default_parameters() | (parameters or {})
        self.table = Table(megabytes)
        self._stop = np.zeros(1, np.int64)
        self._worker = new_worker(self.parameters, self._stop)
        self._this = self._worker[0]
        self._started = 0

    def resize(self, megabytes: int) -> None:
        """Make a new table; MemoryError, with the old one kept, when that is too much."""
        self.table.resize(megabytes)

    def clear(self) -> None:
        """A new game: forget everything."""
        self.table.clear()
        forget(self._worker)

    def stop(self) -> None:
        """Let the search end at once."""
        self._stop[0] = 1

    def arm(self) -> None:
        """Take back an earlier `stop`: to be called before the search that a later `stop` is meant for."""
        self._stop[0] = 0

    @property
    def nodes(self) -> int:
        """Positions visited by the present or last search."""
        return int(self._this["nodes"])

    def evaluate(self, position: Position) -> int:
        """Static evaluation in centipawns, from the side to move."""
        return int(static_evaluation(position.record))

    def search(self, game: Game, limits: Limits, on_report: Callable[[Report], None] = lambda report: None) -> Result:
        """Think about the present position of a game within limits, and report each attempt."""
        legal = game.position.legal_moves()
        if not legal:
            return Result(0, 0)
        self._prepare(game, limits)
        allotment = allot(limits, game.position.white_to_move(), self.move_overhead)
        if allotment.hard is not None:
            self._this["deadline"] = self._started + int(allotment.hard * NANOSECONDS)
        best = Result((limits.searchmoves or legal)[0], 0)
        score = 0
        line: tuple[int, ...] = ()
        deepest = min(limits.depth or MAX_PLY - 1, MAX_PLY - 1)
        for depth in range(1, deepest + 1):
            score, line = self._aspire(depth, score, line, on_report)
            if line:
                best = Result(line[0], line[1] if len(line) > 1 else 0)
            if self._this["stopped"] or self._is_enough(limits, allotment, score, depth, len(limits.searchmoves or legal)):
                break
        return best

    def _prepare(self, game: Game, limits: Limits) -> None:
        this = self._this
        self._started = int(clock_now())
        self.table.next_generation()
        this["table"] = self.table.record
        this["stopped"] = this["nodes"] = this["deadline"] = 0
        this["node_limit"] = NO_NODE_LIMIT if limits.nodes is None else limits.nodes
        keys = game.keys[-MAX_KEYS + 1 :]
        this["root_key_index"] = len(keys)
        this["keys"][: len(keys) + 1] = np.array([*keys, game.position.key], np.uint64)
        this["root_moves"]["count"] = len(limits.searchmoves)
        this["root_moves"]["moves"][: len(limits.searchmoves)] = limits.searchmoves
        this["frames"][0]["position"] = game.position.record

    def _aspire(
        self, depth: int, expected: int, line: tuple[int, ...], on_report: Callable[[Report], None]
    ) -> tuple[int, tuple[int, ...]]:
        """Search one depth in a window around the expected score, and widen it on the side that fails.

        `line` is the one found before; the result is the new score and line.
        """
        margin = self.parameters["aspiration_margin"]
        alpha, beta = -int(INFINITY), int(INFINITY)
        if depth >= self.parameters["aspiration_depth"] and not is_mate(expected):
            alpha, beta = expected - margin, expected + margin
        while True:
            self._this["selective_depth"] = 0
            score = int(negamax(self._this, TABLES_RECORD, 0, depth, alpha, beta))
            found = self._line()
            if self._this["stopped"]:
                if found and found[:1] != line[:1]:  # a better move than any reported: say so before it is played
                    on_report(self._report(depth, int(self._this["root_score"]), 0, found))
                return score, found or line
            line = found or line
            bound = 1 if score >= beta else -1 if score <= alpha else 0
            on_report(self._report(depth, score, bound, line))
            if bound == 0:
                return score, line
            margin *= WIDENING
            if bound > 0:
                beta = score + margin if margin <= WIDEST else int(INFINITY)
            else:
                alpha = score - margin if margin <= WIDEST else -int(INFINITY)

    def _is_enough(self, limits: Limits, allotment: Allotment, score: int, depth: int, choices: int) -> bool:
        """After a finished depth: is there a reason not to begin the next?"""
        if limits.infinite:
            return False
        if limits.mate is not None and is_mate(score) and abs(mate_in_moves(score)) <= limits.mate:
            return True
        if allotment.soft is None:
            return False
        elapsed = (int(clock_now()) - self._started) / NANOSECONDS
        found_mate = is_mate(score) and depth > 2 * abs(mate_in_moves(score))
        return elapsed >= allotment.soft or choices == 1 or found_mate

    def _line(self) -> tuple[int, ...]:
        length = int(self._this["line_length"][0])
        return tuple(int(move) for move in self._this["lines"][0][:length])

    def _report(self, depth: int, score: int, bound: int, line: tuple[int, ...]) -> Report:
        milliseconds = (int(clock_now()) - self._started) // NANOSECONDS
        hashfull = self.table.permille_full()
        selective = max(depth, int(self._this["selective_depth"]))
        return Report(depth, selective, score, bound, self.nodes, milliseconds, hashfull, line)
