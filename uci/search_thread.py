"""One search at a time, in a thread of its own, and the one bestmove that it prints."""

from __future__ import annotations

import threading
from collections.abc import Callable

from zobra.search.limits import Limits, Result
from zobra.search.searcher import Searcher

SHORT_SEARCH = 50  # milliseconds, of a search that gets no thread of its own
POLL = 0.02  # seconds; on Windows nothing interrupts an endless wait, not even Ctrl-C


class SearchThread:
    """Starts searches, and holds a bestmove back as long as the protocol forbids it.

    `stop` and `ponderhit` may be called from any thread, the other methods from one thread only.
    """

    def __init__(self, searcher: Searcher, answer: Callable[[Result], None]) -> None:
        self._searcher, self._answer = searcher, answer
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()  # does the search have to end?
        self._released = threading.Event()  # may a search that pondered print its bestmove?

    def start(self, limits: Limits, think: Callable[[Limits], Result]) -> None:
        """Run `think` in a new thread, or briefly in this one if the system allows no more; pass its result to `answer`."""
        self.finish()
        self._searcher.arm()
        self._stopped.clear()
        self._released.clear()
        thread = threading.Thread(target=self._run, args=(limits, think), daemon=True, name="search")
        try:
            thread.start()
        except RuntimeError:
            self._answer(think(limits._replace(movetime=SHORT_SEARCH, infinite=False, ponder=False)))
        else:
            self._thread = thread

    def _run(self, limits: Limits, think: Callable[[Limits], Result]) -> None:
        result = think(limits)
        if limits.infinite:
            self._stopped.wait()
        elif limits.ponder:
            self._released.wait()
        self._answer(result)

    def is_stopped(self) -> bool:
        """Does the running search have to end?"""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End the search, if one runs. It prints its bestmove from its own thread."""
        self._stopped.set()
        self._released.set()
        self._searcher.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: the search goes on with its clock running."""
        self._released.set()
        self._searcher.ponderhit()

    def finish(self, timeout: float | None = None) -> None:
        """End the search, and wait until its bestmove is printed, at most `timeout` seconds."""
        if self._thread is not None:
            self.stop()
            self._thread.join(timeout)
            self._thread = None

    def complete(self) -> None:
        """Wait until the search ends by itself."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(POLL)
