"""Carrying out `go`: from the command to its one bestmove."""

import threading
from collections.abc import Callable, Collection

from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.search.book import Book
from zobra.search.limits import ClockTimes, Limits, Report, Result
from zobra.search.searcher import Searcher
from zobra.search.skill import Skill, skill_from_elo, skill_from_level
from zobra.search.tablebase import Tablebase
from zobra.search.wdl import material_of, wdl
from zobra.uci.commands import AT_LEAST_ONE, NO_CLOCK, Go
from zobra.uci.commentary import Commentary, info_text, progress_text, result_text
from zobra.uci.console import Console
from zobra.uci.followed_game import FollowedGame

NO_POSITION = "there is no position, since the last one could not be read"
SHORT_SEARCH = (
    50  # milliseconds, of a search that gets no thread of its own, or whose limits are of no use
)
POLL = 0.02  # seconds; on Windows nothing interrupts an endless wait, not even Ctrl-C


def limits_of(command: Go, searchmoves: tuple[int, ...] | None = None) -> Limits:
    """The limits; numbers below the smallest sensible one count as that, and clocks are passed on
    as they are.

    A side whose clock was not sent has the other's. A line that wanted a limit and named no number
    that is one asks for a short search: with none at all it would never end.
    """
    given = {name: number for name, number in command.numbers.items() if number is not None}
    numbers = {name: max(1, given[name]) for name in AT_LEAST_ONE if name in given}
    white, clock = given.get("wtime", given.get("btime")), None
    if white is not None and not command.infinite:
        white_increment, black_increment, to_go = (max(0, given.get(word, 0)) for word in NO_CLOCK)
        clock = ClockTimes(
            white, given.get("btime", white), white_increment, black_increment, to_go or None
        )
    if command.numbers and not (numbers or clock or command.infinite):
        numbers["movetime"] = SHORT_SEARCH
    ponder = command.ponder and not command.infinite
    return Limits(
        **numbers, clock=clock, infinite=command.infinite, ponder=ponder, searchmoves=searchmoves
    )


