"""Carrying out `go`: from the command to its one bestmove."""

from __future__ import annotations

from collections.abc import Callable

from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.search.book import Book, BookMove
from zobra.search.limits import Limits, Progress, Report, Result
from zobra.search.searcher import Searcher
from zobra.search.skill import Skill, skill_from_elo, skill_from_level
from zobra.search.tablebase import Tablebase
from zobra.search.wdl import material_of, wdl
from zobra.uci.commands import Go
from zobra.uci.commentary import Commentary
from zobra.uci.console import Console
from zobra.uci.followed_game import FollowedGame
from zobra.uci.go_limits import limits_of
from zobra.uci.report import ending_texts, info_text, progress_text, result_text
from zobra.uci.search_thread import SearchThread

NO_POSITION = "there is no position, since the last one could not be read"


class GoHandler:
    """Starts searches of the game that `board` follows, and prints what they find. `values` are the values of the options."""

    def __init__(self, console: Console, values: dict[str, str], searcher: Searcher, board: FollowedGame) -> None:
        self._console, self._values, self._searcher, self._board = console, values, searcher, board
        self.book, self.tables = Book(console.inform), Tablebase(console.inform)
        self.thread = SearchThread(searcher, lambda result: console.say(result_text(result, self._chess960)))

    @property
    def _chess960(self) -> bool:
        return self._is_on("UCI_Chess960")

    def _is_on(self, name: str) -> bool:
        return self._values[name] == "true"

    def _is_analysis(self, limits: Limits) -> bool:
        return limits.infinite or limits.mate is not None or self._is_on("UCI_AnalyseMode")

    def skill(self) -> Skill | None:
        """How well to play: UCI_LimitStrength goes before Skill Level. Analysis is not weakened."""
        if self._is_on("UCI_AnalyseMode"):
            return None
        if self._is_on("UCI_LimitStrength"):
            return skill_from_elo(int(self._values["UCI_Elo"]))
        return skill_from_level(int(self._values["Skill Level"]))

    def go(self, command: Go) -> None:
        """Start a search; it prints exactly one bestmove."""
        self.thread.finish()
        limits = limits_of(command, self._search_moves(command.searchmoves))
        self._searcher.skill = None if limits.infinite else self.skill()
        for problem in command.problems():
            self._console.inform(problem)
        self._console.remark(str(limits))
        self.thread.start(limits, self._think)

    def _search_moves(self, texts: tuple[str, ...]) -> tuple[int, ...] | None:
        if not texts:
            return None
        moves = []
        for text in dict.fromkeys(texts) if self._board.readable else ():
            try:
                moves.append(self._board.position.parse_move(text))
            except ValueError as error:
                self._console.inform(f"searchmoves: {error}")
        return tuple(dict.fromkeys(moves))

    def _think(self, limits: Limits) -> Result:
        """The answer to a `go`. A fault costs this search at most, not the game."""
        game, result = self._board.game, Result(0, 0)
        try:
            if not self._board.readable:
                self._console.inform(f"error: {NO_POSITION}")
            elif not (legal := game.position.legal_moves()):
                for text in ending_texts(game.position.in_check):
                    self._console.say(text)
            elif choices := legal if limits.searchmoves is None else limits.searchmoves:
                result = Result(choices[0], 0)
                result = self._answer(game, limits)
        except Exception as error:
            self._console.inform(f"error in search: {type(error).__name__}: {error}")
        return result

    def _answer(self, game: Game, limits: Limits) -> Result:
        """The move of the book, or else that of a search among the moves that the endgame tables leave."""
        if (found := self._book_move(game, limits)) is not None:
            line = (found.move, found.reply) if found.reply else (found.move,)
            value = self._searcher.evaluate(game.position)
            self._console.say(self._info(Report(0, 0, value, 0, 0, 0, 0, line), material_of(game.position)))
            return Result(found.move, found.reply)
        if self._searcher.skill is not None:  # tables would make a weak player a perfect one
            return self._search(game, limits)
        keep_all = self._is_analysis(limits) or int(self._values["MultiPV"]) > 1
        ranking = self.tables.rank(game, limits, keep_all, self.thread.is_stopped)
        if ranking is None:
            return self._search(game, limits)
        self._console.remark(f"endgame tables: {ranking}")
        return self._search(game, ranking.confine(limits), ranking.adjust)

    def _book_move(self, game: Game, limits: Limits) -> BookMove | None:
        """The move to play from the book; None if it has none, or if the position is to be analysed."""
        if not self._is_on("OwnBook") or self._is_analysis(limits):
            return None
        moves = game.position.legal_moves() if limits.searchmoves is None else limits.searchmoves
        if (found := self.book.choose(game.position, moves)) is not None:
            weight = f"weight {found.weight} of {found.total}"
            self._console.inform(f"book move {move_text(found.move, self._chess960)} from {self.book.name}, {weight}")
        return found

    def _search(self, game: Game, limits: Limits, adjust: Callable[[Report], Report] = lambda report: report) -> Result:
        """Search, and print each report as `adjust` changes it. A search too short for a report gets one all the same."""
        material = material_of(game.position)

        def describe(report: Report) -> str:
            return self._info(adjust(report), material)

        def name(progress: Progress) -> str:
            return progress_text(progress, self._chess960)

        commentary = Commentary(self._console.say, describe, name, lambda: self._searcher.progress)
        try:
            result = self._searcher.search(game, limits, commentary.report)
        finally:
            commentary.end()
        if not commentary.reported:
            value = self._searcher.evaluate(game.position)
            self._console.say(describe(Report(0, 0, value, 0, self._searcher.nodes, 0, 0, (result.best,))))
        return result

    def _info(self, report: Report, material: float) -> str:
        return info_text(report, self._chess960, wdl(report.score, material) if self._is_on("UCI_ShowWDL") else None)
