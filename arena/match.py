"""Running a match: games handed to worker processes, results kept in the journal, ended by schedule, SPRT or the user."""

import asyncio
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol

import chess

from zobra.arena.journal import GameRecord, Journal
from zobra.arena.openings import openings
from zobra.arena.player import Player
from zobra.arena.processors import shares
from zobra.arena.results import Results
from zobra.arena.schedule import Pairing, pairings
from zobra.arena.settings import Settings
from zobra.arena.worker import work

# a worker that dies this often in a row without a game in between ends the match
_MOST_DEATHS = 3


class Watcher(Protocol):
    """What is told of a match while it runs."""

    def begin(self, results: Results, total: int) -> None: ...

    def started(self, pairing: Pairing) -> None: ...

    def finished(self, record: GameRecord, results: Results, llr: float | None) -> None: ...


@dataclass
class Outcome:
    """How a match stands when its run ends: complete, decided ("H0" or "H1"), or interrupted."""

    results: Results
    total: int
    llr: float | None = None
    verdict: str | None = None
    interrupted: bool = False


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    pairing: Pairing | None = None


class Match:
    """A match over a journal, with `concurrency` games at a time."""

    def __init__(self, journal: Journal, schedule: Sequence[Pairing], concurrency: int = 1, *, pin: bool = True) -> None:
        """Raises ValueError when the journal does not fit the schedule."""
        self._journal, self._settings = journal, journal.settings
        self._names = [engine.name for engine in self._settings.engines]
        self._total = len(schedule)
        self._todo = deque(_without(schedule, journal.records, journal.folder))
        threads = max(_threads(engine.options) for engine in self._settings.engines)
        self._processors = shares(concurrency, threads) if pin else [[] for _ in range(concurrency)]
        self._workers: list[_Worker] = []
        self._deaths = 0
        self._outcome = Outcome(Results(self._names, journal.records), self._total)

    def run(self, watcher: Watcher) -> Outcome:
        """Plays what is left to play. Raises RuntimeError when worker processes keep dying."""
        self._judge()
        watcher.begin(self._outcome.results, self._total)
        try:
            with _terminated_like_interrupted():
                for number in range(min(len(self._processors), len(self._todo))):
                    self._workers.append(self._start(number))
                while self._outcome.verdict is None and self._hand_out(watcher):
                    self._collect(watcher)
        except KeyboardInterrupt:
            self._outcome.interrupted = True
        finally:
            self._end_workers()
        return self._outcome

    def _hand_out(self, watcher: Watcher) -> bool:
        """Gives idle workers their next game. Whether any game is being played."""
        for worker in self._workers:
            if worker.pairing is None and self._todo:
                worker.pairing = self._todo.popleft()
                worker.connection.send(worker.pairing)
                watcher.started(worker.pairing)
        return any(worker.pairing for worker in self._workers)

    def _collect(self, watcher: Watcher) -> None:
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
            self._journal.add(record)
            if self._outcome.results.add(record):
                self._judge()
            watcher.finished(record, self._outcome.results, self._outcome.llr)

    def _judge(self) -> None:
        sprt = self._settings.sprt
        if sprt is not None:
            self._outcome.llr = sprt.llr(self._outcome.results.pentanomial(*self._names))
            self._outcome.verdict = sprt.verdict(self._outcome.llr)

    def _start(self, number: int) -> _Worker:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=work, args=(there, self._settings, self._processors[number]), daemon=True)
        # Ctrl-C is for this process; a worker that is still starting must not see it either
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process.start()
        finally:
            signal.signal(signal.SIGINT, handler)
        there.close()
        return _Worker(process, here)

    def _replace(self, number: int) -> None:
        """A worker died, by lack of memory perhaps: its game is played again by another."""
        self._deaths += 1
        if self._deaths >= _MOST_DEATHS:
            raise RuntimeError(f"worker processes keep dying (exit code {self._workers[number].process.exitcode})")
        pairing = self._workers[number].pairing
        if pairing is not None:
            self._todo.appendleft(pairing)
        self._workers[number].connection.close()
        self._workers[number] = self._start(number)

    def _end_workers(self) -> None:
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.join(timeout=5)
            if worker.process.is_alive():
                worker.process.terminate()


def scheduled(settings: Settings) -> list[Pairing]:
    """All games of a match, in order. Raises ValueError or OSError when the book cannot be used."""
    book = Path(settings.book) if settings.book else None
    chosen = openings(
        book, settings.rounds, order=settings.order, seed=settings.seed, plies=settings.plies, chess960=settings.chess960
    )
    return list(pairings([engine.name for engine in settings.engines], settings.tournament, chosen))


def _without(schedule: Sequence[Pairing], records: list[GameRecord], folder: Path) -> list[Pairing]:
    done = set()
    for record in records:
        if record.index in done or not (0 <= record.index < len(schedule) and record.belongs_to(schedule[record.index])):
            raise ValueError(f"{folder / 'journal.jsonl'}: game {record.index} is not the scheduled one")
        done.add(record.index)
    return [pairing for pairing in schedule if pairing.index not in done]


def check_engines(settings: Settings, schedule: Sequence[Pairing]) -> None:
    """Starts each engine once. Raises EngineFailure for one that does not come up, or cannot play what is asked for."""
    from_start = all(pairing.opening.fen == chess.STARTING_FEN for pairing in schedule)

    async def check() -> None:
        for engine in settings.engines:
            player = await Player.start(engine, settings.stall_seconds)
            try:
                player.check_able(settings.chess960, from_start)
            finally:
                await player.quit()

    asyncio.run(check())


def _threads(options: dict) -> int:
    return max((int(value) for name, value in options.items() if name.lower() in ("threads", "cores")), default=1)


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM stops a match as cleanly as Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
