"""The debug log: every line that comes in and goes out, with its time, in a file that the user names."""

from __future__ import annotations

import stat
import threading
import time
from pathlib import Path
from typing import TextIO

IN, OUT = ">>", "<<"


class DebugLog:
    """A log file, or none. Each line is written at once; a file that fails is given up, and `open` or `trouble` says why."""

    def __init__(self) -> None:
        self._file: TextIO | None = None
        self._trouble = ""
        self._lock = threading.Lock()

    def open(self, path: str) -> list[str]:
        """Append to the file at `path` from now on (empty: no log); what there is to say. If it fails the last log goes on."""
        with self._lock:
            if not path:
                self._close()
                return []
            try:
                if Path(path).exists() and not stat.S_ISREG(Path(path).stat().st_mode):
                    raise ValueError("it is not an ordinary file")
                file = Path(path).open("a", buffering=1, encoding="utf-8", errors="replace")  # noqa: SIM115 (kept open)
            except (OSError, ValueError) as error:
                kept = f"the debug log is {self._file.name} still" if self._file else "no debug log"
                return [f"error: {kept}, since {path} cannot be written: {getattr(error, 'strerror', None) or error}"]
            self._close()
            self._file = file
        return []

    def note(self, direction: str, text: str) -> None:
        """Write a line of the conversation; `direction` is IN or OUT."""
        if self._file is None:
            return
        with self._lock:
            now = time.time()
            stamp = f"{time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(now))}.{int(now * 1000) % 1000:03d}"
            try:
                if self._file is not None:
                    self._file.write(f"{stamp} {direction} {text}\n")
            except OSError as error:
                self._close()
                self._trouble = f"error: the debug log has ended: {error.strerror}"

    def trouble(self) -> str:
        """Why the log has ended, told once; empty when all is well."""
        trouble, self._trouble = self._trouble, ""
        return trouble

    def _close(self) -> None:
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close()
        except OSError as error:  # the last line did not reach the disk
            self._trouble = f"error: the debug log has ended: {error.strerror}"