class GoHandler:
    """Searches the game that `board` follows, one search at a time in a thread of its own, and
    prints what it finds.

    A bestmove is held back as long as the protocol forbids it. `values` are the values of the
    options. `stop` and `ponderhit` may be called from any thread, the other methods from one only.
    """

    def __init__(
        self, console: Console, values: dict[str, str], searcher: Searcher, board: FollowedGame
    ) -> None:
        self._console, self._values, self._searcher, self._board = console, values, searcher, board
        self.book, self.tables = Book(console.inform), Tablebase(console.inform)
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()  # does the search have to end?
        self._released = threading.Event()  # may a search that pondered print its bestmove?

    def _is_on(self, name: str) -> bool:
        return self._values[name] == "true"

    def skill(self) -> Skill | None:
        """How well to play: UCI_LimitStrength goes before Skill Level. Analysis is not weakened."""
        if self._is_on("UCI_AnalyseMode"):
            return None
        if self._is_on("UCI_LimitStrength"):
            return skill_from_elo(int(self._values["UCI_Elo"]))
        return skill_from_level(int(self._values["Skill Level"]))

    def go(self, command: Go) -> None:
        """Start a search, when none is running; it prints exactly one bestmove."""
        limits = limits_of(command, self._search_moves(command.searchmoves))
        self._searcher.skill = None if limits.infinite or limits.mate is not None else self.skill()
        for problem in command.problems:
            self._console.inform(problem)
        self._console.remark(limits)
        self._searcher.arm()
        self._stopped.clear()
        self._released.clear()
        thread = threading.Thread(target=self._run, args=(limits,), daemon=True, name="search")
        try:
            thread.start()
        except RuntimeError:  # the system allows no more threads
            self._run(limits._replace(movetime=SHORT_SEARCH, infinite=False, ponder=False))
        else:
            self._thread = thread

    def stop(self) -> None:
        """End the search, if one runs. It prints its bestmove from its own thread."""
        self._stopped.set()
        self._released.set()
        self._searcher.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: the search goes on with its clock running."""
        self._released.set()
        self._searcher.ponderhit()

    def finish(self, timeout: float | None = None) -> None:
        """End the search, and wait until its bestmove is printed, at most `timeout` seconds."""
        if self._thread is not None:
            self.stop()
            self._thread.join(timeout)
            self._thread = None

    def complete(self) -> None:
        """Wait until the search ends by itself."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(POLL)

    def _search_moves(self, texts: tuple[str, ...]) -> tuple[int, ...] | None:
        """The legal moves among these, each once; None without any text. The others are named."""
        moves = {}
        for text in dict.fromkeys(texts) if self._board.readable else ():
            try:
                moves[self._board.game.position.parse_move(text)] = text
            except ValueError as error:
                self._console.inform(f"searchmoves: {error}")
        return tuple(moves) if texts else None

    def _run(self, limits: Limits) -> None:
        """Answer a `go`. A fault costs this search at most, not the game."""
        game, result = self._board.game, Result(0, 0)
        try:
            if not self._board.readable:
                self._console.inform(f"error: {NO_POSITION}")
            elif not (legal := game.position.legal_moves()):
                score, word = (
                    ("mate 0", "checkmate") if game.position.in_check else ("cp 0", "stalemate")
                )
                self._console.say(f"info depth 0 score {score}")
                self._console.inform(word)
            elif choices := legal if limits.searchmoves is None else limits.searchmoves:
                result = Result(choices[0], 0)
                result = self._choose(game, limits, choices)
        except Exception as error:
            self._console.inform(f"error in search: {type(error).__name__}: {error}")
        if limits.infinite:
            self._stopped.wait()
        elif limits.ponder:
            self._released.wait()
        self._console.say(result_text(result, self._is_on("UCI_Chess960")))

    def _choose(self, game: Game, limits: Limits, choices: Collection[int]) -> Result:
        """The move of the book, or else that of a search among the moves that the endgame tables
        leave.
        """
        analyses = limits.infinite or limits.mate is not None or self._is_on("UCI_AnalyseMode")
        if (
            self._is_on("OwnBook")
            and not analyses
            and (found := self.book.choose(game.position, choices)) is not None
        ):
            move, weight = (
                move_text(found.move, self._is_on("UCI_Chess960")),
                f"weight {found.weight} of {found.total}",
            )
            self._console.inform(f"book move {move} from {self.book.path.name}, {weight}")
            line = (found.move, found.reply) if found.reply else (found.move,)
            value = self._searcher.evaluate(game.position)
            self._console.say(
                self._info(Report(0, 0, value, 0, 0, 0, 0, line), material_of(game.position))
            )
            return Result(found.move, found.reply)
        if self._searcher.skill is None:  # tables would make a weak player a perfect one
            keep_all = analyses or int(self._values["MultiPV"]) > 1
            if (
                ranking := self.tables.rank(game, limits, keep_all, self._stopped.is_set)
            ) is not None:
                self._console.remark(f"endgame tables: {ranking}")
                return self._search(
                    game, limits._replace(searchmoves=ranking.moves), ranking.adjust
                )
        return self._search(game, limits)

    def _search(
        self, game: Game, limits: Limits, adjust: Callable[[Report], Report] = lambda report: report
    ) -> Result:
        """Search, and print each report as `adjust` changes it."""
        material, chess960 = material_of(game.position), self._is_on("UCI_Chess960")

        def describe(report: Report) -> str:
            return self._info(adjust(report), material)

        commentary = Commentary(
            self._console.say, describe, lambda: progress_text(self._searcher.progress, chess960)
        )
        try:
            return self._searcher.search(game, limits, commentary.report)
        finally:
            commentary.end()

    def _info(self, report: Report, material: float) -> str:
        chances = wdl(report.score, material) if self._is_on("UCI_ShowWDL") else None
        return info_text(report, self._is_on("UCI_Chess960"), chances)
