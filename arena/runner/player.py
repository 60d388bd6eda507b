"""A running engine that plays: started, asked for moves with its time measured, and ended; every
failure has a name. UCI and XBoard are those of python-chess, with what a match needs: exact times,
a log, any bytes as text, and engines that can less.
"""

import asyncio
import codecs
import contextlib
import logging
import re
import sys
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import IO, Any, TypeVar

import chess
import chess.engine

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import printable
from zobra.arena.model.clock import GameClock, TimeControl, engine_limit
from zobra.arena.model.engines import THREADS, EngineSpec, as_announced
from zobra.arena.runner.processes import kill_engine, run_async

for _logger in (chess.engine.LOGGER, logging.getLogger("asyncio")):
    _logger.setLevel(
        logging.CRITICAL
    )  # a failure is reported as EngineFailure; nobody else need log it too

# seconds: for a first word of the engine's protocol, for the whole start, for the answer to a late
# "stop", and for "quit"
GREETING_TIME, START_TIME, LATE_TIME, QUIT_TIME = 10.0, 60.0, 10.0, 2.0
STOP_DELAY = 0.2  # how far over its time an engine may be before it gets "stop" (seconds)
_DECODER = codecs.getincrementaldecoder("utf-8")
_EXIT_CODE = re.compile(r"exit code: (-?\d+)")
Player = TypeVar("Player", bound="EnginePlayer")


class EngineFailure(RuntimeError):
    """A fault by which an engine lost its game: `reason` names it, `detail` explains it.

    `usable`: the engine can play on.
    """

    def __init__(self, reason: str, detail: str = "", *, usable: bool = False) -> None:
        self.reason, self.detail, self.usable = reason, printable(detail), usable
        super().__init__(self.detail or reason)


class TimedProtocol(chess.engine.Protocol):
    """Notes when "go" is sent and when the answer arrives, before anything else is done with it."""

    answers: tuple[str, ...] = ()  # first words of the answer to "go"
    greetings: tuple[
        str, ...
    ] = ()  # first words that only an engine of this protocol says when it starts
    log: IO[bytes] | None = (
        # Gets every line: time, `name`, direction (> to the engine, < from it, ! errors), text
        None
    )
    name = ""

    def __init__(self) -> None:
        super().__init__()
        self.going, self.greeted, self.seeks_move = asyncio.Event(), False, False
        self.go_time = self.data_time = 0.0
        self.answer_time: float | None = None
        self.answer = self.last_score = ""
        self.errors: deque[str] = deque(maxlen=20)
        # what is not UTF-8 becomes escapes; python-chess would pass over the whole line, and wait
        # for it forever
        self._decoders = defaultdict[int, codecs.IncrementalDecoder](
            lambda: _DECODER("backslashreplace")
        )

    def _note(self, sign: str, line: str) -> None:
        """Logs one line at once, so that lines of several processes do not mix.

        A failure ends the log, not the game.
        """
        try:
            if self.log is not None:
                moment = datetime.now().isoformat(timespec="milliseconds")
                self.log.write(f"{moment} {self.name} {sign} {line}\n".encode(errors="replace"))
        except OSError as error:
            self.log = None
            print(f"the log of {self.name} ends: {error}", file=sys.stderr)

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line == "go" or line.startswith("go "):
            self.go_time = time.perf_counter()
            self.going.set()
        self._note(">", line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self.data_time = time.perf_counter()
        text = self._decoders[fd].decode(data) if isinstance(data, bytes) else data
        super().pipe_data_received(fd, text.encode())

    def line_received(self, line: str) -> None:
        words = line.split(None, 2)
        if (
            self.answer_time is None
            and self.going.is_set()
            and len(words) > 1
            and words[0] in self.answers
        ):
            self.answer_time, self.answer = self.data_time, words[1]
        self.greeted = self.greeted or (bool(words) and words[0] in self.greetings)
        self._note("<", line)

    def error_line_received(self, line: str) -> None:
        self.errors.append(line)
        self._note("!", line)

    def elapsed_ms(self) -> float:
        """From "go" to the answer, or to now."""
        return ((self.answer_time or time.perf_counter()) - self.go_time) * 1000


class Uci(TimedProtocol, chess.engine.UciProtocol):
    """A UCI engine."""

    answers, greetings = ("bestmove",), ("id", "option", "uciok")

    def _line_received(self, line: str) -> None:
        """Where python-chess reads a line.

        Of a search for a move it reads the last exact score only: a bound is none.
        """
        if self.seeks_move and self.going.is_set() and line.startswith("info "):
            self.last_score = line if " score " in line and "bound" not in line else self.last_score
            self.line_received(line)
            return
        if self.last_score and self.command is not None:
            self.command._line_received(self.last_score)
        self.last_score = ""
        super()._line_received(line)

    def problem(self, chess960: bool, from_start: bool, control: TimeControl) -> str:
        """Why the engine cannot play such games; empty if it can."""
        return "does not play Chess960" if chess960 and "UCI_Chess960" not in self.options else ""


class Features(dict):
    """XBoard features. python-chess insists on setboard; without it an engine can still play from
    the start position.
    """

    sets_up = False

    def __setitem__(self, name: str, value: int | str) -> None:
        if name == "setboard":
            self.sets_up, value = bool(value), 1
        super().__setitem__(name, value)


class XBoard(TimedProtocol, chess.engine.XBoardProtocol):
    """An XBoard engine, of which python-chess expects more than many can do."""

    answers, greetings = ("move",), ("feature",)

    def __init__(self) -> None:
        super().__init__()
        self.features: Features = Features(setboard=1)

    async def initialize(self) -> None:
        await super().initialize()
        for name in (
            "cores",
            "memory",
        ):  # python-chess assumes their values (1, 16 MB), and would not send these
            self.config.pop(name, None)
            self.target_config.pop(name, None)

    def line_received(self, line: str) -> None:
        super().line_received(line)
        command = self.command

        def end_if_failed() -> None:
            """python-chess never ends a move that was cancelled or illegal, and would wait forever
            before the next command.
            """
            if command is not None and command.result.done() and not command.finished.done():
                command.set_finished()

        if line.startswith("move "):
            self.loop.call_soon(end_if_failed)  # after python-chess has read the line itself

    def problem(self, chess960: bool, from_start: bool, control: TimeControl) -> str:
        if chess960 and "fischer" not in str(self.features.get("variants")):
            return "does not play Chess960"
        if not self.features.sets_up and not from_start:
            return "cannot be given positions; use a PGN or Polyglot book"
        if control.nodes is None:
            return ""
        if control.base_ms is not None or control.movetime is not None:
            return "takes nodes or time as its limit, not both (XBoard)"
        return "" if self.features.get("nps") else "cannot be held to a number of nodes (XBoard)"


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
