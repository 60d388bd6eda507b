"""What a search prints while it runs: its info lines, but no flood of them, and after a second the current move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from zobra.search.limits import Progress, Report

FIRST_LOOK, LOOK = 1.0, 0.1  # seconds: before the first look at the current move, and between two looks
BURST = 400  # lines that may be printed at once; some GUIs hang when a mate brings a hundred depths in a moment
LINES_A_SECOND = 200.0


class Commentary:
    """One search's. The lines of a depth are printed together, or kept. The last ones kept are printed when the search ends.

    `describe` makes the text of a report, `name` that of a progress; `look` is what the search is looking at.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        describe: Callable[[Report], str],
        name: Callable[[Progress], str],
        look: Callable[[], Progress],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.reported = 0
        self._say, self._describe, self._name, self._look, self._now = say, describe, name, look, now
        self._kept: list[str] = []
        self._begin, self._printed = now(), 0
        self._is_quiet = False
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True, name="current move")
        with suppress(RuntimeError):  # if the system allows no more threads, the current move is not printed
            self._watcher.start()

    def report(self, report: Report) -> None:
        """Print a line, or keep it if too many were printed lately. The first of several lines decides for all."""
        self.reported += 1
        if report.multipv == 1:
            self._kept = []
            self._is_quiet = self._printed + 1 > BURST + LINES_A_SECOND * (self._now() - self._begin)
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
        last, pause = self._look(), FIRST_LOOK
        while not self._over.wait(pause):
            progress, pause = self._look(), LOOK
            if progress.move and progress != last:
                self._say(self._name(progress))
                last = progress
