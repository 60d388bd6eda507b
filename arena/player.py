"""A running engine that plays: starting, thinking with the clock measured, and every way it can fail."""

import asyncio
import contextlib
import logging
import os
import re
import signal
import time
from collections import deque
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

import chess
import chess.engine

from zobra.arena.announced import as_announced, with_one_thread
from zobra.arena.clock import TimeControl
from zobra.arena.engines import EngineSpec
from zobra.arena.played_move import PlayedMove

if TYPE_CHECKING:
    from typing_extensions import Self

# verdicts tell what engines did wrong; python-chess need not log it too
chess.engine.LOGGER.setLevel(logging.CRITICAL)

# how long an engine may take to come up, and to answer a late "stop" (seconds)
START_TIME = 60.0
LATE_TIME = 10.0
QUIT_TIME = 2.0
# how far over its time an engine may be before it is told to stop (seconds)
STOP_DELAY = 0.2
# XBoard settings whose values python-chess takes for granted (one core, 16 MB) although no engine told it them
_ASSUMED = ("cores", "memory")
_EXIT_CODE = re.compile(r"exit code: (-?\d+)")


class EngineFailure(RuntimeError):
    """An engine lost its game by itself: `reason` names how, `detail` tells more; `usable`: it can go on with the next one."""

    def __init__(self, reason: str, detail: str = "", *, usable: bool = False) -> None:
        super().__init__(detail or reason)
        self.reason, self.detail, self.usable = reason, detail, usable


class TooLate(EngineFailure):
    """No move came while there was time; the engine obeyed "stop" after `elapsed_ms`."""

    def __init__(self, elapsed_ms: float) -> None:
        super().__init__("time", usable=True)
        self.elapsed_ms = elapsed_ms


class _Stopwatch(chess.engine.Protocol):
    """Notes when "go" is sent and when the answer arrives, before anything else is done with it."""

    _answers: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.going = asyncio.Event()
        self.go_time = self.data_time = 0.0
        self.answer_time: float | None = None
        self.answer = ""
        self.errors: deque[str] = deque(maxlen=20)

    def rewind(self) -> None:
        self.going.clear()
        self.answer_time, self.answer = None, ""

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line == "go" or line.startswith("go "):
            self.go_time = time.perf_counter()
            self.going.set()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self.data_time = time.perf_counter()
        super().pipe_data_received(fd, data)

    def line_received(self, line: str) -> None:
        words = line.split(None, 2)
        if self.answer_time is None and self.going.is_set() and len(words) > 1 and words[0] in self._answers:
            self.answer_time, self.answer = self.data_time, words[1]

    def error_line_received(self, line: str) -> None:
        self.errors.append(line)

    def elapsed_ms(self) -> float:
        """From "go" to the answer, or to now."""
        return ((self.answer_time or time.perf_counter()) - self.go_time) * 1000


class _Uci(_Stopwatch, chess.engine.UciProtocol):
    _answers = ("bestmove",)


class _Features(dict):
    """XBoard features; python-chess insists on setboard, but without it an engine can still play from the start position."""

    sets_up = False

    def __setitem__(self, name: str, value: int | str) -> None:
        if name == "setboard":
            self.sets_up, value = bool(value), 1
        super().__setitem__(name, value)


class _XBoard(_Stopwatch, chess.engine.XBoardProtocol):
    _answers = ("move",)

    def __init__(self) -> None:
        super().__init__()
        self.features: _Features = _Features(setboard=1)

    async def initialize(self) -> None:
        """What python-chess takes for granted it would never send, whatever the engine has."""
        await super().initialize()
        for name in _ASSUMED:
            self.config.pop(name, None)
            self.target_config.pop(name, None)

    def line_received(self, line: str) -> None:
        super().line_received(line)
        if line.startswith("move ") and self.command is not None:
            self.loop.call_soon(self._end_of_failed, self.command)  # after python-chess has read the line itself

    @staticmethod
    def _end_of_failed(command: chess.engine.BaseCommand) -> None:
        """python-chess never ends a move that was cancelled or illegal, and would wait for ever before the next command."""
        if command.result.done() and not command.finished.done():
            command.set_finished()


