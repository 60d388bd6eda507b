"""Running a match: its games played by a pool, kept in the journal, ended by schedule, SPRT or the user."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess

from zobra.arena.clock import GameClock, engine_limit
from zobra.arena.engines import EngineSpec
from zobra.arena.game_record import GameRecord
from zobra.arena.interrupts import interruptible, run_async
from zobra.arena.journal import Journal
from zobra.arena.openings import Opening
from zobra.arena.player import EngineFailure, EnginePlayer
from zobra.arena.pool import Pool
from zobra.arena.results import Results
from zobra.arena.schedule import Pairing, encounters, pairings
from zobra.arena.settings import Settings

# engines that are started side by side when they are checked
_STARTED_AT_ONCE = 4


@dataclass(frozen=True)
class Playing:
    """How games are played side by side: at most `concurrency` at a time, each on its own processors if `pin`.

    `log`: a file that gets the conversation with the engines.
    """

    concurrency: int = 1
    pin: bool = True
    log: Path | None = None


class MatchObserver(Protocol):
    """What is called while a match runs."""

    def begin(self, results: Results, total: int) -> None: ...

    def started(self, pairing: Pairing) -> None: ...

    def finished(self, record: GameRecord, results: Results, llr: float | None) -> None: ...


@dataclass
class MatchState:
    """How a match stands: decided ("H0" or "H1") or not; when its run ended before, interrupted or by an error."""

    results: Results
    total: int
    llr: float | None = None
    verdict: str | None = None
    interrupted: bool = False
    error: OSError | None = None


class MatchRunner:
    """Plays a match over its journal."""

    def __init__(self, journal: Journal, schedule: Sequence[Pairing], playing: Playing) -> None:
        """Raises ValueError when the journal does not fit the schedule."""
        self._journal, self._playing, self._sprt = journal, playing, journal.settings.sprt
        names = [engine.name for engine in journal.settings.engines]
        self._todo = _without(schedule, journal.records, journal.folder)
        self._state = MatchState(Results(names, journal.records), len(schedule))

    def run(self, observer: MatchObserver) -> MatchState:
        """Plays what is left to play. Raises RuntimeError when worker processes keep dying."""
        state = self._state
        self._judge()
        observer.begin(state.results, state.total)

        def keep(record: GameRecord) -> bool:
            self._journal.add(record)
            if state.results.add(record):
                self._judge()
            observer.finished(record, state.results, state.llr)
            return state.verdict is not None

        try:
            if state.verdict is None:
                state.interrupted = play_games(self._journal.settings, iter(self._todo), self._playing, observer.started, keep)
        except OSError as error:
            state.error = error
        return state

    def _judge(self) -> None:
        results = self._state.results
        if self._sprt is not None:
            self._state.llr = self._sprt.llr(results.pentanomial(*results.names))
            self._state.verdict = self._sprt.verdict(self._state.llr)


def play_games(
    settings: Settings,
    games: Iterator[Pairing],
    playing: Playing,
    started: Callable[[Pairing], None],
    finished: Callable[[GameRecord], bool],
) -> bool:
    """Plays games until there are none left, or `finished` answers True. Whether it was interrupted.

    Raises RuntimeError when worker processes keep dying.
    """
    pool = Pool(settings, playing.concurrency, pin=playing.pin, log=playing.log)
    try:
        with interruptible(), closing(pool.play(games, started)) as records:
            for record in records:
                if finished(record):
                    break
    except KeyboardInterrupt:
        return True
    return False


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
        return list(await asyncio.gather(*(check(engine, free) for engine in settings.engines)))

    found = run_async(checks())
    if problems := "; ".join(problem for _, _, problem in found if problem):
        raise EngineFailure("disconnect", problems)
    names = [engine.name for engine in settings.engines]
    seconds, versions, _ = zip(*found, strict=True)
    return dict(zip(names, seconds, strict=True)), dict(zip(names, versions, strict=True))


async def _move_seconds(player: EnginePlayer, settings: Settings) -> float:
    """How long a move by nodes or depth takes; 0 where time is the limit, and for an engine that fails at it."""
    control = settings.controls[player.spec.name]
    if control.base_ms is not None or control.movetime is not None:
        return 0.0
    clock, begun = GameClock(control), time.monotonic()
    board = chess.Board(chess960=settings.chess960)
    try:
        await player.think(board, engine_limit({True: clock, False: clock}, True, 0), 0, None)
    except EngineFailure:
        return 0.0
    return time.monotonic() - begun


def expected_seconds(settings: Settings, move_seconds: dict[str, float], concurrency: int) -> float:
    """How long the match takes if its games have the usual length, as a rough estimate."""
    side = {name: control.side_seconds(move_seconds[name]) for name, control in settings.controls.items()}
    met = encounters(list(side), settings.tournament)
    return 2 * settings.rounds * sum(side[first] + side[second] for first, second in met) / concurrency
