"""Running a match: its games played by a pool, kept in the journal, counted, ended by schedule,
SPRT or the user.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import chess

from zobra.arena.model.clock import GameClock
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import GameRecord, Journal
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.runner.player import EngineFailure, EnginePlayer
from zobra.arena.runner.pool import Playing, Pool
from zobra.arena.runner.processes import interruptible, run_async

FAULTS = ("time", "illegal move", "disconnect", "stall")  # losses by other means than chess
_STARTED_AT_ONCE = 4  # engines that are started side by side when they are checked


class Results:
    """Scores of all engines. `faults`: how often each engine lost by each of FAULTS."""

    def __init__(self, names: Sequence[str], records: Iterable[GameRecord] = ()) -> None:
        self.names, self.games = list(names), 0
        self.faults: Counter[tuple[str, str]] = Counter()
        self._games: Counter[tuple[str, str, int]] = Counter()  # by engine, rival and half points
        self._pairs: Counter[tuple[str, str, int]] = Counter()  # the same of complete pairs
        self._open: dict[
            tuple[int, frozenset[str]], dict[str, int]
        ] = {}  # first games, by their pair and its engines
        for record in records:
            self.add(record)

    def add(self, record: GameRecord) -> bool:
        """Counts a game. Whether it completed its pair."""
        points = {name: record.points(name) for name in (record.white, record.black)}
        self.games += 1
        if record.reason in FAULTS:
            self.faults[(min(points, key=lambda name: points[name]), record.reason)] += 1
        pair = record.pair, frozenset(points)
        earlier = self._open.pop(pair, None)
        if earlier is None:
            self._open[pair] = points
        for name, rival in ((record.white, record.black), (record.black, record.white)):
            self._games[(name, rival, points[name])] += 1
            if earlier is not None:
                self._pairs[(name, rival, points[name] + earlier[name])] += 1
        return earlier is not None

    def trinomial(self, name: str, rival: str | None = None) -> list[int]:
        """Losses, draws and wins of an engine, against one rival or all."""
        return self._counts(self._games, 3, name, rival)

    def points(self, name: str, rival: str | None = None) -> float:
        """Points of an engine, against one rival or all."""
        _, draws, wins = self.trinomial(name, rival)
        return wins + draws / 2

    def pentanomial(self, name: str, rival: str | None = None) -> list[int]:
        """Complete pairs in which the engine scored 0, 1/2, 1, 3/2 and 2."""
        return self._counts(self._pairs, 5, name, rival)

    def _counts(
        self, counter: Counter[tuple[str, str, int]], size: int, name: str, rival: str | None
    ) -> list[int]:
        return [
            sum(counter[(name, other, p)] for other in self.names if rival in (None, other))
            for p in range(size)
        ]

    def best_counts(self, name: str, rival: str | None = None) -> list[int]:
        """Pairs once there are any, single games before."""
        pairs = self.pentanomial(name, rival)
        return pairs if any(pairs) else self.trinomial(name, rival)


class Match:
    """A match over its journal.

    It ends before its last game by a `verdict` (H0 or H1), `interrupted`, or by an `error`.
    """

    def __init__(self, journal: Journal, schedule: Sequence[Pairing], total: int = 0) -> None:
        """`total`: the games, where no schedule says which.

        Raises ValueError for a game in the journal that is not scheduled, or is there twice.
        """
        self.journal, self.settings, self.schedule, self.total = (
            journal,
            journal.settings,
            schedule,
            total or len(schedule),
        )
        self.results = Results(list(self.settings.controls))
        self.done: set[int] = set()
        self.llr: float | None = None
        self.verdict: str | None = None
        self.interrupted = False
        self.error: OSError | None = None
        for record in journal.records:
            known = 0 <= record.index < self.total and (
                not schedule or record.belongs_to(schedule[record.index])
            )
            if record.index in self.done or not known:
                raise ValueError(
                    f"{journal.folder / 'journal.jsonl'}: game {record.index} is not the "
                    "scheduled one"
                )
            self.count(record)

    def games(self) -> Iterator[Pairing]:
        """The games not yet played."""
        return (pairing for pairing in self.schedule if pairing.index not in self.done)

    def count(self, record: GameRecord) -> bool:
        """Counts a game. Whether it completed its pair."""
        self.done.add(record.index)
        return self.results.add(record)

    def after_pair(self) -> None:
        """Called after each pair, and before the first one: asks the SPRT, if there is one, for its
        verdict.
        """
        if self.settings.sprt is not None:
            self.llr = self.settings.sprt.llr(self.results.pentanomial(*self.results.names))
            self.verdict = self.settings.sprt.verdict(self.llr)

    def play(self, playing: Playing, observer: Any) -> None:
        """Plays what is left to play; calls begin(match), started(pairing) and finished(record,
        match) of the observer. Raises RuntimeError when worker processes keep dying.
        """
        self.after_pair()
        observer.begin(self)
        try:
            records = Pool(self.settings, playing).play(self.games(), observer.started)
            with interruptible(), contextlib.closing(records):
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


def check_engines(
    settings: Settings, openings: Iterable[Opening]
) -> tuple[dict[str, float], dict[str, str]]:
    """Starts each engine once.

    Returns by engine the seconds of a move by nodes or depth in the start position, and the name
    that it gives itself. Raises EngineFailure that names all engines that do not come up, or cannot
    play such games.
    """
    from_start = all(opening.fen == chess.STARTING_FEN for opening in openings)
    free, board = asyncio.Semaphore(_STARTED_AT_ONCE), chess.Board(chess960=settings.chess960)

    async def check(engine: EngineSpec) -> tuple[float, str, str]:
        control = settings.controls[engine.name]
        async with free:
            try:
                player = await EnginePlayer.start(engine, settings.stall_seconds)
                try:
                    player.check_able(settings.chess960, from_start, control)
                    begun = time.monotonic()
                    if control.base_ms is None and control.movetime is None:
                        with contextlib.suppress(EngineFailure):
                            await player.think(
                                board, dict.fromkeys(chess.COLORS, GameClock(control)), 0
                            )
                    return time.monotonic() - begun, player.announced_name, ""
                finally:
                    await player.quit()
            except EngineFailure as failure:
                return 0.0, "", str(failure)

    async def checks() -> list[tuple[float, str, str]]:
        return await asyncio.gather(*map(check, settings.engines))

    found = dict(zip(settings.controls, run_async(checks()), strict=True))
    if problems := "; ".join(problem for _, _, problem in found.values() if problem):
        raise EngineFailure("disconnect", problems)
    return {name: seconds for name, (seconds, _, _) in found.items()}, {
        name: own for name, (_, own, _) in found.items()
    }
