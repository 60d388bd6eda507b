"""A running engine that plays: it is started, asked for moves against a clock, and ended.

Every failure has a name.
"""

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import replace
from typing import IO, Any, TypeVar

import chess
import chess.engine

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import listed, printable
from zobra.arena.model.clock import GameClock, TimeControl, engine_limit
from zobra.arena.model.engines import HASH, THREADS, EngineSpec, Resources, as_announced
from zobra.arena.runner.processes import kill_engine, run_async
from zobra.arena.runner.protocols import Uci, XBoard, pass_engine_errors_on

# Failures are reported as EngineFailure, so python-chess and asyncio need not log them
chess.engine.LOGGER.setLevel(logging.CRITICAL)
logging.getLogger("asyncio").setLevel(logging.CRITICAL)

# Seconds that an engine has
GREETING_TIME = 10.0  # for a first word of its protocol
START_TIME = 60.0  # for its whole start
STOP_DELAY = 0.2  # beyond its time for a move, before it gets "stop"
LATE_TIME = 10.0  # for the answer to a late "stop"
QUIT_TIME = 2.0  # for "quit"
GRACE = 10.0  # for its answer when the time of an analysis is up
ANSWER_TIME = 30.0  # for an answer without a search, where no match sets another time
_LONGEST_DETAIL = 500  # characters of what is said about a fault, with what the engine said
_EXIT_CODE = re.compile(r"exit code: (-?\d+)")
Player = TypeVar("Player", bound="EnginePlayer")


class EngineFailure(RuntimeError):
    """A fault by which an engine lost its game: `reason` names it, `detail` explains it.

    If `usable`, the engine can play the next game.
    """

    def __init__(self, reason: str, detail: str = "", *, usable: bool = False) -> None:
        self.reason = reason
        self.detail = printable(detail, _LONGEST_DETAIL)
        self.usable = usable
        super().__init__(self.detail or reason)


