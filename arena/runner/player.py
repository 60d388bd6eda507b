"""A running engine that plays: started, asked for moves with its time measured, and ended; every
failure has a name.
"""

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import IO, Any, TypeVar

import chess
import chess.engine

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import printable
from zobra.arena.model.clock import GameClock, TimeControl, engine_limit
from zobra.arena.model.engines import THREADS, EngineSpec, as_announced
from zobra.arena.runner.processes import kill_engine, run_async
from zobra.arena.runner.protocols import Uci, XBoard

for _logger in (chess.engine.LOGGER, logging.getLogger("asyncio")):
    _logger.setLevel(
        logging.CRITICAL
    )  # a failure is reported as EngineFailure; nobody else need log it too
# seconds: for a first word of the engine's protocol, for the whole start, for the answer to a late
# "stop", and for "quit"
GREETING_TIME, START_TIME, LATE_TIME, QUIT_TIME = 10.0, 60.0, 10.0, 2.0
STOP_DELAY = 0.2  # how far over its time an engine may be before it gets "stop" (seconds)
_EXIT_CODE = re.compile(r"exit code: (-?\d+)")
Player = TypeVar("Player", bound="EnginePlayer")


class EngineFailure(RuntimeError):
    """A fault by which an engine lost its game: `reason` names it, `detail` explains it.

    `usable`: the engine can play on.
    """

    def __init__(self, reason: str, detail: str = "", *, usable: bool = False) -> None:
        self.reason, self.detail, self.usable = reason, printable(detail), usable
        super().__init__(self.detail or reason)


