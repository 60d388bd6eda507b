"""Running a match: its games played by a pool, results kept in the journal, ended by schedule, SPRT or the user."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess

from zobra.arena.engines import EngineSpec
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal
from zobra.arena.openings import Opening
from zobra.arena.player import EngineFailure, Player
from zobra.arena.pool import Pool, terminated_like_interrupted
from zobra.arena.results import Results
from zobra.arena.schedule import Pairing, pairings
from zobra.arena.settings import Settings

# engines that are started side by side when they are checked
_STARTED_AT_ONCE = 4


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


class Match:
    """A match over a journal, with `concurrency` games at a time."""

    def __init__(self, journal: Journal, schedule: Sequence[Pairing], concurrency: int = 1, *, pin: bool = True) -> None:
        """Raises ValueError when the journal does not fit the schedule."""
        self._journal, self._settings = journal, journal.settings
        self._names = [engine.name for engine in self._settings.engines]
        self._todo = _without(schedule, journal.records, journal.folder)
        self._pool = Pool(self._settings, concurrency, pin=pin)
        self._outcome = Outcome(Results(self._names, journal.records), len(schedule))

    def run(self, watcher: Watcher) -> Outcome:
        """Plays what is left to play. Raises RuntimeError when worker processes keep dying."""
        outcome = self._outcome
        self._judge()
        watcher.begin(outcome.results, outcome.total)
        todo = [] if outcome.verdict else self._todo
        try:
            with terminated_like_interrupted(), closing(self._pool.play(iter(todo), watcher.started)) as records:
                for record in records:
                    self._journal.add(record)
                    if outcome.results.add(record):
                        self._judge()
                    watcher.finished(record, outcome.results, outcome.llr)
                    if outcome.verdict:
                        break
        except KeyboardInterrupt:
            outcome.interrupted = True
        return outcome

    def _judge(self) -> None:
        sprt = self._settings.sprt
        if sprt is not None:
            self._outcome.llr = sprt.llr(self._outcome.results.pentanomial(*self._names))
            self._outcome.verdict = sprt.verdict(self._outcome.llr)


def scheduled(settings: Settings) -> list[Pairing]:
    """All games of a match, in order. Raises ValueError or OSError when the book cannot be used."""
    source = settings.openings()
    chosen = [source(index) for index in range(settings.rounds)]
    return list(pairings([engine.name for engine in settings.engines], settings.tournament, chosen))


def _without(schedule: Sequence[Pairing], records: list[GameRecord], folder: Path) -> list[Pairing]:
    done = set()
    for record in records:
        if record.index in done or not (0 <= record.index < len(schedule) and record.belongs_to(schedule[record.index])):
            raise ValueError(f"{folder / 'journal.jsonl'}: game {record.index} is not the scheduled one")
        done.add(record.index)
    return [pairing for pairing in schedule if pairing.index not in done]


def check_engines(settings: Settings, openings: Iterable[Opening]) -> None:
    """Starts each engine once. Raises EngineFailure that names all that do not come up, or cannot play what is asked for."""
    from_start = all(opening.fen == chess.STARTING_FEN for opening in openings)

    async def problem(engine: EngineSpec, free: asyncio.Semaphore) -> str:
        async with free:
            try:
                player = await Player.start(engine, settings.stall_seconds)
                try:
                    player.check_able(settings.chess960, from_start, settings.controls[engine.name])
                finally:
                    await player.quit()
            except EngineFailure as failure:
                return str(failure)
            return ""

    async def problems() -> list[str]:
        free = asyncio.Semaphore(_STARTED_AT_ONCE)
        return list(await asyncio.gather(*(problem(engine, free) for engine in settings.engines)))

    if found := "; ".join(filter(None, asyncio.run(problems()))):
        raise EngineFailure("disconnect", found)
