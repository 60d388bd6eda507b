"""The engine's side of a conversation, by python-chess, with what a match needs: exact times, a log, and any bytes as text."""

import asyncio
import codecs
import sys
import time
from collections import defaultdict, deque
from datetime import datetime
from typing import IO

import chess.engine

_DECODER = codecs.getincrementaldecoder("utf-8")


class ConversationLog:
    """Adds every line of one engine's conversation to a file: time, name, direction (> to the engine, < from it), text."""

    def __init__(self, file: IO[bytes] | None, name: str) -> None:
        self._file, self._name = file, name

    def note(self, sign: str, line: str) -> None:
        """Writes one line at once, so that lines of several processes do not mix. A failure ends the log, not the game."""
        if self._file is None:
            return
        moment = datetime.now().isoformat(timespec="milliseconds")
        try:
            self._file.write(f"{moment} {self._name} {sign} {line}\n".encode(errors="replace"))
        except OSError as error:
            self._file = None
            print(f"the log of {self._name} ends: {error}", file=sys.stderr)


class TimedProtocol(chess.engine.Protocol):
    """Notes when "go" is sent and when the answer arrives, before anything else is done with it."""

    answers: tuple[str, ...] = ()  # first words of the answer to "go"
    greetings: tuple[str, ...] = ()  # first words that only an engine of this protocol says when it starts
    log = ConversationLog(None, "")

    def __init__(self) -> None:
        super().__init__()
        self.going, self.greeted = asyncio.Event(), False
        self.go_time = self.data_time = 0.0
        self.answer_time: float | None = None
        self.answer = ""
        self.errors: deque[str] = deque(maxlen=20)
        # what is not UTF-8 becomes escapes; python-chess would pass over the whole line, and wait for it forever
        self._decoders = defaultdict[int, codecs.IncrementalDecoder](lambda: _DECODER("backslashreplace"))

    def rewind(self) -> None:
        """Prepares for the next move."""
        self.going.clear()
        self.answer_time, self.answer = None, ""

    def send_line(self, line: str) -> None:
        super().send_line(line)
        if line == "go" or line.startswith("go "):
            self.go_time = time.perf_counter()
            self.going.set()
        self.log.note(">", line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self.data_time = time.perf_counter()
        text = self._decoders[fd].decode(data) if isinstance(data, bytes) else data
        super().pipe_data_received(fd, text.encode())

    def line_received(self, line: str) -> None:
        words = line.split(None, 2)
        if self.answer_time is None and self.going.is_set() and len(words) > 1 and words[0] in self.answers:
            self.answer_time, self.answer = self.data_time, words[1]
        self.greeted = self.greeted or (bool(words) and words[0] in self.greetings)
        self.log.note("<", line)

    def error_line_received(self, line: str) -> None:
        self.errors.append(line)
        self.log.note("!", line)

    def elapsed_ms(self) -> float:
        """From "go" to the answer, or to now."""
        return ((self.answer_time or time.perf_counter()) - self.go_time) * 1000


class Uci(TimedProtocol, chess.engine.UciProtocol):
    """A UCI engine."""

    answers = ("bestmove",)
    greetings = ("id", "option", "uciok")
