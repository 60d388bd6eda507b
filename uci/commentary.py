"""What a search prints: its info lines, but no flood of them, after a second the current move, and
the bestmove.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Progress, Report, Result
from zobra.search.wdl import Wdl, normalised

UNWATCHED, FIRST_LOOK, LOOK = (
    0.1,
    1.0,
    0.1,
)  # seconds: so short a search has no watcher; before its first look; between two
# Lines that may be printed at once; some GUIs hang when a mate brings a hundred depths in a moment
BURST = 400
LINES_A_SECOND = 200.0
BOUND_WORDS = {1: " lowerbound", 0: "", -1: " upperbound"}


class Commentary:
    """One search's.

    The lines of a depth are printed together, or kept. The last ones kept are printed when the
    search ends.

    `describe` makes the line of a report; `look` that of the current move, empty if there is none.
    """

    def __init__(
        self, say: Callable[[str], None], describe: Callable[[Report], str], look: Callable[[], str]
    ) -> None:
        self._say, self._describe, self._look = say, describe, look
        self._kept: list[str] = []
        self._printed, self._is_quiet, self._begin = 0, False, time.monotonic()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True, name="current move")

    def report(self, report: Report) -> None:
        """Print a line, or keep it if too many were printed lately.

        The first of several lines decides for all.
        """
        if report.multipv == 1:
            elapsed = time.monotonic() - self._begin
            self._kept, self._is_quiet = [], self._printed + 1 > BURST + LINES_A_SECOND * elapsed
            if elapsed >= UNWATCHED and self._watcher.ident is None:
                with suppress(
                    RuntimeError
                ):  # if the system allows no more threads, the current move is not printed
                    self._watcher.start()
        if self._is_quiet:
            self._kept.append(self._describe(report))
        else:
            self._printed += 1
            self._say(self._describe(report))

    def end(self) -> None:
        """The search is over: print what was kept."""
        self._over.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for line in self._kept:
            self._say(line)

    def _watch(self) -> None:
        last, pause = self._look(), self._begin + FIRST_LOOK - time.monotonic()
        while not self._over.wait(pause):
            line, pause = self._look(), LOOK
            if line and line != last:
                self._say(line)
                last = line


def info_text(report: Report, chess960: bool, wdl: Wdl | None = None) -> str:
    """The `info` line of a report, its score normalised, with its win, draw and loss in permille if
    given.
    """
    value = normalised(report.score)
    score = (f"mate {mate_in_moves(value)}" if is_mate(value) else f"cp {value}") + BOUND_WORDS[
        report.bound
    ]
    chances = f" wdl {wdl.win} {wdl.draw} {wdl.loss}" if wdl else ""
    speed = report.nodes * 1000 // max(report.milliseconds, 1)
    line = " ".join(move_text(move, chess960) for move in report.pv)
    return (
        f"info depth {report.depth} seldepth {report.selective_depth} multipv {report.multipv} "
        f"score {score}{chances} "
        f"nodes {report.nodes} nps {speed} hashfull {report.hashfull} tbhits "
        f"{report.tablebase_hits} time {report.milliseconds}" + (f" pv {line}" if line else "")
    )


def progress_text(progress: Progress, chess960: bool) -> str:
    """The `info` line of the move that a search is looking at, empty if there is none yet."""
    move = move_text(progress.move, chess960)
    return (
        f"info depth {progress.depth} currmove {move} currmovenumber {progress.number}"
        if progress.move
        else ""
    )


def result_text(result: Result, chess960: bool) -> str:
    """The `bestmove` line."""
    ponder = f" ponder {move_text(result.ponder, chess960)}" if result.ponder else ""
    return (
        f"bestmove {move_text(result.best, chess960)}{ponder}" if result.best else "bestmove (none)"
    )
