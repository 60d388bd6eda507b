"""The search as its callers use it: a game and limits go in, reports and a move come out."""

import random
from collections.abc import Callable

import numpy as np

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.network import built_in_network, load_network
from zobra.engine.network_file import Network
from zobra.engine.position import CONSTANTS_RECORD, Game, Position
from zobra.engine.scores import MAX_PLY
from zobra.search.evaluation import evaluate_position
from zobra.search.iterative_deepening import (
    DEPTH_FINISHED,
    LINE_FOUND,
    NO_NODE_LIMIT,
    WINDOW_FAILED,
    begin_search,
    new_search,
    steps,
)
from zobra.search.lazy_smp import LazySmp, usable_processors, vote
from zobra.search.limits import Limits, Progress, Report, Result, Statistics
from zobra.search.options import MOVE_OVERHEAD
from zobra.search.parameters import default_parameters
from zobra.search.root import RootLine, root_lines
from zobra.search.skill import CANDIDATES, Skill, choose
from zobra.search.time_management import NodeTime, TimeManager
from zobra.search.worker import clear_histories, new_worker, set_parameters
from zobra.tt.entry import EXACT
from zobra.tt.table import Table

BOUNDS_AFTER = 3_000  # milliseconds; at short time controls each line costs time. Idea: Stockfish