class EnginePlayer:
    """One engine process.

    Where no clock runs, it counts as stalled after `timeout` seconds.
    """

    def __init__(
        self,
        spec: EngineSpec,
        transport: asyncio.SubprocessTransport,
        protocol: Any,
        timeout: float,
    ) -> None:
        self.spec = spec
        self._transport = transport
        self._protocol = protocol
        self._timeout = timeout
        self._options: dict[str, Any] = {}  # that were set at the start

    @classmethod
    async def start(
        cls: type[Player], spec: EngineSpec, timeout: float, log: IO[bytes] | None = None
    ) -> Player:
        """Start the engine and set its options.

        Its communication is appended to `log`. It gets its own process group, so that Ctrl-C does
        not reach it. Raise EngineFailure.
        """
        asyncio.get_running_loop().set_exception_handler(pass_engine_errors_on)
        try:
            kind = XBoard if spec.protocol == "xboard" else Uci
            transport, protocol = await kind.popen(
                [spec.program(), *spec.command[1:]], setpgrp=True, cwd=spec.directory
            )
        except (OSError, ValueError) as error:
            raise EngineFailure("disconnect", f"{spec.name} cannot be started: {error}") from error
        protocol.log = log
        protocol.name = spec.name
        player = cls(spec, transport, protocol, timeout)
        coming = asyncio.ensure_future(protocol.initialize())
        try:
            await asyncio.wait({coming}, timeout=min(GREETING_TIME, START_TIME))
            is_silent = not coming.done() and not protocol.greeted
            if is_silent and GREETING_TIME < START_TIME:  # it may be no engine at all
                problem = f"no word of {spec.protocol} in {GREETING_TIME:g} s{player._last_words()}"
                raise EngineFailure("stall", f"{spec.name}: {problem}")
            await asyncio.wait_for(coming, START_TIME)
            player._options = player._first_options()
            await asyncio.wait_for(protocol.configure(player._options), START_TIME)
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

    def _first_options(self) -> dict[str, Any]:
        """Return the options to set at the start, with one thread unless more are asked for.

        Some engines would take every processor. Raise chess.engine.EngineError.
        """
        for name in self.spec.options:
            if name not in self._protocol.options:
                raise chess.engine.EngineError(self._lacks(name))
        options = as_announced(self.spec.options, self._protocol.options)
        if not any(name.lower() in THREADS for name in options):
            for name in self._protocol.options:
                if name.lower() in THREADS:
                    options[name] = 1
        return options

    def _lacks(self, name: str) -> str:
        """Return a sentence about an option that the engine does not have."""
        engine, colon, option = name.partition(":")
        if colon:
            return f"it has no option {name}, and there is no engine {engine} to set {option} of"
        known = listed(self._protocol.options, longest=100) or "none"
        return f"engine does not support option {printable(name, 40)} (available options: {known})"

    @property
    def announced_name(self) -> str:
        """The name that the engine gives itself, often with its version."""
        return printable(self._protocol.id.get("name") or self.spec.name, 80)

    @property
    def resources(self) -> Resources:
        """Threads and hash table, as they were set or as the engine announces them."""
        return Resources(self._number(THREADS), self._number(HASH))

    def _number(self, names: Collection[str]) -> int | None:
        """Return the value of the option with one of these names, or None if it is unknown."""
        found = None
        if self.spec.protocol == "uci":  # an XBoard engine does not say what it begins with
            for name, option in self._protocol.options.items():
                if name.lower() in names:
                    found = option.default
        for name, value in self._options.items():
            if name.lower() in names:
                found = value
        return found if isinstance(found, int) else None

    def announced(self) -> dict[str, chess.engine.Option]:
        """Return the options that the engine has, by name."""
        return dict(self._protocol.options.items())

    def check_able(self, chess960: bool, from_start: bool, control: TimeControl) -> None:
        """Raise EngineFailure if the engine cannot play such games.

        It may not support Chess960, other start positions, or node limits.
        """
        problem = self._protocol.problem(chess960, from_start, control)
        if problem:
            raise EngineFailure("disconnect", f"{self.spec.name} {problem}")

    async def configure(self, options: Mapping[str, Any]) -> None:
        """Set options between games. Raise EngineFailure."""
        await self._answered(self._protocol.configure(options), self._timeout, "options not taken")

    async def ready(self) -> None:
        """Wait until the engine answers a ping. Raise EngineFailure."""
        await self._answered(self._protocol.ping(), self._timeout, "no answer to a ping")

    async def _answered(self, request: Awaitable[None], timeout: float, problem: str) -> None:
        """Wait for an answer, for at most `timeout` seconds. Raise EngineFailure."""
        try:
            await asyncio.wait_for(request, timeout)
        except asyncio.TimeoutError as error:
            raise EngineFailure("stall", f"{problem} in {timeout:g} s") from error
        except chess.engine.EngineError as error:
            raise self._disconnect(error) from error

    async def think(
        self, board: chess.Board, clocks: Mapping[chess.Color, GameClock], game: object
    ) -> PlayedMove:
        """Return the engine's move, whose time its clock counts. Raise EngineFailure."""
        await self.ready()
        clock = clocks[board.turn]
        allowance = clock.allowance_ms()
        limit = engine_limit(clocks, board.turn, game)
        result = await self._result(board, limit, game, allowance)
        played = None if result is None else self._played(result, board)
        late_by = clock.spend(self._protocol.elapsed_ms())
        if played is None or late_by > 0:
            raise EngineFailure("time", f"{late_by:.0f} ms over", usable=True)
        if clock.remaining_ms is None:
            return played
        return replace(played, clock_ms=round(clock.remaining_ms))

    async def _result(
        self, board: chess.Board, limit: chess.engine.Limit, game: object, allowance: float | None
    ) -> chess.engine.PlayResult | None:
        """Return the engine's answer to "go", or None if it came too late. Raise EngineFailure."""
        protocol = self._protocol
        protocol.going.clear()
        protocol.answer_time = None
        protocol.answer = ""
        protocol.seeks_move = True
        wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        task = asyncio.ensure_future(protocol.play(board, limit, game=game, info=wanted))
        going = asyncio.ensure_future(protocol.going.wait())
        try:
            # Preparations before "go" have a timeout of their own
            await asyncio.wait(
                {task, going}, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if not task.done() and not protocol.going.is_set():
                raise EngineFailure("stall", f"not ready for the game within {self._timeout:g} s")

            timeout = self._timeout if allowance is None else allowance / 1000 + STOP_DELAY
            await asyncio.wait({task}, timeout=timeout)

            # XBoard: the move is there, but python-chess waits for a pong after it
            if protocol.answer_time is not None:
                await asyncio.wait({task}, timeout=self._timeout)
        finally:
            going.cancel()
            task.cancel()

        if not task.done() or task.cancelled():  # cancelling sent "stop"
            with contextlib.suppress(asyncio.CancelledError):
                await task
            problem = f"no move after {protocol.elapsed_ms():.0f} ms, stop not obeyed"
            await self._answered(protocol.ping(), min(LATE_TIME, self._timeout), problem)
            if allowance is None:
                raise EngineFailure("stall", f"no move in {self._timeout:g} s", usable=True)
            return None
        error = task.exception()
        if isinstance(error, chess.engine.EngineTerminatedError):
            raise self._disconnect(error) from error
        if isinstance(error, chess.engine.EngineError):
            detail = protocol.answer or str(error)
            raise EngineFailure("illegal move", detail, usable=True) from error
        return task.result()

    def _played(self, result: chess.engine.PlayResult, board: chess.Board) -> PlayedMove:
        """Return the move and its score. Raise EngineFailure if illegal or resigned."""
        if result.resigned:
            raise EngineFailure("resignation", usable=True)
        if not result.move or not board.is_legal(result.move):
            raise EngineFailure("illegal move", self._protocol.answer or "no move", usable=True)
        centipawns = None
        mate = None
        if "score" in result.info:
            score = result.info["score"].pov(board.turn)
            centipawns = score.score()
            mate = score.mate()
        return PlayedMove(
            result.move,
            centipawns,
            mate,
            result.info.get("depth"),
            result.info.get("nodes"),
            round(self._protocol.elapsed_ms(), 1),
        )

    def _disconnect(self, error: Exception) -> EngineFailure:
        code = _EXIT_CODE.search(str(error))
        problem = f"exit code {code[1]}" if code else str(error)
        return EngineFailure("disconnect", problem + self._last_words())

    def _last_words(self) -> str:
        """Return the last line of the engine's standard error, as the end of a message."""
        if not self._protocol.errors:
            return ""
        return f"; it said: {self._protocol.errors[-1][:200]}"

    async def analysis(
        self,
        board: chess.Board,
        limit: chess.engine.Limit,
        game: object,
        options: dict[str, Any],
        multipv: int | None = None,
    ) -> chess.engine.AnalysisResult:
        """Start a search whose lines can be read as they come.

        If the engine dies first, python-chess would wait forever for the start of the search. Raise
        chess.engine.EngineError.
        """
        beginning = asyncio.ensure_future(
            self._protocol.analysis(board, limit, multipv=multipv, game=game, options=options)
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
        """Ask the engine to quit, and kill it if it does not."""
        try:
            with contextlib.suppress(asyncio.TimeoutError, chess.engine.EngineError):
                await asyncio.wait_for(self._protocol.quit(), QUIT_TIME)
        finally:
            await self.kill()

    async def kill(self) -> None:
        """Kill the engine's process and all processes that it has started."""
        kill_engine(self._transport.get_pid())
        # Asyncio must see the end before the transport, which would look for it too, is closed
        try:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._protocol.returncode), QUIT_TIME)
        finally:
            self._transport.close()


def announced_options(spec: EngineSpec, timeout: float) -> dict[str, chess.engine.Option]:
    """Start the engine briefly, and return its options by name. Raise EngineFailure."""

    async def ask() -> dict[str, chess.engine.Option]:
        player = await EnginePlayer.start(spec, timeout)
        await player.quit()
        return player.announced()

    return run_async(ask())
