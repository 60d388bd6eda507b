"""The console of a UCI conversation: lines from standard input, whole lines to standard output, and the debug log of both."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

IN, OUT = ">>", "<<"
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


class DebugLog:
    """A log file, or none. Each line is written at once. The log ends when the file cannot be written any more."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Append to the file at `path` from now on; empty: no log. ValueError says why not, and then the old log stays."""
        try:
            if path and Path(path).exists() and not Path(path).is_file():
                raise ValueError("it is not an ordinary file")
            file = Path(path).open("a", buffering=1, encoding="utf-8", errors="replace") if path else None  # noqa: SIM115
        except (OSError, ValueError) as error:
            kept = f"the debug log is still {self._file.name}" if self._file else "no debug log"
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"{kept}: {path} cannot be written: {reason}") from None
        with self._lock:
            self._replace(file)

    def _replace(self, file: TextIO | None) -> None:
        old, self._file = self._file, file
        with suppress(OSError):  # what is still buffered cannot be written either
            if old is not None:
                old.close()

    def note(self, direction: str, text: str) -> str:
        """Write a line of the conversation; `direction` is IN or OUT. Says why the log has ended, empty if it has not."""
        if self._file is None:
            return ""
        with self._lock:
            now = time.time()
            stamp = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03d}"
            try:
                if self._file is not None:
                    self._file.write(f"{stamp} {direction} {text}\n")
            except OSError as error:
                self._replace(None)
                return f"error: the debug log has ended: {error.strerror}"
        return ""


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
        try:
            line = data.decode()
        except UnicodeDecodeError:  # some GUIs write paths so
            line = data.decode("latin-1")
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