class Searcher:
    """A transposition table, the workers of all threads, and what they have learned.

    `search` blocks. `stop`, `ponderhit`, `nodes`, `statistics` and `progress` may be called from
    any thread meanwhile, all other methods only between searches. `multipv` is the number of
    principal variations, `skill` limits the strength (None: full strength), `seed` makes the
    choices of a limited engine reproducible. `network` (dtype NETWORK) evaluates. Windows that
    failed are reported once a search has run for `bounds_after` milliseconds.
    """

    def __init__(self, megabytes: int, parameters: dict[str, int] | None = None) -> None:
        self.multipv = 1
        self.seed = 0
        self.bounds_after = BOUNDS_AFTER
        self.skill: Skill | None = None
        self.parameters = default_parameters() | (parameters or {})
        self.time = TimeManager(MOVE_OVERHEAD, self.parameters)
        self.tt = Table(megabytes)
        self.network = built_in_network()
        self._worker = new_worker(self.parameters, self.time.signals)
        self._this = self._worker[0]
        self._smp = LazySmp(self.parameters)

    def arm(self, elapsed: int | None = None) -> None:
        """Prepare for the next search, whose time began `elapsed` nanoseconds ago.

        If that is None, it begins with the search. From now on stop and ponderhit apply to it.
        """
        self.time.arm(elapsed)

    def stop(self) -> None:
        """End the search at once."""
        self.time.stop()

    def ponderhit(self) -> None:
        """Start the clock, because the opponent has played the expected move."""
        self.time.ponderhit()

    @property
    def threads(self) -> int:
        """The number of threads asked for.

        Setting it starts them; `threads_remark` says if that is of little use.
        """
        return self._smp.size

    @threads.setter
    def threads(self, count: int) -> None:
        self._smp.stop()
        self._smp = LazySmp(self.parameters)  # first, as the new threads need the memory of the old
        self._smp = LazySmp(self.parameters, count)

    @property
    def threads_remark(self) -> str:
        """A remark on the number of threads for the user, or an empty string."""
        if missing := self.threads - 1 - len(self._smp.workers):
            return (
                f"{missing} of {self.threads} threads could not be started: the system or its "
                "memory allows no more"
            )
        processors = usable_processors()
        return (
            f"{self.threads} threads are more than the {processors} usable processors"
            if self.threads > processors
            else ""
        )

    def set_parameter(self, name: str, value: int) -> None:
        """Set a parameter of the search (see parameters.py) for every thread."""
        self._smp.stop()
        self.parameters[name] = value
        for worker in (self._worker, *self._smp.workers):
            set_parameters(worker, self.parameters)

    def resize(self, megabytes: int) -> None:
        """Make a new table. After a MemoryError the table has its old size."""
        self._smp.stop()
        self.tt.resize(megabytes, self._smp.full_speed_threads)

    def clear(self) -> None:
        """Clear the hash table, all histories and the node time, because a new game begins."""
        self._smp.stop()
        self.tt.clear(self._smp.full_speed_threads)
        self.time.node_time = NodeTime(self.time.node_time.rate)
        for worker in (self._worker, *self._smp.workers):
            clear_histories(worker)

    @property
    def nodes(self) -> int:
        """The number of positions visited by the current or last search."""
        return int(self._this["nodes"]) + self._smp.nodes

    def statistics(self) -> Statistics:
        """Return what all threads of the current or last search did."""
        workers = [self._worker, *self._smp.active]
        counts = np.sum([worker[0]["counters"].item() for worker in workers], axis=0)
        return Statistics(len(workers), self.nodes, *map(int, counts))

    @property
    def progress(self) -> Progress:
        """The root move that is being searched. Its fields may be read at different moments."""
        root = self._this["root"]
        index = int(root["current"])
        return Progress(int(root["depth"]), int(root["moves"][index]["move"]), index + 1)

    def use_network(self, network: Network | None) -> None:
        """Evaluate with this network (None: the built-in one), and clear all as for a new game."""
        self._smp.stop()
        self.network = built_in_network() if network is None else load_network(network)
        self.clear()

    def evaluate(self, position: Position) -> int:
        """Return the static evaluation in internal units for the side to move."""
        return evaluate_position(position, self.network)

    def search(
        self, game: Game, limits: Limits, on_report: Callable[[Report], None] = lambda report: None
    ) -> Result:
        """Search the current position of a game within limits.

        The lines of each depth are reported, those of the last one even if it was stopped. With one
        line, so is each window that failed in a long search. If no root move was finished, a line
        of depth 0 is reported; a line chosen by a vote or at limited strength is reported last.
        """
        choices = limits.searchmoves
        if choices is None:
            choices = tuple(game.position.legal_moves())
        if not choices:
            return Result(0, 0)

        white = game.position.white_to_move()
        self.time.start(limits, white)
        self.tt.next_generation()

        def make_search(signals: np.ndarray) -> np.ndarray:
            return new_search(game, self.tt, self.network, signals, limits.searchmoves)

        search = make_search(self.time.signals)
        begin_search(self._this, CONSTANTS_RECORD, search[0], 1, self._lines_wanted())
        self._this["node_limit"] = self._node_limit(limits)
        memory = (self.tt.bytes, self.network)
        self._smp.start(None if self.skill else make_search, memory)
        try:
            lines = self._deepen(limits, len(choices) == 1, on_report)
            found = self._smp.end()
            self.time.node_time.end(limits.clock, white, self.nodes)
            if not lines:
                first = int(self._this["root"]["moves"][0]["move"])  # in the order of the search
                line = RootLine(0, 0, self.evaluate(game.position), int(EXACT), (first,))
                self._report([line], on_report)
                return Result(first, 0)

            line = self._choose_line(game, limits, lines, found)
            if line is not lines[0]:
                others = [other for other in lines if other.moves[0] != line.moves[0]]
                self._report([line, *others], on_report)
            return self._result(game, line.moves)
        finally:
            self._smp.stop(0)

    def _choose_line(
        self, game: Game, limits: Limits, lines: list[RootLine], found: list[RootLine]
    ) -> RootLine:
        """Choose the line to play from those of this thread and of the others (`found`)."""
        source = random.Random(f"{self.seed} {game.position.key} {len(game.keys)}")
        line = lines[choose([line.score for line in lines], self.skill, source)]
        if self._this["root"]["lines"] == 1 and limits.depth is None:
            line = vote([line, *found])  # other threads may be deeper
        return line

    def _deepen(
        self, limits: Limits, is_forced: bool, on_report: Callable[[Report], None]
    ) -> list[RootLine]:
        """Search with increasing depth until the end; return the best lines."""
        last_depth = min(limits.depth or MAX_PLY, MAX_PLY - 1)
        root = self._this["root"]
        lines: list[RootLine] = []
        for step in steps(self._this, last_depth):
            if step == LINE_FOUND:
                continue
            if step == WINDOW_FAILED:
                if root["lines"] == 1 and self.time.milliseconds >= self.bounds_after:
                    self._report(root_lines(root), on_report)
                continue

            lines = root_lines(root)
            self._report(lines, on_report)
            if step == DEPTH_FINISHED:
                effort = lines[0].nodes / max(1, int(self._this["nodes"]))
                if self.time.should_stop(lines[0], effort, self.nodes, is_forced):
                    break
        return lines

    def _lines_wanted(self) -> int:
        if self.skill and self.skill.noise:
            return max(self.multipv, CANDIDATES)
        return self.multipv

    def _node_limit(self, limits: Limits) -> int:
        """Return the node limit of the first thread: its share of each limit."""
        budgets = (limits.nodes, self.time.node_limit, self.skill and self.skill.nodes)
        # A limited engine searches alone.
        sharing = 1 if self.skill else self._smp.full_speed_threads
        shares = [max(1, nodes // sharing) for nodes in budgets if nodes is not None]
        return min([*shares, int(NO_NODE_LIMIT)])

    def _report(self, lines: list[RootLine], on_report: Callable[[Report], None]) -> None:
        """Report the best lines, at most as many as the user wants to see."""
        nodes = self.nodes
        milliseconds = self.time.milliseconds
        hashfull = self.tt.permille_full()
        for rank, line in enumerate(lines[: self.multipv], 1):
            on_report(
                Report(
                    depth=line.depth,
                    selective_depth=line.selective_depth,
                    score=line.score,
                    bound=line.bound,
                    nodes=nodes,
                    milliseconds=milliseconds,
                    hashfull=hashfull,
                    pv=line.moves,
                    multipv=rank,
                )
            )

    def _result(self, game: Game, line: tuple[int, ...]) -> Result:
        """Return the first two moves of a line.

        If the line has only one, the second is the reply in the table, unless the first one draws.
        The second is 0 if there is none.
        """
        if len(line) > 1:
            return Result(line[0], line[1])
        following = game.position.after(line[0])
        is_repetition = game.keys.count(following.key) >= 2
        is_drawn = is_repetition or following.record["halfmove"] >= FIFTY_MOVES
        reply = 0 if is_drawn else self.tt.recall(following.key).move
        return Result(line[0], reply if reply in following.legal_moves() else 0)
