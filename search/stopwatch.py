"""When a running search has to end: the flag and the deadline that its kernels read, and the time it has used.

Times are milliseconds. `arm`, `stop` and `ponderhit` may come from any thread.
"""

from __future__ import annotations

import threading

import numpy as np

from zobra.search.clock import TimeBudget
from zobra.search.worker import DEADLINE, SIGNALS, STOP, clock_now

NANOSECONDS = 1_000_000  # in a millisecond
NEVER = np.iinfo(np.int64).max
NO_TIME = TimeBudget(None, None)


class Stopwatch:
    """Of a search's first worker, which ends the others. While it ponders there is no deadline, but what was thought then need
    not be thought again: the optimum counts from the beginning, and a search that was past it at the end of its last depth
    ends when the `ponderhit` comes.
    """

    def __init__(self) -> None:
        self.signals = np.zeros(SIGNALS, np.int64)
        self._lock = threading.Lock()
        self._budget = NO_TIME
        self._began = self._counted_from = 0
        self._pondering = self._hit = self._has_enough = False

    def arm(self) -> None:
        """Take back an earlier `stop` or `ponderhit`; what may come before `start` is not for the search that was before."""
        with self._lock:
            self.signals[STOP] = 0
            self._hit = self._pondering = self._has_enough = False

    def stop(self) -> None:
        """End the search at once."""
        self.signals[STOP] = 1

    def start(self) -> None:
        """A search begins, for now without limit."""
        with self._lock:
            self._began = self._counted_from = int(clock_now())
            self._budget, self._pondering, self._has_enough = NO_TIME, False, False
            self.signals[DEADLINE] = 0

    def limit(self, budget: TimeBudget, pondering: bool) -> None:
        """Give the search its time; while it ponders the maximum limit does not count before `ponderhit`."""
        with self._lock:
            self._budget, self._pondering = budget, pondering and not self._hit
            self._set_deadline()

    def ponderhit(self) -> None:
        """The move pondered on was played: the clock runs now."""
        with self._lock:
            self._hit = True
            if self._pondering:
                self._pondering, self._counted_from = False, int(clock_now())
                self._set_deadline()
                if self._has_enough:
                    self.stop()

    def _set_deadline(self) -> None:
        if self._budget.maximum is not None and not self._pondering:
            self.signals[DEADLINE] = min(self._counted_from + int(self._budget.maximum * NANOSECONDS), NEVER)

    @property
    def milliseconds(self) -> int:
        """Since the search began."""
        return (int(clock_now()) - self._began) // NANOSECONDS

    def is_late(self, budget: TimeBudget) -> bool:
        """Is it too late to begin another depth, by the optimum limit of `budget`? While it ponders it never is."""
        if budget.optimum is None:
            return False
        late = (int(clock_now()) - self._began) / NANOSECONDS >= budget.optimum
        with self._lock:
            self._has_enough = late
            return late and not self._pondering
