"""The console of a UCI conversation: lines from standard input, whole lines to standard output, and the debug log of both."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator

from zobra.uci.debug_log import IN, OUT, DebugLog

CHUNK = 1 << 16  # bytes
LONGEST_REMARK = 400  # characters of an info string, which may quote a line of any length


def read_standard_input() -> bytes:
    """The next bytes of standard input; none at its end, or when it is closed or broken."""
    try:
        return os.read(0, CHUNK)
    except OSError:
        return b""


def write_standard_output(line: bytes) -> None:
    """Write a whole line at once. When nobody reads any more, the process ends quietly."""
    try:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except (OSError, ValueError):
        os._exit(0)


class Console:
    """Reads and writes lines. All methods may be called from any thread, `lines` from one only.

    `debug` is true between `debug on` and `debug off`. `read` returns the next bytes (none at the end); `write` takes a line.
    """

    def __init__(
        self, read: Callable[[], bytes] = read_standard_input, write: Callable[[bytes], None] = write_standard_output
    ) -> None:
        self.debug = False
        self.log = DebugLog()
        self._read, self._write = read, write
        self._lock = threading.Lock()

    def lines(self) -> Iterator[str]:
        """The lines of the input, ended by LF, CR LF or CR. What follows the last end of line is a line too."""
        pieces: list[bytes] = []
        while chunk := self._read():
            first, *others = chunk.replace(b"\r", b"\n").split(b"\n")
            pieces.append(first)
            for piece in others:
                yield self._noted(b"".join(pieces))
                pieces = [piece]
        yield self._noted(b"".join(pieces))

    def _noted(self, data: bytes) -> str:
        line = decode(data)
        if problem := self.log.note(IN, line):
            self.inform(problem)
        return line

    def say(self, text: str) -> None:
        """Print one line."""
        with self._lock:
            self._write(text.encode(errors="replace") + b"\n")
            problem = self.log.note(OUT, text)
        if problem:
            self.inform(problem)

    def inform(self, text: str) -> None:
        """Print an `info string`. Line breaks become spaces, since a GUI would read what follows as a command."""
        line = " ".join(text.split())
        self.say("info string " + (line if len(line) <= LONGEST_REMARK else line[:LONGEST_REMARK] + " …"))

    def remark(self, text: str) -> None:
        """Print an `info string` if `debug on` asked for such remarks."""
        if self.debug:
            self.inform(text)


def decode(line: bytes) -> str:
    """UTF-8, or Latin-1 where the bytes are not UTF-8 (some GUIs write paths so)."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def leave_on_signals() -> None:
    """From now on SIGINT and SIGTERM end the process at once with status 0. Call it from the main thread.

    A Python handler alone is not enough: a signal that arrives just before the main thread blocks in a read does not wake it.
    Python's C handler writes to a pipe, and the thread that reads this pipe always wakes.
    """
    reading, writing = os.pipe()
    if hasattr(os, "set_blocking"):  # missing on Windows before Python 3.12, where it is not required either
        os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)

    def leave() -> None:
        os.read(reading, 1)
        os._exit(0)

    threading.Thread(target=leave, daemon=True, name="signals").start()
