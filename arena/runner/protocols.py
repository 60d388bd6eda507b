"""UCI and XBoard by python-chess, extended for matches.

Times are exact, communication is logged, any bytes are accepted as text, and less capable engines
can play.
"""

import asyncio
import codecs
import sys
import time
from collections import defaultdict, deque
from datetime import datetime
from typing import IO, Any

import chess
import chess.engine

from zobra.arena.formats.uci_option import readable_option
from zobra.arena.model.clock import TimeControl

_DECODER = codecs.getincrementaldecoder("utf-8")


def pass_engine_errors_on(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """End a search with an error that happened in the middle of it, as a handler of an event loop.

    python-chess passes such errors (mostly illegal moves) only to the event loop, and the search
    never ends.
    """
    error = context.get("exception")
    command = getattr(context.get("protocol"), "command", None)
    analysis = getattr(command, "analysis", None)
    if isinstance(error, chess.engine.EngineError) and isinstance(
        analysis, chess.engine.AnalysisResult
    ):
        analysis.set_exception(error)
    elif not isinstance(error, chess.engine.EngineTerminatedError):  # else it was given up before
        loop.default_exception_handler(context)


class TimedProtocol(chess.engine.Protocol):
    """A protocol that logs all lines, and notes when "go" is sent and when its answer arrives."""

    answers: tuple[str, ...] = ()  # first words of the answer to "go"
    # First words that only an engine of this protocol says when it starts
    greetings: tuple[str, ...] = ()
    # Gets every line: time, `name`, direction (> to the engine, < from it, ! errors), text
    log: IO[bytes] | None = None
    name = ""

    def __init__(self) -> None:
        super().__init__()
        self.going = asyncio.Event()
        self.greeted = False
        self.seeks_move = False
        self.go_time = 0.0
        self.data_time = 0.0
        self.answer_time: float | None = None
        self.answer = ""
        self.last_score = ""
        self.errors: deque[str] = deque(maxlen=20)
        # What is not UTF-8 becomes escapes; python-chess would pass over the whole line, and wait
        # for it forever
        self._decoders = defaultdict[int, codecs.IncrementalDecoder](
            lambda: _DECODER("backslashreplace")
        )

    def _note(self, sign: str, line: str) -> None:
        """Log one line at once, so that lines of several processes do not mix.

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
        """Send a line, and note the time if it starts a search."""
        super().send_line(line)
        if line == "go" or line.startswith("go "):
            self.go_time = time.perf_counter()
            self.going.set()
        self._note(">", line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Receive output of the engine, and note the time."""
        self.data_time = time.perf_counter()
        text = self._decoders[fd].decode(data) if isinstance(data, bytes) else data
        super().pipe_data_received(fd, text.encode())

    def line_received(self, line: str) -> None:
        """Read a line, and note whether it answers a search."""
        words = line.split(None, 2)
        is_awaited = self.going.is_set() and self.answer_time is None
        if is_awaited and len(words) > 1 and words[0] in self.answers:
            self.answer_time = self.data_time
            self.answer = words[1]
        if words and words[0] in self.greetings:
            self.greeted = True
        self._note("<", line)

    def error_line_received(self, line: str) -> None:
        """Store a line of standard error."""
        self.errors.append(line)
        self._note("!", line)

    def elapsed_ms(self) -> float:
        """Return the milliseconds from "go" to its answer, or until now if there is none."""
        return ((self.answer_time or time.perf_counter()) - self.go_time) * 1000


class Uci(TimedProtocol, chess.engine.UciProtocol):
    """A UCI engine."""

    answers = ("bestmove",)
    greetings = ("id", "option", "uciok")

    def _line_received(self, line: str) -> None:
        """Pass on a line to python-chess.

        In a search for a move python-chess reads only the last exact score; bounds do not count. It
        gets only the option lines that it understands.
        """
        if line.split(None, 1)[:1] == ["option"]:
            self.line_received(line)
            option = readable_option(line)
            if option and self.command is not None:
                self.command._line_received(option)
            return
        if self.seeks_move and self.going.is_set() and line.startswith("info "):
            is_text = line.startswith("info string")
            if " score " in line and "bound" not in line and not is_text:
                self.last_score = line
            self.line_received(line)
            return
        if self.last_score and self.command is not None:
            self.command._line_received(self.last_score)
        self.last_score = ""
        super()._line_received(line)

    def problem(self, chess960: bool, from_start: bool, control: TimeControl) -> str:
        """Return why the engine cannot play such games, or an empty string."""
        if chess960 and "UCI_Chess960" not in self.options:
            return "does not play Chess960"
        return ""


class Features(dict):
    """XBoard features.

    python-chess insists on setboard, but an engine without it can still play from the start
    position.
    """

    sets_up = False

    def __setitem__(self, name: str, value: int | str) -> None:
        if name == "setboard":
            self.sets_up = bool(value)
            value = 1
        super().__setitem__(name, value)


class XBoard(TimedProtocol, chess.engine.XBoardProtocol):
    """An XBoard engine, which may lack features that python-chess requires."""

    answers = ("move",)
    greetings = ("feature",)

    def __init__(self) -> None:
        super().__init__()
        self.features: Features = Features(setboard=1)

    async def initialize(self) -> None:
        """Start the protocol."""
        await super().initialize()

        # python-chess assumes the values 1 and 16 MB, and would not send them.
        for name in ("cores", "memory"):
            self.config.pop(name, None)
            self.target_config.pop(name, None)

    def line_received(self, line: str) -> None:
        """Read a line, and finish a move command that python-chess would leave open."""
        super().line_received(line)
        command = self.command

        def end_if_failed() -> None:
            """Finish a move command that was cancelled or got an illegal move.

            python-chess never does, and would wait forever before the next command.
            """
            if command is not None and command.result.done() and not command.finished.done():
                command.set_finished()

        if line.startswith("move "):
            self.loop.call_soon(end_if_failed)  # after python-chess has read the line itself

    def problem(self, chess960: bool, from_start: bool, control: TimeControl) -> str:
        """Return why the engine cannot play such games, or an empty string."""
        if chess960 and "fischer" not in str(self.features.get("variants")):
            return "does not play Chess960"
        if not self.features.sets_up and not from_start:
            return "cannot be given positions; use a PGN or Polyglot book"
        if control.nodes is None:
            return ""
        if control.base_ms is not None or control.movetime is not None:
            return "takes nodes or time as its limit, not both (XBoard)"
        return "" if self.features.get("nps") else "cannot be held to a number of nodes (XBoard)"
