"""Reports of the current root move in long searches, from a thread that otherwise waits."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from zobra.search.limits import Progress

FIRST_LOOK = 1.0  # seconds after `begin`
PERIOD = 0.1  # seconds between two looks


class CurrentMoveWatch:
    """A thread that looks at a search from time to time, and reports each new root move."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._look: Callable[[], Progress] | None = None  # None: no search is watched
        self._report: Callable[[Progress], None] | None = None
        self._next_look = 0.0
        self._last: Progress | None = None  # what was reported of this search
        self._closed = False
        with suppress(RuntimeError):  # if the system allows no thread, nothing is reported
            threading.Thread(target=self._run, daemon=True, name="current move").start()

    @property
    def is_watching(self) -> bool:
        """Return True between `begin` and `end`."""
        return self._look is not None

    def begin(self, look: Callable[[], Progress], report: Callable[[Progress], None]) -> None:
        """Watch a running search."""
        with self._changed:
            self._look = look
            self._report = report
            self._last = None
            self._next_look = time.monotonic() + FIRST_LOOK
            self._changed.notify()

    def end(self) -> None:
        """Stop watching; nothing is reported after this."""
        with self._changed:
            self._look = None
            self._report = None

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while not self._closed:
                if self._look is None or self._report is None:
                    self._changed.wait()
                    continue
                pause = self._next_look - time.monotonic()
                if pause > 0:
                    self._changed.wait(pause)
                    continue
                progress = self._look()
                if progress != self._last:
                    self._report(progress)
                    self._last = progress
                self._next_look = time.monotonic() + PERIOD
