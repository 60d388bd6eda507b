"""The search as its user sees it: a game and limits go in, reports and a move come out."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.game import Game
from zobra.engine.layouts import ACCUMULATOR
from zobra.engine.network import BUILT_IN, Network, evaluate_anew, install, read_network
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import MAX_PLY
from zobra.search.iterative_deepening import IterativeDeepening, PvLine
from zobra.search.lazy_smp import LazySmp
from zobra.search.limits import Limits, Progress, Report, Result
from zobra.search.parameters import default_parameters
from zobra.search.skill import CANDIDATES, Skill, choose
from zobra.search.time_management import TimeManager
from zobra.search.worker import MAX_KEYS, ROOT_MOVES, clear_histories, new_worker, set_parameters
from zobra.tt.entry import move_of_data
from zobra.tt.table import Table

NO_NODE_LIMIT = np.iinfo(np.int64).max
Listener = Callable[[Report], None]


class Searcher:
    """One thinking engine: a table, its workers, and what they learned.

    `search` blocks. `stop`, `ponderhit`, `nodes` and `progress` may come from any thread while it runs; the rest only between
    searches, as the kernels hold the addresses of what it would change.

    `multipv` is how many principal variations are wanted, `skill` how well to play (None: as well as possible), `seed` the
    source of the choices a weakened engine makes.
    """

    def __init__(self, megabytes: int, move_overhead: int = 10, parameters: dict[str, int] | None = None) -> None:
        self.multipv = 1
        self.skill: Skill | None = None
        self.seed = 0
        self.time = TimeManager(move_overhead)
        self.parameters = default_parameters() | (parameters or {})
        self.table = Table(megabytes)
        self._worker = new_worker(self.parameters, self.time.signals)
        self._this = self._worker[0]
        self._smp = LazySmp(self.parameters, self.table)
        self._depth = 0

    @property
    def threads(self) -> int:
        """How many threads search."""
        return self._smp.size

    @threads.setter
    def threads(self, count: int) -> None:
        self._smp.size = count

    @property
    def missing_threads(self) -> int:
        """How many of the threads the system refused to start for the present or last search."""
        return self._smp.missing

    def set_parameter(self, name: str, value: int) -> None:
        """Let every thread search by another number, one of parameters.py."""
        self.parameters[name] = value
        set_parameters(self._worker, self.parameters)
        self._smp.set_parameters()
        if name == "use_network":  # what was learned is of the other evaluation
            self.clear()

    def resize(self, megabytes: int) -> None:
        """Make a new table; MemoryError, with one of the old size, when that is too much."""
        self.table.resize(megabytes)

    def clear(self) -> None:
        """Forget everything: a new game begins."""
        self.table.clear()
        self.time.node_time.reset()
        clear_histories(self._worker)
        self._smp.clear()

    def stop(self) -> None:
        """Let the search end at once."""
        self.time.stop()

    def ponderhit(self) -> None:
        """The opponent made the expected move: time counts from now on."""
        self.time.ponderhit()

    def arm(self) -> None:
        """Take back an earlier `stop` or `ponderhit`: to be called before the search that a later one is meant for."""
        self.time.arm()

    @property
    def nodes(self) -> int:
        """Positions visited by the present or last search."""
        return int(self._this["nodes"]) + self._smp.nodes

    @property
    def progress(self) -> Progress:
        """What the running search is looking at; the parts may be of two moments."""
        return Progress(self._depth, int(self._this["root_move"]), int(self._this["root_number"]))

    def use_network(self, network: Network | None) -> None:
        """Evaluate by this network from now on, None: by the built-in one. What was learned before is forgotten.

        The engine has one network, which all searchers use; the parameter `use_network` says whether they do.
        """
        install(network or read_network(BUILT_IN), TABLES_RECORD["network"])
        self.clear()

    def evaluate(self, position: Position) -> int:
        """Static evaluation in centipawns, from the side to move."""
        if not self.parameters["use_network"]:
            return int(static_evaluation(position.record, TABLES_RECORD))
        return int(evaluate_anew(TABLES_RECORD["network"], np.zeros(1, ACCUMULATOR)[0], position.record))

    def search(self, game: Game, limits: Limits, on_report: Listener = lambda report: None) -> Result:
        """Think about the present position of a game within limits, and report each finished attempt."""
        confined = limits.searchmoves is not None
        choices = tuple(game.position.legal_moves()) if limits.searchmoves is None else limits.searchmoves
        if not choices:
            return Result(0, 0)
        white = game.position.white_to_move()
        self.time.start(limits, white)
        self._start(game, limits)

        def tell(number: int, line: PvLine) -> None:
            if number <= self.multipv:
                on_report(self._report(number, line))

        wanted = max(self.multipv, CANDIDATES) if self.skill and self.skill.noise else self.multipv
        deepening = IterativeDeepening(self._this, self.table, choices, confined, wanted, tell)

        def is_enough(depth: int, best: PvLine) -> bool:
            self._depth = depth + 1
            return self.time.is_enough(depth, best, self._effort(best.moves[0]), self.nodes, len(choices) == 1)

        if self.skill:
            self._smp.rest()
        else:
            self._smp.start(lambda worker: self._set_up(worker, game), choices, confined)
        try:
            deepening.run(range(1, min(limits.depth or MAX_PLY, MAX_PLY - 1) + 1), is_enough)
        finally:
            self._smp.halt()
        self.time.node_time.end(limits.clock, white, self.nodes)
        if not deepening.lines:
            return Result(choices[0], 0)
        line = deepening.lines[self._choose(game, deepening.lines)]
        if wanted == 1:
            line = self._smp.vote(line)
        if line is not deepening.lines[0]:
            tell(1, line)
        return self._result(game, line.moves)

    def _start(self, game: Game, limits: Limits) -> None:
        """Set up the first worker with its limits."""
        self.table.next_generation()
        self._depth = 1
        self._set_up(self._this, game)
        budgets = (limits.nodes, self.time.node_limit, self.skill and self.skill.nodes)
        threads = 1 if self.skill else self.threads  # the nodes of a skill are those of one thread
        shares = [max(1, budget // threads) for budget in budgets if budget is not None]
        self._this["node_limit"] = min([*shares, NO_NODE_LIMIT])

    def _set_up(self, this: Any, game: Game) -> None:
        """Give a worker the root, and nothing that limits it."""
        this["table"] = self.table.record
        this["node_limit"] = NO_NODE_LIMIT
        this["stopped"] = this["nodes"] = this["root_move"] = this["root_number"] = 0
        this["root_nodes"] = this["null_move_min_ply"] = 0
        keys = game.keys[-MAX_KEYS + 1 :]
        this["root_key_index"] = len(keys)
        this["keys"][: len(keys) + 1] = np.array([*keys, game.position.key], np.uint64)
        this["stack"][0]["position"] = game.position.record
        this["stack"][0]["accumulator"]["computed"] = 0

    def _effort(self, move: int) -> float:
        """Share of the nodes of this search that went into a move of the root."""
        return float(self._this["root_nodes"][move % ROOT_MOVES]) / max(1, int(self._this["nodes"]))

    def _choose(self, game: Game, lines: list[PvLine]) -> int:
        """Index of the line to play: the best, unless the engine is to play below its strength."""
        if self.skill is None or not self.skill.noise:
            return 0
        source = random.Random(f"{self.seed} {game.position.key} {len(game.keys)}")
        return choose([line.score for line in lines], self.skill, source)

    def _result(self, game: Game, line: tuple[int, ...]) -> Result:
        """The first move of a line and the second, or else the reply that the table knows; none to a move that draws."""
        if len(line) > 1:
            return Result(line[0], line[1])
        following = game.position.after(line[0])
        if following.key in game.keys or following.record["halfmove"] >= FIFTY_MOVES:
            return Result(line[0], 0)
        reply = move_of_data(self.table.recall(following.key))
        return Result(line[0], reply if reply in following.legal_moves() else 0)

    def _report(self, number: int, line: PvLine) -> Report:
        milliseconds, hashfull = self.time.milliseconds, self.table.permille_full()
        moves, selective = line.moves, line.selective_depth
        return Report(line.depth, selective, line.score, line.bound, self.nodes, milliseconds, hashfull, moves, number)
