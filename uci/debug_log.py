"""The debug log: every line of a conversation with its time, in a file that the user names."""

from __future__ import annotations

import stat
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

IN, OUT = ">>", "<<"


class DebugLog:
    """A log file, or none. Each line is written at once. The log ends when the file cannot be written any more."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def open(self, path: str) -> None:
        """Append to the file at `path` from now on; empty: no log. ValueError says why not, and then the old log stays."""
        file: TextIO | None = None
        try:
            if path and Path(path).exists() and not stat.S_ISREG(Path(path).stat().st_mode):
                raise ValueError("it is not an ordinary file")
            if path:
                file = Path(path).open("a", buffering=1, encoding="utf-8", errors="replace")  # noqa: SIM115 (kept open)
        except (OSError, ValueError) as error:
            kept = f"the debug log is still {self._file.name}" if self._file else "no debug log"
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"{kept}: {path} cannot be written: {reason}") from None
        with self._lock:
            old, self._file = self._file, file
        _close(old)

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
                return ""
            except OSError as error:
                _close(self._file)
                self._file = None
                return f"error: the debug log has ended: {error.strerror}"


def _close(file: TextIO | None) -> None:
    with suppress(OSError):  # what is still buffered cannot be written either
        if file is not None:
            file.close()
