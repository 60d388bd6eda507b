"""Worker processes that play games concurrently, each on its own processors."""

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.runner.processes import interrupts_held, start_resource_tracker
from zobra.arena.runner.processors import shares
from zobra.arena.runner.worker import work

_MOST_DEATHS = 3  # workers that die this often without a finished game in between end the run


@dataclass
class WorkerProcess:
    """A worker process, and the game that it is playing."""

    process: BaseProcess
    connection: Connection
    pairing: Pairing | None = None


@dataclass(frozen=True)
class PoolOptions:
    """How many games a pool plays at the same time, on which processors, and with which log."""

    concurrency: int = 1  # games at the same time
    pin: bool = True  # each game on its own processors
    log: Path | None = None  # gets the conversation with the engines


class Pool:
    """Plays games concurrently. If a worker dies, another one plays its game again."""

    def __init__(self, settings: Settings, options: PoolOptions) -> None:
        self._settings = settings
        self._log = options.log
        self._processors: list[list[int]] = [[] for _ in range(options.concurrency)]
        if options.pin:
            threads = max(engine.threads for engine in settings.engines)
            self._processors = shares(options.concurrency, threads)
        self._workers: dict[int, WorkerProcess] = {}
        self._again: deque[Pairing] = deque()

    def play(
        self, games: Iterator[Pairing], started: Callable[[Pairing], None]
    ) -> Generator[GameRecord]:
        """Yield finished games as they come.

        The next game is taken from `games` when a worker is free. Close the generator to end the
        workers and engines. Raise RuntimeError if worker processes keep dying.
        """
        start_resource_tracker()
        deaths = 0
        try:
            while self._hand_out(games, started):
                ready = wait([worker.connection for worker in self._workers.values()])
                for number, worker in list(self._workers.items()):
                    if worker.connection not in ready:
                        continue
                    try:
                        record: GameRecord = worker.connection.recv()
                    except (EOFError, OSError):  # it died, by lack of memory perhaps
                        deaths += 1
                        if deaths >= _MOST_DEATHS:
                            worker.process.join(1)  # its pipe may close first
                            raise RuntimeError(
                                f"worker processes keep dying (exit code {worker.process.exitcode})"
                            ) from None
                        del self._workers[number]
                        worker.connection.close()
                        if worker.pairing:
                            self._again.append(worker.pairing)
                        continue
                    worker.pairing = None
                    deaths = 0
                    yield record
        finally:
            for worker in self._workers.values():
                worker.connection.close()
            for worker in self._workers.values():
                worker.process.join(timeout=5)
                if worker.process.is_alive():
                    worker.process.kill()

    def _hand_out(self, games: Iterator[Pairing], started: Callable[[Pairing], None]) -> bool:
        """Give every idle worker a game, as long as there are games.

        Return True if any game is being played.
        """
        for number in range(len(self._processors)):
            if number in self._workers and self._workers[number].pairing is not None:
                continue
            pairing = self._again.popleft() if self._again else next(games, None)
            if pairing is None:
                break
            if number not in self._workers:
                self._start(number)
            worker = self._workers[number]
            worker.pairing = pairing
            # A worker that has died is replaced when its answer is waited for
            with contextlib.suppress(OSError):
                worker.connection.send(pairing)
            started(pairing)
        return any(worker.pairing for worker in self._workers.values())

    def _start(self, number: int) -> None:
        """Start a worker.

        Ctrl-C is for this process; a worker that is still starting must not see it.
        """
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        arguments = (there, self._settings, self._processors[number], self._log)
        with interrupts_held():
            process = context.Process(target=work, args=arguments, daemon=True)
            process.start()
            self._workers[number] = WorkerProcess(process, here)
        there.close()
