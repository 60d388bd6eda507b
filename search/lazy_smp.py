"""Lazy SMP: helper threads search the same root with the same transposition table.

This speeds up the first thread. The threads wait between searches. Each one that joins a search
wakes the next, so only one at a time needs the global interpreter lock; one that is still busy
joins late or not at all. Threads beyond the number of processors have the lowest priority, so that
the first thread, which keeps the time, has a processor. Idea: Dan Homan; Chess Programming Wiki,
"Lazy SMP".
"""

import os
import sys
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

import numpy as np

from zobra.engine.memory import available_megabytes
from zobra.engine.position import CONSTANTS_RECORD
from zobra.engine.scores import is_mate
from zobra.search.iterative_deepening import run_helper
from zobra.search.options import MAX_THREADS
from zobra.search.root import RootLine, root_lines
from zobra.search.worker import SIGNALS, STOP, WORKER, new_worker

WORKER_MEGABYTES = 1 + (WORKER.itemsize >> 20)
VOTE_BASE = 14  # added to a line's lead over the worst line, so that every depth counts
LOWEST_PRIORITY = 19  # the nice value
VOTE_TIMEOUT = 0.005  # seconds to wait for helper threads to finish and vote
NO_SIGNALS = np.zeros(SIGNALS, np.int64)  # of a worker that does not search

MakeSearch = Callable[[np.ndarray], np.ndarray]  # from signals to a record, dtype SEARCH
Queue = SimpleQueue["_HelperSearch | None"]


def usable_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def vote(lines: list[RootLine]) -> RootLine:
    """Return the line to play: each thread votes for its move, by depth and score.

    Mate scores are compared without a vote: the higher score wins, but a line that escapes a mate
    must be at least as deep. Idea: Stockfish.
    """
    worst = min(line.score for line in lines)
    votes = defaultdict[int, int](int)
    for line in lines:
        votes[line.moves[0]] += (line.score - worst + VOTE_BASE) * line.depth

    best = lines[0]
    for line in lines[1:]:
        if is_mate(best.score) or is_mate(line.score):
            escapes = best.score < 0 and not is_mate(line.score)
            is_better = line.score > best.score and (not escapes or line.depth >= best.depth)
        else:
            is_better = votes[line.moves[0]] > votes[best.moves[0]]
        if is_better:
            best = line
    return best


class _HelperSearch:
    """One search, which helper threads may join until it is stopped.

    `memory` is kept alive until it is stopped and they have finished.
    """

    def __init__(self, make_search: MakeSearch, memory: object) -> None:
        self.active: list[np.ndarray] = []  # the workers that joined
        self._finished: list[np.ndarray] = []
        self._memory = memory
        self._changed = threading.Condition()
        self._signals = np.zeros(SIGNALS, np.int64)
        self._search = make_search(self._signals)

    @property
    def is_running(self) -> bool:
        """Return whether any thread that joined has not finished."""
        return len(self._finished) < len(self.active)

    def run(self, worker: np.ndarray, wake_next: Callable[["_HelperSearch"], None]) -> None:
        """Join the search unless it is too late, and return when it is over."""
        with self._changed:
            if self._signals[STOP] or any(worker is other for other in self.active):
                return
            worker[0]["nodes"] = 0
            worker["counters"] = 0
            self.active.append(worker)
            first_depth = 1 + len(self.active) % 2
        wake_next(self)
        run_helper(worker[0], CONSTANTS_RECORD, self._search[0], first_depth)
        with self._changed:
            self._finished.append(worker)
            self._changed.notify()

    def stop(self, timeout: float | None) -> list[RootLine]:
        """Stop the search, and wait for its threads for at most `timeout` seconds.

        Return the best lines of the threads that have finished.
        """
        with self._changed:
            self._signals[STOP] = 1
            self._changed.wait_for(lambda: not self.is_running, timeout)
            if not self.is_running:
                self._memory = None  # the table can be freed before the next search
        return [line for worker in self._finished for line in root_lines(worker[0]["root"])]


