"""Running a match: its games played by a pool, kept in the journal, ended by schedule, SPRT or the user."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

import chess

from zobra.arena.clock import GameClock
from zobra.arena.engines import EngineSpec
from zobra.arena.game_record import GameRecord
from zobra.arena.interrupts import interruptible, run_async
from zobra.arena.journal import Journal
from zobra.arena.openings import Opening
from zobra.arena.player import EngineFailure, EnginePlayer
from zobra.arena.pool import Playing, Pool
from zobra.arena.results import Results
from zobra.arena.settings import Pairing, Settings, encounters

# engines that are started side by side when they are checked
_STARTED_AT_ONCE = 4


class Run(ABC):
    """Games over their journal. When it ended before its last game: by a `verdict`, `interrupted`, or by an `error`."""

    def __init__(self, journal: Journal, total: int) -> None:
        self.journal, self.settings, self.total = journal, journal.settings, total
        self.results = Results([engine.name for engine in self.settings.engines])
        self.done: set[int] = set()
        self.llr: float | None = None
        self.verdict: str | None = None
        self.interrupted = False
        self.error: OSError | None = None

    def count_kept(self) -> None:
        """Counts the games in the journal. Raises ValueError for one that is not scheduled, or is there twice."""
        for record in self.journal.records:
            if record.index in self.done or not 0 <= record.index < self.total or not self.is_scheduled(record):
                raise ValueError(f"{self.journal.folder / 'journal.jsonl'}: game {record.index} is not the scheduled one")
            self.count(record)

    def is_scheduled(self, record: GameRecord) -> bool:
        """Whether a game of the journal is one of this run."""
        return True

    @abstractmethod
    def games(self) -> Iterator[Pairing]:
        """The games not yet played."""

    def count(self, record: GameRecord) -> bool:
        """Counts a game. Whether it completed its pair."""
        self.done.add(record.index)
        return self.results.add(record)

    def after_pair(self) -> None:
        """Called after each pair, and before the first one: asks the SPRT, if there is one, for its verdict."""
        if self.settings.sprt is not None:
            self.llr = self.settings.sprt.llr(self.results.pentanomial(*self.results.names))
            self.verdict = self.settings.sprt.verdict(self.llr)

    def play(self, playing: Playing, observer: Any) -> None:
        """Plays what is left to play. Raises RuntimeError when worker processes keep dying.

        The observer's methods begin(run), started(pairing) and finished(record, run) are called.
        """
        self.after_pair()
        observer.begin(self)
        try:
            with interruptible(), closing(Pool(self.settings, playing).play(self.games(), observer.started)) as records:
                for record in records if self.verdict is None else ():
                    self.journal.add(record)
                    if self.count(record):
                        self.after_pair()
                    observer.finished(record, self)
                    if self.verdict is not None:
                        break
        except KeyboardInterrupt:
            self.interrupted = True
        except OSError as error:
            self.error = error


class Match(Run):
    """A match by a schedule."""

    def __init__(self, journal: Journal, schedule: Sequence[Pairing]) -> None:
        """Raises ValueError when the journal does not fit the schedule."""
        super().__init__(journal, len(schedule))
        self._schedule = schedule
        self.count_kept()

    def is_scheduled(self, record: GameRecord) -> bool:
        return record.belongs_to(self._schedule[record.index])

    def games(self) -> Iterator[Pairing]:
        return (pairing for pairing in self._schedule if pairing.index not in self.done)


def check_engines(settings: Settings, openings: Iterable[Opening]) -> tuple[dict[str, float], dict[str, str]]:
    """Starts each engine once. How long each takes for a move by nodes or depth in the start position (seconds), and the
    name that it gives itself, both by its name in the match.

    Raises EngineFailure that names all engines that do not come up, or cannot play such games.
    """
    from_start = all(opening.fen == chess.STARTING_FEN for opening in openings)

    async def check(engine: EngineSpec, free: asyncio.Semaphore) -> tuple[float, str, str]:
        async with free:
            try:
                player = await EnginePlayer.start(engine, settings.stall_seconds)
                try:
                    player.check_able(settings.chess960, from_start, settings.controls[engine.name])
                    return await _move_seconds(player, settings), player.announced_name, ""
                finally:
                    await player.quit()
            except EngineFailure as failure:
                return 0.0, "", str(failure)

    async def checks() -> list[tuple[float, str, str]]:
        free = asyncio.Semaphore(_STARTED_AT_ONCE)
        return await asyncio.gather(*(check(engine, free) for engine in settings.engines))

    found = dict(zip(settings.controls, run_async(checks()), strict=True))
    if problems := "; ".join(problem for _, _, problem in found.values() if problem):
        raise EngineFailure("disconnect", problems)
    return {name: seconds for name, (seconds, _, _) in found.items()}, {name: own for name, (_, own, _) in found.items()}


async def _move_seconds(player: EnginePlayer, settings: Settings) -> float:
    """How long a move by nodes or depth takes; 0 where time is the limit, and for an engine that fails at it."""
    control = settings.controls[player.spec.name]
    if control.base_ms is not None or control.movetime is not None:
        return 0.0
    begun = time.monotonic()
    try:
        await player.think(chess.Board(chess960=settings.chess960), dict.fromkeys(chess.COLORS, GameClock(control)), 0)
    except EngineFailure:
        return 0.0
    return time.monotonic() - begun


def expected_seconds(settings: Settings, move_seconds: dict[str, float], concurrency: int) -> float:
    """How long the match takes if its games have the usual length, as a rough estimate."""
    side = {name: control.side_seconds(move_seconds[name]) for name, control in settings.controls.items()}
    met = encounters(list(side), settings.tournament)
    return 2 * settings.rounds * sum(side[first] + side[second] for first, second in met) / concurrency
