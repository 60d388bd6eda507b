"""Compiling all kernels: here and now, or in a process of its own while this one goes on talking.

That process does the work under the store's lock: of several engines that are started together one compiles, and the others
wait for what it leaves. It listens to its standard input for the death of whoever started it, and then ends, too.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from zobra.engine import kernels

CODE = "import sys; sys.path[:] = {path!r}; from zobra.uci.compilation import work; work({folder!r})"


def compile_all(tell: Callable[[int, int, str], None] = lambda *_: None) -> int:
    """Compile every kernel of the engine that is not in the store, and say how many those were.

    Before each: tell(number from 0, number of all, name).
    """
    import zobra.uci.session  # noqa: F401  # all modules with kernels

    return kernels.compile_missing(tell)


def work(temporary: str | None) -> None:
    """What the process does. A temporary folder is removed when nobody is left to use it."""

    def end_with_the_other() -> None:
        while os.read(0, 1):
            pass
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        os._exit(0)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other, whose end is noticed
    threading.Thread(target=end_with_the_other, daemon=True).start()
    compile_all()


class Compilation:
    """The process that compiles. Where nothing can be kept for later starts, it leaves the kernels in a temporary folder."""

    def __init__(self) -> None:
        self._temporary: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._names = [each.name for each in kernels.missing()]
        try:
            if not kernels.cache.is_writable():
                self._temporary = tempfile.mkdtemp(prefix="zobra-")
                kernels.cache.move(Path(self._temporary))
            self._process = self._start()
        except OSError:  # then kernels are compiled when they are called
            self._remove_folder()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", CODE.format(path=sys.path, folder=self._temporary)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "ZOBRA_CACHE_DIR": str(kernels.cache.base)},
        )

    def progress(self) -> str:
        """How far it is, in words."""
        done = sum(map(kernels.cache.holds, self._names))
        return f"{done} of {len(self._names)} done"

    def wait(self) -> None:
        """Wait for its end, and load what it left. What it did not leave is compiled when it is called."""
        if self._process is not None:
            self._process.wait()
            kernels.missing()
        self._remove_folder()

    def abandon(self) -> None:
        """End it now."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._temporary:
            kernels.cache.folder = None
            shutil.rmtree(self._temporary, ignore_errors=True)
