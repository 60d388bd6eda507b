"""What a search says while it runs: its lines, but no flood of them, and after a second the move it is looking at."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from zobra.search.limits import Progress, Report

FIRST_LOOK, LOOK = 1.0, 0.1  # seconds: before the first look at the current move, and between two looks
BURST = 400  # lines that may be said at once; some GUIs hang when a mate brings a hundred depths in a moment
LINES_A_SECOND = 200.0


class Commentary:
    """One search's. A depth's lines are said together or kept until the search ends, when the latest ones are still said.

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
        self.reported = False
        self._say, self._describe, self._name, self._look, self._now = say, describe, name, look, now
        self._kept: list[str] = []
        self._allowance, self._counted = float(BURST), now()
        self._is_quiet = False
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True, name="current move")
        with suppress(RuntimeError):  # if the system allows no more threads, the current move is not told
            self._watcher.start()

    def report(self, report: Report) -> None:
        """Say what was found, or keep it if too much was said lately. The first of several lines decides for all."""
        self.reported = True
        if report.multipv == 1:
            self._kept = []
            self._is_quiet = not self._may_speak()
        if self._is_quiet:
            self._kept.append(self._describe(report))
        else:
            self._allowance -= 1
            self._say(self._describe(report))

    def end(self) -> None:
        """The search is over: say what was kept."""
        self._over.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for line in self._kept:
            self._say(line)

    def _may_speak(self) -> bool:
        now = self._now()
        self._allowance = min(BURST, self._allowance + (now - self._counted) * LINES_A_SECOND)
        self._counted = now
        return self._allowance >= 1

    def _watch(self) -> None:
        told = self._look()
        pause = FIRST_LOOK
        while not self._over.wait(pause):
            pause = LOOK
            progress = self._look()
            if progress.move and progress != told:
                self._say(self._name(progress))
                told = progress