class Player:
    """One engine process."""

    def __init__(self, spec: EngineSpec, transport: asyncio.SubprocessTransport, protocol: Any, patience: float) -> None:
        self.spec, self._transport, self._protocol, self._patience = spec, transport, protocol, patience

    @classmethod
    async def start(cls, spec: EngineSpec, patience: float) -> "Self":
        """Starts the engine and sets its options. `patience`: seconds until it counts as stalled, where no clock runs.

        Raises EngineFailure. The engine gets a process group of its own, so that Ctrl-C does not reach it.
        """
        kind = _XBoard if spec.protocol == "xboard" else _Uci
        try:
            command = [spec.program(), *spec.command[1:]]
            transport, protocol = await kind.popen(command, setpgrp=True, cwd=spec.directory)
        except ValueError as error:
            raise EngineFailure("disconnect", str(error)) from error
        except OSError as error:
            raise EngineFailure("disconnect", f"{spec.name} cannot be started: {error}") from error
        player = cls(spec, transport, protocol, patience)
        try:
            await asyncio.wait_for(protocol.initialize(), START_TIME)
            options = with_one_thread(as_announced(spec.options, protocol.options), protocol.options)
            await asyncio.wait_for(protocol.configure(options), START_TIME)
            await player.ready()
        except BaseException as error:
            await player.kill()
            if isinstance(error, asyncio.TimeoutError):
                problem = f"{spec.name} did not come up as a {spec.protocol} engine within {START_TIME:g} s"
                raise EngineFailure("stall", problem) from error
            if isinstance(error, chess.engine.EngineError):
                raise EngineFailure("disconnect", f"{spec.name}: {error}{player._last_words()}") from error
            if isinstance(error, EngineFailure):
                raise EngineFailure(error.reason, f"{spec.name}: {error.detail}") from error
            raise
        return player

    def announced(self) -> dict[str, chess.engine.Option]:
        """The options that the engine has, by name."""
        return dict(self._protocol.options.items())

    async def configure(self, options: Mapping[str, Any]) -> None:
        """Sets options between games. Raises EngineFailure."""
        await self._answered(self._protocol.configure(options), self._patience, "options not taken")

    async def _answered(self, request: Awaitable[None], patience: float, problem: str) -> None:
        """Waits for so many seconds. Raises EngineFailure."""
        try:
            await asyncio.wait_for(request, patience)
        except asyncio.TimeoutError as error:
            raise EngineFailure("stall", f"{problem} in {patience:g} s") from error
        except chess.engine.EngineError as error:
            raise self._disconnect(error) from error

    def check_able(self, chess960: bool, from_start: bool, control: TimeControl) -> None:
        """Raises EngineFailure when the engine lacks Chess960, other positions than the first, or limits of nodes."""
        features = None if self.spec.protocol == "uci" else self._protocol.features
        plays960 = "UCI_Chess960" in self._protocol.options if features is None else "fischer" in str(features.get("variants"))
        if chess960 and not plays960:
            raise EngineFailure("disconnect", f"{self.spec.name} does not play Chess960")
        if features is not None and not features.sets_up and not from_start:
            raise EngineFailure("disconnect", f"{self.spec.name} cannot be given positions; use a PGN or Polyglot book")
        if features is not None and control.nodes is not None:
            if control.base_ms is not None or control.movetime is not None:
                raise EngineFailure("disconnect", f"{self.spec.name} takes nodes or time as its limit, not both (XBoard)")
            if not features.get("nps"):
                raise EngineFailure("disconnect", f"{self.spec.name} cannot be held to a number of nodes (XBoard)")

    async def ready(self) -> None:
        """Waits until the engine answers a ping. Raises EngineFailure."""
        await self._answered(self._protocol.ping(), self._patience, "no answer to a ping")

    async def think(
        self, board: chess.Board, limit: chess.engine.Limit, game: object, allowance_ms: float | None
    ) -> PlayedMove:
        """Lets the engine move. Raises EngineFailure; a late move is returned; the caller compares it with the clock."""
        await self.ready()
        self._protocol.rewind()
        wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        task = asyncio.ensure_future(self._protocol.play(board, limit, game=game, info=wanted))
        try:
            await self._wait(task, allowance_ms)
        finally:
            if not task.done():
                task.cancel()
        if task.cancelled() or not task.done():
            await self._stop(task, allowance_ms)
        error = task.exception()
        if error is not None:
            raise self._failure(error) from error
        return self._played(task.result(), board)

    async def _wait(self, task: asyncio.Future, allowance_ms: float | None) -> None:
        """Until the move is there or can no longer be in time. Preparations before "go" have their own patience."""
        going = asyncio.ensure_future(self._protocol.going.wait())
        try:
            await asyncio.wait({task, going}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            going.cancel()
        if not task.done() and not self._protocol.going.is_set():
            raise EngineFailure("stall", f"not ready for the game in {self._patience:g} s")
        await asyncio.wait({task}, timeout=self._patience if allowance_ms is None else allowance_ms / 1000 + STOP_DELAY)
        if self._protocol.answer_time is not None:  # XBoard: the move is there, but python-chess waits for a pong behind it
            await asyncio.wait({task}, timeout=self._patience)

    async def _stop(self, task: asyncio.Future, allowance_ms: float | None) -> None:
        """The move did not come in time: cancelling sent "stop"; tells a late engine from one that hangs."""
        with contextlib.suppress(asyncio.CancelledError):
            await task
        problem = f"no move after {self._protocol.elapsed_ms():.0f} ms, stop not obeyed"
        await self._answered(self._protocol.ping(), min(LATE_TIME, self._patience), problem)
        if allowance_ms is None:
            raise EngineFailure("stall", f"no move in {self._patience:g} s", usable=True)
        raise TooLate(self._protocol.elapsed_ms())

    def _failure(self, error: BaseException) -> EngineFailure:
        if isinstance(error, chess.engine.EngineTerminatedError):
            return self._disconnect(error)
        if isinstance(error, chess.engine.EngineError):
            return EngineFailure("illegal move", self._protocol.answer or str(error), usable=True)
        raise error

    def _disconnect(self, error: Exception) -> EngineFailure:
        code = _EXIT_CODE.search(str(error))
        return EngineFailure("disconnect", (f"exit code {code[1]}" if code else str(error)) + self._last_words())

    def _last_words(self) -> str:
        return f"; it said: {self._protocol.errors[-1][:200]}" if self._protocol.errors else ""

    def _played(self, result: chess.engine.PlayResult, board: chess.Board) -> PlayedMove:
        if result.resigned:
            raise EngineFailure("resignation", usable=True)
        if not result.move or not board.is_legal(result.move):
            raise EngineFailure("illegal move", self._protocol.answer or "none", usable=True)
        score = result.info.get("score")
        relative = None if score is None else score.pov(board.turn)
        return PlayedMove(
            move=result.move,
            milliseconds=self._protocol.elapsed_ms(),
            score=None if relative is None else relative.score(),
            mate=None if relative is None else relative.mate(),
            depth=result.info.get("depth"),
            nodes=result.info.get("nodes"),
        )

    async def quit(self) -> None:
        """Asks the engine to leave, and ends it if it does not."""
        with contextlib.suppress(asyncio.TimeoutError, chess.engine.EngineError):
            await asyncio.wait_for(self._protocol.quit(), QUIT_TIME)
        await self.kill()

    async def kill(self) -> None:
        """Ends the engine's processes at once, those too that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            else:
                self._transport.kill()
        self._transport.close()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._protocol.returncode), QUIT_TIME)
