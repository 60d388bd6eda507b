"""Prints the reports of a search, but at a limited rate.

The formatting code is imported only when the engine is loaded.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.search.engine import Engine
from zobra.search.limits import Progress, Report, Result, Statistics
from zobra.search.listener import Listener
from zobra.uci.console import Console

if TYPE_CHECKING:
    from zobra.search.tablebase import RootRanking

# Lines that may be printed at once; some GUIs hang when a mate brings a hundred depths in a moment
BURST = 400
LINES_A_SECOND = 200.0


class InfoPrinter(Listener):
    """Prints the reports of one search, and its bestmove.

    If too many lines come at once, they are held back; at the end of the search, the held-back
    lines of the last depth are printed. The lines of one depth are all printed or all held back.
    """

    def __init__(self, console: Console, engine: Engine) -> None:
        self._console = console
        self._engine = engine
        self._begin = time.monotonic()
        self._printed = 0
        self._kept: list[str] = []
        self._is_quiet = False

    def on_report(self, report: Report) -> None:
        """Print a line, or hold it back if too many have been printed lately.

        This is decided once per depth, by its first line.
        """
        if report.multipv == 1:
            elapsed = time.monotonic() - self._begin
            self._kept = []
            self._is_quiet = self._printed + 1 > BURST + LINES_A_SECOND * elapsed
        line = self._text(report)
        if self._is_quiet:
            self._kept.append(line)
        else:
            self._printed += 1
            self._console.send(line)

    def on_current_move(self, progress: Progress) -> None:
        """Print the root move that is being searched."""
        from zobra.uci.format import progress_text

        self._console.send(progress_text(progress, self._chess960))

    def on_no_moves(self, in_check: bool) -> None:
        """Print that the game is over."""
        self._console.send(f"info depth 0 score {'mate 0' if in_check else 'cp 0'}")
        self._console.info("checkmate" if in_check else "stalemate")

    def on_tablebase(self, ranking: "RootRanking") -> None:
        """After `debug on`, print how the tablebases have ranked the root moves."""
        self._console.debug(f"tablebases: {ranking}")

    def on_searched(self, statistics: Callable[[], Statistics]) -> None:
        """After `debug on`, print statistics of the search."""
        if self._console.debug_on:
            from zobra.uci.format import statistics_lines

            for line in statistics_lines(statistics()):
                self._console.debug(line)

    def on_result(self, result: Result) -> None:
        """Print the lines that were held back, then the bestmove."""
        for line in self._kept:
            self._console.send(line)
        if not result.best:  # perhaps because the engine could not be loaded
            self._console.send("bestmove (none)")
            return
        from zobra.uci.format import result_text

        self._console.send(result_text(result, self._chess960))

    @property
    def _chess960(self) -> bool:
        return self._engine.options["UCI_Chess960"]

    def _text(self, report: Report) -> str:
        from zobra.search.wdl import material_of, wdl
        from zobra.uci.format import info_text

        chances = None
        if self._engine.options["UCI_ShowWDL"]:
            chances = wdl(report.score, material_of(self._engine.position))
        return info_text(report, self._chess960, chances)