def _serve(queue: Queue, worker: np.ndarray, low_priority: bool) -> None:
    """Join the searches in a queue; None ends all threads of the queue, one after another."""
    if low_priority and sys.platform == "linux":  # elsewhere a thread has no priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
    while (search := queue.get()) is not None:
        search.run(worker, queue.put)
        del search  # and the memory that it keeps
    queue.put(None)


class LazySmp:
    """The helper threads, each with its own worker.

    They wait for searches in two queues, one of them for surplus threads, and end with this object.
    `size` is the number of threads asked for, at most MAX_THREADS; `full_speed_threads` is the
    number of running threads that have a processor. Both include the first thread.
    """

    def __init__(self, parameters: dict[str, int], size: int = 1) -> None:
        self.size = max(1, min(size, MAX_THREADS))
        self.full_speed_threads = 1
        self.workers: list[np.ndarray] = []
        self._queue: Queue = SimpleQueue()
        self._surplus_queue: Queue = SimpleQueue()
        self._searches: list[_HelperSearch] = []  # the current or last one, by queue
        self._earlier: list[_HelperSearch] = []  # stopped, but some threads have not finished
        for queue in (self._queue, self._surplus_queue):
            weakref.finalize(self, queue.put, None)
        if self.size == 1:
            return

        run_helper.load()  # not later, when memory may be short
        wanted = self.size
        available = available_megabytes()
        if available is not None:
            wanted = min(wanted, 1 + available // WORKER_MEGABYTES)
        with suppress(RuntimeError, MemoryError):
            for number in range(1, wanted):
                self._start_thread(parameters, is_surplus=number >= usable_processors())

    def _start_thread(self, parameters: dict[str, int], is_surplus: bool) -> None:
        """Start a thread. Raise RuntimeError or MemoryError if the system allows no more."""
        worker = new_worker(parameters, NO_SIGNALS)
        queue = self._surplus_queue if is_surplus else self._queue
        arguments = (queue, worker, is_surplus)
        thread = threading.Thread(target=_serve, args=arguments, daemon=True, name="helper")
        thread.start()
        self.workers.append(worker)
        if not is_surplus:
            self.full_speed_threads += 1

    @property
    def active(self) -> list[np.ndarray]:
        """The workers of the helper threads that joined the current or last search."""
        return [worker for search in self._searches for worker in search.active]

    @property
    def nodes(self) -> int:
        """The number of positions that the helper threads visited in the current or last search."""
        return sum(int(worker[0]["nodes"]) for worker in self.active)

    def start(self, make_search: MakeSearch | None, memory: object) -> None:
        """Start a search, which runs until `stop`.

        `make_search` takes signals and returns the initial data of a search; if it is None, helpers
        stay idle. `memory` is kept alive meanwhile.
        """
        stopped = [*self._earlier, *self._searches]
        self._earlier = [search for search in stopped if search.is_running]
        self._searches = []
        if make_search is None:
            return
        if self.full_speed_threads > 1:
            self._begin(self._queue, make_search, memory)
        has_surplus = len(self.workers) >= self.full_speed_threads
        if has_surplus:
            self._begin(self._surplus_queue, make_search, memory)

    def _begin(self, queue: Queue, make_search: MakeSearch, memory: object) -> None:
        """Offer a search to the threads of a queue."""
        search = _HelperSearch(make_search, memory)
        self._searches.append(search)
        queue.put(search)

    def end(self) -> list[RootLine]:
        """Stop the threads that have a processor, and return the best lines that they found.

        Surplus threads are not waited for.
        """
        if self.full_speed_threads > 1 and self._searches:
            return self._searches[0].stop(VOTE_TIMEOUT)
        return []

    def stop(self, timeout: float | None = None) -> None:
        """Stop all threads, those of earlier searches too.

        Wait at most `timeout` seconds for each search, or until all have finished if it is None.
        """
        for search in (*self._earlier, *self._searches):
            search.stop(timeout)
