"""What a caller of the engine learns about a search."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.search.limits import Progress, Report, Result, Statistics

if TYPE_CHECKING:
    from zobra.search.tablebase import RootRanking


class Listener:
    """Receives the reports and the result of a search.

    The methods here do nothing: a subclass overrides those that it needs. The engine calls them on
    its own threads. `on_result` is the last call, exactly one for each search.
    """

    def on_report(self, report: Report) -> None:
        """Receive a report of a line that was searched."""

    def on_current_move(self, progress: Progress) -> None:
        """Receive the root move that a long search has come to."""

    def on_no_moves(self, in_check: bool) -> None:
        """Receive the end of the game: checkmate if in check, otherwise stalemate."""

    def on_tablebase(self, ranking: "RootRanking") -> None:
        """Receive the tablebases' ranking of the root moves."""

    def on_searched(self, statistics: Callable[[], Statistics]) -> None:
        """Receive the end of a search; `statistics`, valid in this call, returns what it did."""

    def on_result(self, result: Result) -> None:
        """Receive the move to play, in the last call."""


class Collector(Listener):
    """Stores the last report of each line, by rank, and the result."""

    def __init__(self) -> None:
        self.lines: dict[int, Report] = {}
        self.result = Result(0, 0)

    def on_report(self, report: Report) -> None:
        """Store a report in place of the last one of its rank."""
        self.lines[report.multipv] = report

    def on_result(self, result: Result) -> None:
        """Store the result."""
        self.result = result
