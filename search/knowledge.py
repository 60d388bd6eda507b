"""What is known without a search: the opening book and the endgame tables, and when they are asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.search.book import Book, BookMove
from zobra.search.limits import Limits
from zobra.search.root_ranking import OUTCOME_NAMES, Ranking, Rules, consult
from zobra.search.tablebase import Tablebase


class Knowledge:
    """Book and tables as the options want them. `values` are the options' values; `inform` tells the user something."""

    def __init__(self, values: dict[str, str], inform: Callable[[str], None]) -> None:
        self.book = Book()
        self.tables = Tablebase()
        self._values, self._inform = values, inform

    def apply(self, name: str) -> None:
        """Do what the option of this name says now."""
        if name == "BookFile":
            self._tell(self.book.open(self._values[name]))
        elif name == "SyzygyPath":
            self._tell(self.tables.open(self._values[name]))
        elif name == "Book Variety":
            self.book.variety = int(self._values[name])

    def book_move(self, game: Game, limits: Limits) -> BookMove | None:
        """The move to play from the book; None when it knows none, or when the position is to be analysed."""
        if not self._is_on("OwnBook") or self._is_analysis(limits) or limits.mate is not None:
            return None
        try:
            found = self.book.choose(game.position, limits.searchmoves or game.position.legal_moves())
        except Exception as error:  # a fault must cost the book at most, not the game
            self._inform(f"error: book {self.book.name} is not used any more: {error}")
            self.book.open("")
            return None
        if found is not None:
            share = f"weight {found.weight} of {found.total}"
            self._inform(f"book move {move_text(found.move, self._is_on('UCI_Chess960'))} from {self.book.name}, {share}")
        return found

    def rank(self, game: Game, limits: Limits, is_stopped: Callable[[], bool]) -> tuple[Ranking | None, Limits]:
        """What the endgame tables say of the root (None: nothing), and the limits for the search that follows.

        The time that was spent on looking up is taken off, found or not.
        """
        several = int(self._values["MultiPV"]) > 1
        rules = Rules(
            limit=int(self._values["SyzygyProbeLimit"]),
            fifty_moves=self._is_on("Syzygy50MoveRule"),
            analysing=several or self._is_analysis(limits) or limits.mate is not None,
        )
        begin = time.monotonic()
        ranking: Ranking | None = None
        try:
            ranking = consult(self.tables, game, limits, rules, is_stopped)
        except Exception as error:  # a fault must cost the tables at most, not the game
            self._inform(f"error: endgame tables are not used any more: {type(error).__name__}: {error}")
            self.tables.close()
        limits = limits.after(round(1000 * (time.monotonic() - begin)))
        return ranking, limits if ranking is None else replace(limits, searchmoves=ranking.moves)

    def describe(self, ranking: Ranking) -> str:
        """What the tables said, for `debug on`."""
        moves = " ".join(move_text(move, self._is_on("UCI_Chess960")) for move in ranking.moves)
        result = "not known" if ranking.outcome is None else OUTCOME_NAMES[ranking.outcome]
        return f"endgame tables: {result}; {ranking.hits} positions looked up in {ranking.milliseconds} ms; moves {moves}"

    def _is_analysis(self, limits: Limits) -> bool:
        return limits.infinite or self._is_on("UCI_AnalyseMode")

    def _is_on(self, name: str) -> bool:
        return self._values[name] == "true"

    def _tell(self, remarks: list[str]) -> None:
        for remark in remarks:
            self._inform(remark)
