"""Lazy SMP: further threads search the same root on the shared table, and what they find speeds up the first one.

Nothing else is shared and nothing is locked: each thread has a worker of its own, and no kernel holds Python's lock. When the
first thread has done enough the others are halted, and all vote for the move. Idea: Dan Homan's shared hash table; Chess
Programming Wiki, "Lazy SMP"; the vote is Stockfish's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zobra.engine.scores import MAX_PLY, is_mate
from zobra.search.iterative_deepening import IterativeDeepening, PvLine
from zobra.search.worker import SIGNALS, STOP, clear_histories, new_worker, set_parameters
from zobra.tt.table import Table

MAX_THREADS = 256
VOTE_BASE = 14  # centipawns added to a line's lead over the worst line: every finished depth counts for something


def escapes_or_mates(line: PvLine, best: PvLine) -> bool:
    """Where one of two lines is a mate there is no vote: a nearer mate is better, or being mated later.

    That there is no such mate at all against us, only a search as deep may say.
    """
    return line.score > best.score and (is_mate(line.score) or best.score > 0 or line.depth >= best.depth)


class LazySmp:
    """The threads beside the first; `size` counts that too. `missing` of them could not be started for the last search."""

    def __init__(self, parameters: dict[str, int], table: Table) -> None:
        self._parameters, self._table = parameters, table
        self._signals = np.zeros(SIGNALS, np.int64)
        self._workers: list[np.ndarray] = []
        self._threads: list[threading.Thread] = []
        self._searches: list[IterativeDeepening] = []
        self.missing = 0

    @property
    def size(self) -> int:
        """Number of threads, the first included."""
        return len(self._workers) + 1

    @size.setter
    def size(self, count: int) -> None:
        count = max(1, min(count, MAX_THREADS))
        self._workers = self._workers[: count - 1]
        self._workers += [new_worker(self._parameters, self._signals) for _ in range(count - 1 - len(self._workers))]

    def set_parameters(self) -> None:
        """The dictionary of parameters has changed: let every worker know."""
        for worker in self._workers:
            set_parameters(worker, self._parameters)

    @property
    def nodes(self) -> int:
        """Positions that these threads visited in the present or last search."""
        return sum(int(worker[0]["nodes"]) for worker in self._workers)

    def clear(self) -> None:
        """A new game: clear all histories."""
        for worker in self._workers:
            clear_histories(worker)

    def start(self, prepare: Callable[[Any], None], choices: Sequence[int], confined: bool) -> None:
        """Let the threads search the root that `prepare` sets up in a worker, until `halt`."""
        self._signals[STOP] = 0
        for worker in self._workers:
            prepare(worker[0])
        self._searches = [
            IterativeDeepening(worker[0], self._table, choices, confined, 1, lambda *_: None) for worker in self._workers
        ]
        self.missing = 0
        for number, search in enumerate(self._searches, 1):
            depths = range(1 + number % 2, MAX_PLY)
            thread = threading.Thread(target=search.run, args=(depths, lambda *_: False), daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the system has no more; the search goes on with fewer
                self.missing += 1
            else:
                self._threads.append(thread)

    def rest(self) -> None:
        """Leave the next search to the first thread."""
        self._searches, self.missing = [], 0
        for worker in self._workers:
            worker[0]["nodes"] = 0

    def halt(self) -> None:
        """End the threads' searches, and wait for that."""
        self._signals[STOP] = 1
        for thread in self._threads:
            thread.join()
        self._threads = []

    def vote(self, first: PvLine) -> PvLine:
        """The line to play, the first thread having found `first`: each thread votes for its move by depth and score."""
        lines = [first] + [search.lines[0] for search in self._searches if search.lines and search.lines[0].bound == 0]
        worst = min(line.score for line in lines)
        votes: dict[int, int] = {}
        for line in lines:
            votes[line.moves[0]] = votes.get(line.moves[0], 0) + (line.score - worst + VOTE_BASE) * line.depth
        best = first
        for line in lines[1:]:
            if is_mate(best.score) or is_mate(line.score):
                best = line if escapes_or_mates(line, best) else best
            elif votes[line.moves[0]] > votes[best.moves[0]]:
                best = line
        return best
