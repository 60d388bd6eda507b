"""The console: reads lines from standard input, writes lines to standard output, and logs both."""

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

IN = ">>"
OUT = "<<"
CHUNK = 1 << 16  # bytes
MAX_INFO = 400  # characters of an info string, which may quote a line of any length


def read_input() -> bytes:
    """Return the next bytes of standard input, or b"" at its end or after an error."""
    try:
        return os.read(0, CHUNK)
    except OSError:
        return b""


def write_output(line: bytes) -> None:
    """Write a whole line at once.

    If the reader has gone, end the process quietly; if the disk is full, with a message.
    """
    try:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    except (BrokenPipeError, ValueError):
        os._exit(0)
    except OSError as error:
        if error.errno == errno.EINVAL:  # Windows: the reader has gone
            os._exit(0)
        print(f"zobra: standard output: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(1)


def require_streams(*names: str) -> None:
    """Exit with a message if one of these standard streams ("input", "output") is closed.

    Otherwise the next file to be opened would take its place.
    """
    streams = {"input": sys.stdin, "output": sys.stdout}
    for name in names:
        if streams[name] is None:
            print(f"zobra: standard {name} is closed", file=sys.stderr or sys.stdout)
            sys.exit(1)


class Console:
    """Reads and writes lines. Any thread may call its methods, but only one may call `lines`.

    `debug_on` is true between `debug on` and `debug off`. `read` returns the next bytes (none at
    the end); `write` takes a line.
    """

    def __init__(
        self, read: Callable[[], bytes] = read_input, write: Callable[[bytes], None] = write_output
    ) -> None:
        self.debug_on = False
        self._read = read
        self._write = write
        self._log: TextIO | None = None
        self._lock = threading.RLock()  # of the output and the log

    def lines(self) -> Iterator[str]:
        """Yield the lines of the input, which end with LF, CR LF, CR or the end of the input."""
        pieces: list[bytes] = []
        while chunk := self._read():
            first, *others = chunk.replace(b"\r", b"\n").split(b"\n")
            pieces.append(first)
            for piece in others:
                yield self._decode(b"".join(pieces))
                pieces = [piece]
        yield self._decode(b"".join(pieces))

    def _decode(self, data: bytes) -> str:
        try:
            line = data.decode("utf-8-sig")  # Notepad begins a file with a byte-order mark
        except UnicodeDecodeError:  # some GUIs write paths so
            line = data.decode("latin-1")
        if line:
            self._note(IN, line)
        return line

    def send(self, text: str) -> None:
        """Print one line."""
        with self._lock:
            self._write(text.encode(errors="replace") + b"\n")
            self._note(OUT, text)

    def info(self, text: str) -> None:
        """Print an `info string`.

        Line breaks become spaces, since a GUI would read what follows as a command.
        """
        line = " ".join(text.split())
        self.send("info string " + (line if len(line) <= MAX_INFO else line[:MAX_INFO] + " …"))

    def debug(self, text: object) -> None:
        """Print an `info string` if `debug on` asked for it."""
        if self.debug_on:
            self.info(str(text))

    def open_log(self, path: str) -> None:
        """Append every line with its time to the file at `path`; if that is empty, end the log.

        Raise ValueError with the reason if this fails; the old log then stays in use.
        """
        try:
            if path and Path(path).exists() and not Path(path).is_file():
                raise ValueError("it is not a regular file")
            log = None
            if path:
                log = Path(path).open("a", buffering=1, encoding="utf-8", errors="replace")  # noqa: SIM115
        except (OSError, ValueError) as error:
            kept = f"the debug log is still {self._log.name}" if self._log else "no debug log"
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"{kept}: {path} cannot be written: {reason}") from None
        self._replace_log(log)

    def _replace_log(self, log: TextIO | None) -> None:
        with self._lock, suppress(OSError):  # what is still buffered cannot be written either
            old = self._log
            self._log = log
            if old is not None:
                old.close()

    def _note(self, direction: str, text: str) -> None:
        if self._log is None:
            return
        now = time.time()
        seconds = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        stamp = f"{seconds}.{int(now * 1000) % 1000:03d}"
        with self._lock:
            try:
                if self._log is not None:
                    self._log.write(f"{stamp} {direction} {text}\n")
            except OSError as error:
                self._replace_log(None)
                self.info(f"error: the debug log has ended: {error.strerror}")


def leave_on_signals() -> None:
    """Make SIGINT and SIGTERM end the process at once with status 0.

    Call this from the main thread.

    A Python handler alone is not enough: a signal that arrives just before the main thread blocks
    in a read does not wake it. Python's C handler writes to a pipe, and the thread that reads this
    pipe always wakes.
    """
    reading, writing = os.pipe()
    if hasattr(os, "set_blocking"):  # missing on Windows before Python 3.12, which needs it not
        os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)

    def leave() -> None:
        os.read(reading, 1)
        os._exit(0)

    threading.Thread(target=leave, daemon=True, name="signals").start()
