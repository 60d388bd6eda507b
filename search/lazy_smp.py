"""Lazy SMP: helper threads search the same root with the same transposition table, which speeds up
the first thread.

The threads wait between searches. Each one that joins a search wakes the next, so only one at a
time needs Python's lock; one that is still busy joins late or not at all. Threads beyond the number
of processors have the least priority, so that the first thread, which keeps the time, has a
processor. Idea: Dan Homan; Chess Programming Wiki, "Lazy SMP".
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
from zobra.engine.position import TABLES_RECORD
from zobra.engine.scores import is_mate
from zobra.search.iterative_deepening import run_helper
from zobra.search.root import RootLine, root_lines
from zobra.search.worker import SIGNALS, STOP, WORKER, new_worker

MAX_THREADS = 256
WORKER_MEGABYTES = 1 + (WORKER.itemsize >> 20)
# Centipawns added to a line's lead over the worst line, so that every completed depth counts
VOTE_BASE = 14
LOWEST_PRIORITY = 19  # the nice value
VOTE_TIMEOUT = 0.005  # seconds to wait for helper threads to end and vote
NO_SIGNALS = np.zeros(SIGNALS, np.int64)  # of a worker that does not search

MakeSearch = Callable[[np.ndarray], np.ndarray]  # from signals to a record, dtype SEARCH
Queue = SimpleQueue["_HelperSearch | None"]


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def vote(lines: list[RootLine]) -> RootLine:
    """The line to play: each thread votes for its move, by depth and score. Idea: Stockfish.

    A nearer mate, or being mated later, is better without a vote. So is no mate than being mated,
    if the line is as deep.
    """
    worst, best, votes = min(line.score for line in lines), lines[0], defaultdict[int, int](int)
    for line in lines:
        votes[line.moves[0]] += (line.score - worst + VOTE_BASE) * line.depth
    for line in lines[1:]:
        if is_mate(best.score) or is_mate(line.score):
            is_better = line.score > best.score and (
                is_mate(line.score) or best.score > 0 or line.depth >= best.depth
            )
        else:
            is_better = votes[line.moves[0]] > votes[best.moves[0]]
        best = line if is_better else best
    return best


class _HelperSearch:
    """One search, which helper threads may join until it is stopped.

    `memory` is kept alive as long as they run.
    """

    def __init__(self, make_search: MakeSearch, memory: object) -> None:
        self.joined: list[np.ndarray] = []
        self._ended: list[np.ndarray] = []
        self._memory, self._changed = memory, threading.Condition()
        self._signals = np.zeros(SIGNALS, np.int64)
        self._search = make_search(self._signals)

    def run(self, worker: np.ndarray, wake_next: Callable[["_HelperSearch"], None]) -> None:
        """Join unless it is too late, and return when the search is over."""
        with self._changed:
            if self._signals[STOP] or any(worker is other for other in self.joined):
                return
            worker[0]["nodes"] = 0
            self.joined.append(worker)
        wake_next(self)
        run_helper(worker[0], TABLES_RECORD, self._search[0], 1 + len(self.joined) % 2)
        with self._changed:
            self._ended.append(worker)
            self._changed.notify()

    def stop(self, timeout: float | None) -> list[RootLine]:
        """Stop it, and wait for its threads at most `timeout` seconds.

        Return the best lines of those that have ended.
        """
        with self._changed:
            self._signals[STOP] = 1
            self._changed.wait_for(lambda: len(self._ended) == len(self.joined), timeout)
        return [line for worker in self._ended for line in root_lines(worker[0]["root"])]


def _serve(queue: Queue, worker: np.ndarray, low_priority: bool) -> None:
    """A helper thread.

    It joins the searches in its queue; None ends all threads of the queue, one after another.
    """
    if (
        low_priority and sys.platform == "linux"
    ):  # elsewhere a single thread has no priority that Python could set
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
    while (search := queue.get()) is not None:
        search.run(worker, queue.put)
        del search  # and the memory that it keeps
    queue.put(None)


class LazySmp:
    """The helper threads, each with a worker of its own.

    They wait for searches in two queues, and end with this object.

    `size` threads are wanted, at most MAX_THREADS, and `full_speed` of those that run have a
    processor; both count the first.
    """

    def __init__(self, parameters: dict[str, int], size: int = 1) -> None:
        self.size, self.full_speed = max(1, min(size, MAX_THREADS)), 1
        self.workers: list[np.ndarray] = []
        self.threads: list[threading.Thread] = []
        self._queues: tuple[Queue, Queue] = (
            SimpleQueue(),
            SimpleQueue(),
        )  # of threads that have a processor, and of the surplus
        self._searches: list[_HelperSearch] = []
        for queue in self._queues:
            weakref.finalize(self, queue.put, None)
        if self.size > 1:
            run_helper.load()  # not later, when memory may be short
        processors = usable_processors()
        available = available_megabytes()
        affordable = MAX_THREADS if available is None else available // WORKER_MEGABYTES
        with suppress(RuntimeError, MemoryError):
            for number in range(1, min(self.size, 1 + affordable)):
                worker, is_surplus = new_worker(parameters, NO_SIGNALS), number >= processors
                arguments = (self._queues[is_surplus], worker, is_surplus)
                thread = threading.Thread(target=_serve, args=arguments, daemon=True)
                thread.start()
                self.threads.append(thread)
                self.workers.append(worker)
                self.full_speed += not is_surplus

    @property
    def nodes(self) -> int:
        """Positions that the helper threads visited in the present or last search."""
        return sum(int(worker[0]["nodes"]) for search in self._searches for worker in search.joined)

    def start(self, make_search: MakeSearch | None, memory: object) -> None:
        """Search until `stop`.

        `make_search` returns what the search begins from, for the signals that it gets. None:
        helpers stay idle. `memory` is kept alive meanwhile.
        """
        self._searches = []
        counts = (self.full_speed - 1, len(self.threads) - self.full_speed + 1)
        for queue, count in zip(self._queues, counts, strict=True):
            if make_search and count:
                self._searches.append(_HelperSearch(make_search, memory))
                queue.put(self._searches[-1])

    def end(self) -> list[RootLine]:
        """Stop the threads that have a processor, and return what they found.

        Hundreds that stop would hold up the answer.
        """
        return (
            self._searches[0].stop(VOTE_TIMEOUT) if self._searches and self.full_speed > 1 else []
        )

    def stop(self, timeout: float | None = None) -> None:
        """Stop all threads, and wait at most `timeout` seconds for them (None: until they have
        ended).
        """
        for search in self._searches:
            search.stop(timeout)
