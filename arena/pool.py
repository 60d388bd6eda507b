"""Worker processes that play games side by side, each on its own processors."""

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from zobra.arena.engines import threads
from zobra.arena.game_record import GameRecord
from zobra.arena.interrupts import interrupts_held
from zobra.arena.processors import shares
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings
from zobra.arena.worker import work

# workers that die this often without a finished game in between end the run
_MOST_DEATHS = 3


@dataclass
class WorkerProcess:
    process: BaseProcess
    connection: Connection
    pairing: Pairing | None = None


class Pool:
    """Plays games, `concurrency` at a time; a game whose worker died is played again by another."""

    def __init__(self, settings: Settings, concurrency: int = 1, *, pin: bool = True, log: Path | None = None) -> None:
        self._settings, self._log = settings, log
        self._processors = shares(concurrency, max(map(threads, settings.engines))) if pin else [[] for _ in range(concurrency)]
        self._workers: list[WorkerProcess] = []
        self._again: deque[Pairing] = deque()
        self._deaths = 0

    def play(self, games: Iterator[Pairing], started: Callable[[Pairing], None]) -> Generator[GameRecord]:
        """Finished games as they come; the next one is drawn from `games` when a worker is free for it.

        Raises RuntimeError when worker processes keep dying. To be closed, so that workers and engines end with it.
        """
        # its start would release signals that are held back
        resource_tracker.ensure_running()
        try:
            while self._hand_out(games, started):
                yield from self._collect()
        finally:
            self._end_workers()

    def _hand_out(self, games: Iterator[Pairing], started: Callable[[Pairing], None]) -> bool:
        """Gives every worker a game, as long as there are any. Whether any game is being played."""
        for number in range(len(self._processors)):
            if number < len(self._workers) and self._workers[number].pairing is not None:
                continue
            pairing = self._again.popleft() if self._again else next(games, None)
            if pairing is None:
                break
            if number == len(self._workers):
                # Ctrl-C is for this process; a worker that is still starting must not see it
                with interrupts_held():
                    self._workers.append(self._start(number))
            worker = self._workers[number]
            worker.pairing = pairing
            with contextlib.suppress(OSError):  # a worker that has died is replaced when its answer is waited for
                worker.connection.send(pairing)
            started(pairing)
        return any(worker.pairing for worker in self._workers)

    def _collect(self) -> Iterator[GameRecord]:
        ready = wait([worker.connection for worker in self._workers])
        for number, worker in enumerate(self._workers):
            if worker.connection not in ready:
                continue
            try:
                record: GameRecord = worker.connection.recv()
            except (EOFError, OSError):
                self._replace(number)
                continue
            worker.pairing = None
            self._deaths = 0
            yield record

    def _start(self, number: int) -> WorkerProcess:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=work, args=(there, self._settings, self._processors[number], self._log), daemon=True)
        process.start()
        there.close()
        return WorkerProcess(process, here)

    def _replace(self, number: int) -> None:
        """A worker died, by lack of memory perhaps: its game is played again by another."""
        worker = self._workers[number]
        self._deaths += 1
        if self._deaths >= _MOST_DEATHS:
            raise RuntimeError(f"worker processes keep dying (exit code {worker.process.exitcode})")
        if worker.pairing is not None:
            self._again.append(worker.pairing)
        worker.connection.close()
        with interrupts_held():
            self._workers[number] = self._start(number)

    def _end_workers(self) -> None:
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(timeout=5)
            if worker.process.is_alive():
                worker.process.kill()
