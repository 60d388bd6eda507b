"""One conversation: the options, the game on the board, and the search in its thread.

Rule for commands that come while a search runs: `isready`, `stop` and `ponderhit` act at once; whatever would change what the
search stands on (`go`, `position`, `setoption`, `ucinewgame`, `bench`, …) first ends it, lets it print its bestmove, and is
then carried out. So there is exactly one bestmove for each go, and nothing ever waits for a search that does not end. A count
(`go perft`, `bench`) runs in the same thread and is waited for instead, as a script piped in wants it; `stop` breaks it off,
and so does whatever comes when it has run for a while.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

from zobra.engine.fen import write_fen
from zobra.engine.game import Game
from zobra.engine.kernels import cache
from zobra.engine.move import move_text
from zobra.engine.network import read_network
from zobra.engine.perft import MAX_DEPTH, PerftStopped, divide
from zobra.engine.position import Position
from zobra.search.knowledge import Knowledge
from zobra.search.limits import Limits, Progress, Report, Result
from zobra.search.searcher import Searcher
from zobra.search.skill import Skill, skill_from_elo, skill_from_level
from zobra.search.wdl import material_of, wdl
from zobra.uci import bench
from zobra.uci.board_text import board_text, evaluation_text
from zobra.uci.commands import Bench, Go, Perft, SetOption, SetPosition
from zobra.uci.commentary import Commentary
from zobra.uci.followed_game import FollowedGame
from zobra.uci.go_limits import limits_of
from zobra.uci.options import OPTIONS, find
from zobra.uci.output import inform, log, remark, say
from zobra.uci.report import ending_texts, info_text, progress_text, result_text

LAST_WORD = 1.0  # seconds that a search has for its bestmove when the process ends, on a machine that is busy compiling too
NO_POSITION = "there is no position, since the last one could not be read"
LOOK = 0.02  # seconds between two looks whether a count still has the time to end by itself


class Session:
    """Everything between the lines of a conversation. Methods are called from one thread; searches and counts run in another.

    `counting_since` is when the running count was begun (monotonic seconds);
    `is_hurried` tells whether somebody waits who will not wait for a count.
    """

    def __init__(self) -> None:
        self.values = {option.name: option.default for option in OPTIONS}
        self.searcher = Searcher(int(self.values["Hash"]), int(self.values["Move Overhead"]))
        self.searcher.seed = random.getrandbits(32)  # a weakened engine does not play the same game twice
        self.counting_since: float | None = None
        self.is_hurried: Callable[[], bool] = lambda: False
        self._board = FollowedGame()
        self._knowledge = Knowledge(self.values, inform)
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()  # has the running search or count been told to end?
        self._released = threading.Event()  # may a search that pondered print its bestmove?
        self._counter = self.searcher  # the searcher that the running count uses
        for notice in cache.notices:
            inform(notice)

    @property
    def readable(self) -> bool:
        """Could the last position be read?"""
        return self._board.readable

    @property
    def chess960(self) -> bool:
        """Is castling written as king takes rook?"""
        return self.values["UCI_Chess960"] == "true"

    def rehearse(self) -> None:
        """Search a little, so that the first real search has no first calls to pay for."""
        self.searcher.search(self._board.game, Limits(depth=1))
        self.searcher.clear()

    def stop(self) -> None:
        """End what is running, if anything is; a search prints its bestmove from its own thread."""
        self._stopped.set()
        self._released.set()
        self.searcher.stop()
        self._counter.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: the running search goes on as one with a clock."""
        self._released.set()
        self.searcher.ponderhit()

    def finish(self, patience: float | None = None) -> None:
        """End the running search, or wait for the running count; `patience` (seconds) bounds the wait for a search."""
        if self._thread is None:
            return
        if self.counting_since is None:
            self.stop()
            self._thread.join(patience)
        else:
            self._await_count(self._thread)
        self._thread = None

    def _await_count(self, thread: threading.Thread) -> None:
        while thread.is_alive():
            thread.join(LOOK)
            if self.is_hurried():
                self.stop()

    def complete(self) -> None:
        """Wait until the running search or count ends by itself."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(LOOK)  # in pieces: on Windows nothing interrupts an endless wait, not even Ctrl-C

    def leave(self) -> None:
        """The conversation is over: a search still prints its bestmove, a count is completed."""
        self.finish(LAST_WORD)

    def new_game(self) -> None:
        """Forget what was learned of the last game."""
        self.finish()
        self.searcher.clear()

    def set_option(self, command: SetOption) -> None:
        """Carry out `setoption`; what cannot be done is told and leaves everything as it was."""
        self.finish()
        try:
            option = find(command.name)
            value, objection = option.read(command.value)
            if option.name == "Hash":
                self.searcher.resize(int(value))
            elif option.name == "EvalFile":
                self.searcher.use_network(read_network(Path(value)) if value else None)
        except (ValueError, MemoryError) as error:
            inform(f"error: {error}")
            return
        if objection:
            inform(objection)
        self.values[option.name] = value
        self._apply(option.name)
        remark(f"option {option.name} is {value!r}")

    def _apply(self, name: str) -> None:
        """Let the search know what an option says now."""
        values, searcher = self.values, self.searcher
        if name == "Clear Hash":
            searcher.clear()
        elif name == "Move Overhead":
            searcher.time.overhead = int(values[name])
        elif name == "Threads":
            searcher.threads = int(values[name])
        elif name == "MultiPV":
            searcher.multipv = int(values[name])
        elif name == "nodestime":
            searcher.time.node_time.rate = int(values[name])
        elif name in ("UCI_LimitStrength", "UCI_Elo", "Skill Level", "UCI_AnalyseMode"):
            searcher.skill = self._strength()
        elif name in searcher.parameters:
            searcher.set_parameter(name, int(values[name]))
        elif name == "Debug Log File":
            for trouble in log.open(values[name]):
                inform(trouble)
        else:
            self._knowledge.apply(name)

    def _strength(self) -> Skill | None:
        """How well to play games: UCI_LimitStrength goes before Skill Level, and analysis is not weakened."""
        if self.values["UCI_AnalyseMode"] == "true":
            return None
        if self.values["UCI_LimitStrength"] == "true":
            return skill_from_elo(int(self.values["UCI_Elo"]))
        return skill_from_level(int(self.values["Skill Level"]))

    def set_position(self, command: SetPosition) -> None:
        """Carry out `position`. After one that cannot be read the last good one stays, and `go` answers (none)."""
        self.finish()
        try:
            self._board.follow(command)
        except ValueError as error:
            inform(f"error {error}")
            return
        for trouble in command.troubles():
            inform(trouble)
        remark(f"position {write_fen(self._board.position)}")

    def go(self, command: Go) -> None:
        """Start a search; it prints exactly one bestmove."""
        self.finish()
        self.searcher.arm()
        limits = limits_of(command, self._search_moves(command.searchmoves))
        self.searcher.skill = None if limits.infinite else self._strength()
        for trouble in command.troubles():
            inform(trouble)
        remark(str(limits))
        self._start(lambda: self._think(limits))

    def _start(self, work: Callable[[], None]) -> None:
        self._stopped.clear()
        self._released.clear()
        thread = threading.Thread(target=work, daemon=True, name="search")
        thread.start()  # RuntimeError if the system allows no more threads
        self._thread = thread

    def _search_moves(self, texts: tuple[str, ...]) -> tuple[int, ...] | None:
        if not texts:
            return None
        moves = []
        for text in dict.fromkeys(texts) if self._board.readable else ():
            try:
                moves.append(self._board.position.parse_move(text))
            except ValueError as error:
                inform(f"searchmoves: {error}")
        return tuple(dict.fromkeys(moves))

    def _think(self, limits: Limits) -> None:
        game, result = self._board.game, Result(0, 0)
        try:
            if not self._board.readable:
                inform(f"error: {NO_POSITION}")
            elif not (legal := game.position.legal_moves()):
                self._explain_ending(game.position)
            elif choices := legal if limits.searchmoves is None else limits.searchmoves:
                result = Result(choices[0], 0)
                result = self._answer(game, limits)
        except Exception as error:  # a fault must cost this search at most, not the game
            inform(f"error in search: {type(error).__name__}: {error}")
        if limits.infinite:
            self._stopped.wait()
        elif limits.ponder:
            self._released.wait()
        say(result_text(result, self.chess960))

    def _answer(self, game: Game, limits: Limits) -> Result:
        """The book's move, or else that of a search among the moves that the endgame tables leave."""
        if (found := self._knowledge.book_move(game, limits)) is not None:
            line = (found.move, found.reply) if found.reply else (found.move,)
            worth = self.searcher.evaluate(game.position)
            say(self._described(Report(0, 0, worth, 0, 0, 0, 0, line), material_of(game.position)))
            return Result(found.move, found.reply)
        if self.searcher.skill is not None:  # tables would make a weak player a perfect one
            return self._search(game, limits)
        ranking, limits = self._knowledge.rank(game, limits, self._stopped.is_set)
        if ranking is None:
            return self._search(game, limits)
        remark(self._knowledge.describe(ranking))
        return self._search(game, limits, ranking.adjust)

    def _search(self, game: Game, limits: Limits, adjust: Callable[[Report], Report] = lambda report: report) -> Result:
        """Search and tell, each report adjusted; what is too short for a report gets one all the same."""
        material = material_of(game.position)

        def describe(report: Report) -> str:
            return self._described(adjust(report), material)

        def name(progress: Progress) -> str:
            return progress_text(progress, self.chess960)

        commentary = Commentary(say, describe, name, lambda: self.searcher.progress)
        try:
            result = self.searcher.search(game, limits, commentary.tell)
        finally:
            commentary.end()
            if missing := self.searcher.missing_threads:
                inform(f"{missing} of {self.searcher.threads} threads could not be started: the system allows no more")
        if not commentary.told:
            worth = self.searcher.evaluate(game.position)
            say(describe(Report(0, 0, worth, 0, self.searcher.nodes, 0, 0, (result.best,))))
        return result

    def _described(self, report: Report, material: float) -> str:
        wanted = self.values["UCI_ShowWDL"] == "true"
        return info_text(report, self.chess960, wdl(report.score, material) if wanted else None)

    def _explain_ending(self, position: Position) -> None:
        for text in ending_texts(position.in_check):
            say(text)

    def show_board(self) -> None:
        """`d`."""
        say(board_text(self._board.position, self.chess960))

    def show_evaluation(self) -> None:
        """`eval`."""
        if self._has_position():
            say(evaluation_text(self._board.position, self.searcher))

    def flip(self) -> None:
        """The same position with colours exchanged."""
        self.finish()
        if self._has_position():
            board = self._board.position.to_board(chess960=True).mirror()
            self._board.set_up(Position.from_board(board))

    def _has_position(self) -> bool:
        """Is the last position that was sent on the board? Tells if not."""
        if not self.readable:
            inform(f"error: {NO_POSITION}")
        return self.readable

    def count_leaves(self, command: Perft) -> None:
        """`go perft`: leaves below each move, and in all."""
        self.finish()
        depth = command.depth
        if depth is None or not 1 <= depth <= MAX_DEPTH:
            inform(f"error: perft takes a depth from 1 to {MAX_DEPTH}")
            return
        if self._has_position():
            self._count(lambda: self._count_leaves(self._board.position, depth))

    def _count_leaves(self, position: Position, depth: int) -> None:
        total = 0
        try:
            for move, leaves in divide(position, depth, self._stopped.is_set):
                total += leaves
                say(f"{move_text(move, self.chess960)}: {leaves}")
        except PerftStopped:
            inform("perft stopped")
            return
        say(f"\nNodes searched: {total}")

    def bench(self, command: Bench) -> None:
        """Search the bench positions; the last line is the signature of the engine."""
        self.finish()
        self._counter = Searcher(bench.MEGABYTES, parameters=self.searcher.parameters)
        self._count(lambda: self._bench(command.depth))

    def _bench(self, depth: int | None) -> None:
        for line in bench.run(self._counter, depth):
            if self._stopped.is_set():
                inform("bench stopped")
                return
            say(line)

    def _count(self, work: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                work()
            except Exception as error:  # a count that fails says so and costs nothing else
                inform(f"error: {type(error).__name__}: {error}")
            self.counting_since, self._counter = None, self.searcher

        self.counting_since = time.monotonic()
        try:
            self._start(guarded)
        except RuntimeError:
            self.counting_since = None
            raise
