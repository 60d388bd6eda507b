"""The engine that a person plays against, started on demand and restarted after a crash."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.engine

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.clock import GameClock
from zobra.arena.model.engines import EngineSpec
from zobra.arena.runner.analysis import EngineLine
from zobra.arena.runner.player import EngineFailure, EnginePlayer

LINES = 3  # that the adviser shows

_TIMEOUT = 60.0  # seconds after which an engine without a limit of time counts as stalled
_STOP_TIME = 5.0  # seconds for the answer to "stop", before the process is given up
_UPDATE_TIME = 0.25  # seconds between two updates of the lines
_LIMIT, _ELO = "UCI_LimitStrength", "UCI_Elo"
_STRENGTH = (_LIMIT, _ELO, "Skill Level")


class _Process(EnginePlayer):
    """An engine process whose end can be waited for."""

    async def ended(self) -> None:
        """Wait until the process has ended."""
        await asyncio.shield(self._protocol.returncode)


class Opponent:
    """An engine process, which is replaced by a new one after it has died.

    `on_end` is called as soon as it dies between two requests.
    """

    def __init__(self, spec: EngineSpec, on_end: Callable[[], None]) -> None:
        self.spec = spec
        self.name = spec.name
        self._on_end = on_end
        self._announced: dict[str, chess.engine.Option] = {}
        self._options: dict[str, Any] = {}
        self._process: _Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._busy = False

    async def start(self) -> None:
        """Start the engine unless it is running. Raise EngineFailure."""
        if self._process is not None:
            return
        process = await _Process.start(self.spec, _TIMEOUT)
        try:
            await process.configure(self._options)
        except BaseException:
            await process.kill()
            raise
        self._process = process
        self._announced = process.announced()
        if self.spec.name == Path(self.spec.command[0]).name:  # not a name of the person's own
            self.name = process.announced_name
        self._watch = asyncio.create_task(self._wait_for_end(process))

    async def _wait_for_end(self, process: _Process) -> None:
        await process.ended()
        if self._process is process and not self._busy:
            self._process = None
            self._on_end()
            await process.kill()

    async def drop(self) -> None:
        """Kill the process, if there is one."""
        process = self._process
        self._process = None
        if self._watch is not None:
            self._watch.cancel()
        if process is not None:
            await process.kill()

    async def quit(self) -> None:
        """Ask the engine to quit, and kill it if it does not."""
        process = self._process
        self._process = None
        if self._watch is not None:
            self._watch.cancel()
        if process is not None:
            await process.quit()

    def levels(self) -> tuple[int, int] | None:
        """Return the lowest and the highest UCI_Elo, or None if the engine has no levels."""
        option = self._announced.get(_ELO)
        if _LIMIT not in self._announced or option is None or option.type != "spin":
            return None
        if option.min is None or option.max is None:
            return None
        return option.min, option.max

    def check_able(self, board: chess.Board) -> None:
        """Raise ValueError if the game is Chess960 and the engine does not play it."""
        if board.chess960 and "UCI_Chess960" not in self._announced:
            raise ValueError(f"{self.name} does not play Chess960")

    async def set_level(self, elo: int | None) -> None:
        """Limit the engine's strength; None is full strength. Raise EngineFailure."""
        await self.start()
        assert self._process is not None
        if self.levels() is None:
            return
        self._options = {_LIMIT: False} if elo is None else {_LIMIT: True, _ELO: elo}
        with self._working():
            await self._process.configure(self._options)

    async def think(
        self, board: chess.Board, clocks: Mapping[chess.Color, GameClock], game: object
    ) -> PlayedMove:
        """Return the engine's move within its time. Raise EngineFailure.

        If this is cancelled, it stops the search before it returns.
        """
        await self.start()
        process = self._process
        assert process is not None
        with self._working():
            try:
                return await process.think(board, clocks, game)
            except asyncio.CancelledError:
                await self._settle(process)
                raise

    async def lines(
        self, board: chess.Board, seconds: float, game: object
    ) -> AsyncIterator[list[EngineLine]]:
        """Analyse a position, and yield the best lines a few times a second.

        Raise EngineFailure.
        """
        await self.start()
        process = self._process
        assert process is not None
        several = LINES if "MultiPV" in self._announced else None
        limit = chess.engine.Limit(time=seconds)
        with self._working():
            try:
                with await _begun(process.analysis(board, limit, game, {}, several)) as analysis:
                    shown = 0.0
                    async for _ in analysis:
                        now = time.monotonic()
                        if now - shown >= _UPDATE_TIME:
                            shown = now
                            yield _lines(analysis.multipv)
                    yield _lines(analysis.multipv)
            except chess.engine.EngineError as error:
                raise EngineFailure("disconnect", f"{self.name}: {error}") from error

    @contextlib.contextmanager
    def _working(self) -> Iterator[None]:
        """Mark a request, whose failure is reported to its caller."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    async def _settle(self, process: _Process) -> None:
        """Wait until a stopped engine answers; end it if it does not."""
        try:
            await asyncio.wait_for(process.ready(), _STOP_TIME)
        except (asyncio.TimeoutError, EngineFailure):
            await self.drop()


def adviser(spec: EngineSpec) -> Opponent:
    """Return the same engine at full strength, for hints and evaluations."""
    options = {name: value for name, value in spec.options.items() if name not in _STRENGTH}
    return Opponent(replace(spec, options=options), on_end=lambda: None)


async def _begun(
    analysis: Coroutine[Any, Any, chess.engine.AnalysisResult],
) -> chess.engine.AnalysisResult:
    """Return a search once it has begun; python-chess cannot cancel it before."""
    beginning = asyncio.ensure_future(analysis)
    try:
        return await asyncio.shield(beginning)
    except asyncio.CancelledError:
        done, _ = await asyncio.wait({beginning}, timeout=_STOP_TIME)
        if done and beginning.exception() is None:
            beginning.result().stop()
        raise


def _lines(infos: list[chess.engine.InfoDict]) -> list[EngineLine]:
    return [
        EngineLine(info["score"], info.get("depth", 0), info["pv"])
        for info in infos
        if "score" in info and info.get("pv")
    ]