class EnginePlayer:
    """One engine process.

    `timeout`: the seconds after which it counts as stalled, where no clock runs.
    """

    def __init__(
        self,
        spec: EngineSpec,
        transport: asyncio.SubprocessTransport,
        protocol: Any,
        timeout: float,
    ) -> None:
        self.spec, self._transport, self._protocol, self._timeout = (
            spec,
            transport,
            protocol,
            timeout,
        )

    @classmethod
    async def start(
        cls: type[Player], spec: EngineSpec, timeout: float, log: IO[bytes] | None = None
    ) -> Player:
        """Starts the engine and sets its options.

        `log` gets the conversation. Raises EngineFailure. The engine gets a process group of its
        own, so that Ctrl-C does not reach it.
        """
        try:
            kind = XBoard if spec.protocol == "xboard" else Uci
            transport, protocol = await kind.popen(
                [spec.program(), *spec.command[1:]], setpgrp=True, cwd=spec.directory
            )
        except (OSError, ValueError) as error:
            raise EngineFailure("disconnect", f"{spec.name} cannot be started: {error}") from error
        protocol.log, protocol.name = log, spec.name
        player, coming = (
            cls(spec, transport, protocol, timeout),
            asyncio.ensure_future(protocol.initialize()),
        )
        try:
            await asyncio.wait({coming}, timeout=min(GREETING_TIME, START_TIME))
            if (
                not coming.done() and not protocol.greeted and GREETING_TIME < START_TIME
            ):  # it may be no engine at all
                problem = f"no word of {spec.protocol} in {GREETING_TIME:g} s{player._last_words()}"
                raise EngineFailure("stall", f"{spec.name}: {problem}")
            await asyncio.wait_for(coming, START_TIME)
            options = as_announced(spec.options, protocol.options)
            if not any(
                name.lower() in THREADS for name in options
            ):  # some engines would take every processor
                options |= {name: 1 for name in protocol.options if name.lower() in THREADS}
            await asyncio.wait_for(protocol.configure(options), START_TIME)
            await asyncio.wait_for(protocol.ping(), START_TIME)
        except BaseException as error:
            coming.cancel()
            await player.kill()
            if isinstance(error, asyncio.TimeoutError):
                problem = (
                    f"{spec.name} did not come up as a {spec.protocol} engine within "
                    f"{START_TIME:g} s"
                )
                raise EngineFailure("stall", problem) from error
            if isinstance(error, chess.engine.EngineError):
                raise EngineFailure(
                    "disconnect", f"{spec.name}: {error}{player._last_words()}"
                ) from error
            raise
        return player

    @property
    def announced_name(self) -> str:
        """The name that the engine gives itself, often with its version."""
        return printable(self._protocol.id.get("name") or self.spec.name, 80)

    def announced(self) -> dict[str, chess.engine.Option]:
        """The options that the engine has, by name."""
        return dict(self._protocol.options.items())

    def check_able(self, chess960: bool, from_start: bool, control: TimeControl) -> None:
        """Raises EngineFailure when the engine lacks Chess960, other positions than the first, or
        limits of nodes.
        """
        if problem := self._protocol.problem(chess960, from_start, control):
            raise EngineFailure("disconnect", f"{self.spec.name} {problem}")

    async def configure(self, options: Mapping[str, Any]) -> None:
        """Sets options between games. Raises EngineFailure."""
        await self._answered(self._protocol.configure(options), self._timeout, "options not taken")

    async def ready(self) -> None:
        """Waits until the engine answers a ping. Raises EngineFailure."""
        await self._answered(self._protocol.ping(), self._timeout, "no answer to a ping")

    async def _answered(self, request: Awaitable[None], timeout: float, problem: str) -> None:
        """Waits for so many seconds. Raises EngineFailure."""
        try:
            await asyncio.wait_for(request, timeout)
        except asyncio.TimeoutError as error:
            raise EngineFailure("stall", f"{problem} in {timeout:g} s") from error
        except chess.engine.EngineError as error:
            raise self._disconnect(error) from error

    async def think(
        self, board: chess.Board, clocks: Mapping[chess.Color, GameClock], game: object
    ) -> PlayedMove:
        """Lets the engine move in time, which its clock counts. Raises EngineFailure."""
        await self.ready()
        protocol, clock = self._protocol, clocks[board.turn]
        allowance, limit = clock.allowance_ms(), engine_limit(clocks, board.turn, game)
        protocol.going.clear()
        protocol.answer_time, protocol.answer, protocol.seeks_move = None, "", True
        wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        task = asyncio.ensure_future(protocol.play(board, limit, game=game, info=wanted))
        going = asyncio.ensure_future(protocol.going.wait())
        try:
            await asyncio.wait(
                {task, going}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if (
                not task.done() and not protocol.going.is_set()
            ):  # preparations before "go" have a timeout of their own
                raise EngineFailure("stall", f"not ready for the game in {self._timeout:g} s")
            await asyncio.wait(
                {task},
                timeout=self._timeout if allowance is None else allowance / 1000 + STOP_DELAY,
            )
            if (
                protocol.answer_time is not None
            ):  # XBoard: the move is there, but python-chess waits for a pong behind it
                await asyncio.wait({task}, timeout=self._timeout)
        finally:
            going.cancel()
            task.cancel()
        in_time = task.done() and not task.cancelled()
        if not in_time:  # cancelling sent "stop"
            with contextlib.suppress(asyncio.CancelledError):
                await task
            problem = f"no move after {protocol.elapsed_ms():.0f} ms, stop not obeyed"
            await self._answered(protocol.ping(), min(LATE_TIME, self._timeout), problem)
            if allowance is None:
                raise EngineFailure("stall", f"no move in {self._timeout:g} s", usable=True)
        elif isinstance(error := task.exception(), chess.engine.EngineTerminatedError):
            raise self._disconnect(error) from error
        elif isinstance(error, chess.engine.EngineError):
            raise EngineFailure(
                "illegal move", protocol.answer or str(error), usable=True
            ) from error
        played = self._played(task.result(), board) if in_time else None
        late_by = clock.spend(protocol.elapsed_ms())
        if played is None or late_by > 0:
            raise EngineFailure("time", f"{late_by:.0f} ms over", usable=True)
        return replace(
            played, clock_ms=None if clock.remaining_ms is None else round(clock.remaining_ms)
        )

    def _played(self, result: chess.engine.PlayResult, board: chess.Board) -> PlayedMove:
        """The move with what the engine said of it. Raises EngineFailure."""
        if result.resigned:
            raise EngineFailure("resignation", usable=True)
        if not result.move or not board.is_legal(result.move):
            raise EngineFailure("illegal move", self._protocol.answer or "none", usable=True)
        info, score = result.info, result.info.get("score")
        value, mate = (
            (score.pov(board.turn).score(), score.pov(board.turn).mate()) if score else (None, None)
        )
        return PlayedMove(
            result.move,
            value,
            mate,
            info.get("depth"),
            info.get("nodes"),
            round(self._protocol.elapsed_ms(), 1),
        )

    def _disconnect(self, error: Exception) -> EngineFailure:
        code = _EXIT_CODE.search(str(error))
        return EngineFailure(
            "disconnect", (f"exit code {code[1]}" if code else str(error)) + self._last_words()
        )

    def _last_words(self) -> str:
        return f"; it said: {self._protocol.errors[-1][:200]}" if self._protocol.errors else ""

    async def analysis(
        self, board: chess.Board, limit: chess.engine.Limit, game: object, options: dict[str, Any]
    ) -> chess.engine.AnalysisResult:
        """Starts a search whose lines can be read as they come.

        Raises chess.engine.EngineError. python-chess would wait in vain for the search of an engine
        that dies before it.
        """
        beginning = asyncio.ensure_future(
            self._protocol.analysis(board, limit, game=game, options=options)
        )
        try:
            await asyncio.wait(
                {beginning, self._protocol.returncode}, return_when=asyncio.FIRST_COMPLETED
            )
            if not beginning.done():
                code = self._protocol.returncode.result()
                raise chess.engine.EngineTerminatedError(
                    f"died before its search (exit code: {code})"
                )
            return beginning.result()
        finally:
            beginning.cancel()

    async def quit(self) -> None:
        """Asks the engine to leave, and ends it if it does not."""
        try:
            with contextlib.suppress(asyncio.TimeoutError, chess.engine.EngineError):
                await asyncio.wait_for(self._protocol.quit(), QUIT_TIME)
        finally:
            await self.kill()

    async def kill(self) -> None:
        """Ends the engine's processes at once, those too that it started."""
        kill_engine(self._transport.get_pid())
        # Asyncio must see the end before the transport, which would look for it too, is closed
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._protocol.returncode), QUIT_TIME)
        finally:
            self._transport.close()


def announced_options(spec: EngineSpec, timeout: float) -> dict[str, chess.engine.Option]:
    """Starts the engine for a moment and asks it for its options, by name. Raises EngineFailure."""

    async def ask() -> dict[str, chess.engine.Option]:
        player = await EnginePlayer.start(spec, timeout)
        await player.quit()
        return player.announced()

    return run_async(ask())
