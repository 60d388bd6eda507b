"""What a caller of the engine hears of a search."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.search.limits import Progress, Report, Result, Statistics

if TYPE_CHECKING:
    from zobra.search.tablebase import RootRanking


class Listener:
    """Gets the reports of a search and its result, as values.

    Every method does nothing here. The engine calls them on its own threads; `on_result` is the
    last call, and comes exactly once for each search.
    """

    def on_report(self, report: Report) -> None:
        """A line was searched."""

    def on_current_move(self, progress: Progress) -> None:
        """A long search has come to another move of the root."""

    def on_no_moves(self, in_check: bool) -> None:
        """The game is over: checkmate if in check, stalemate otherwise."""

    def on_tablebase(self, ranking: "RootRanking") -> None:
        """The endgame tables have ranked the moves of the root."""

    def on_searched(self, statistics: Callable[[], Statistics]) -> None:
        """The search has ended; `statistics`, valid during this call, returns what it did."""

    def on_result(self, result: Result) -> None:
        """The move to play is known: the last call."""


class Collector(Listener):
    """Keeps the last report of each line, by rank, and the result."""

    def __init__(self) -> None:
        self.lines: dict[int, Report] = {}
        self.result = Result(0, 0)

    def on_report(self, report: Report) -> None:
        """Keep it in place of the last one of its rank."""
        self.lines[report.multipv] = report

    def on_result(self, result: Result) -> None:
        """Keep it."""
        self.result = result
