"""Loading the engine in the background: nothing heavy is imported before `uci` has been answered.

Where kernels are missing (an editable installation whose sources changed, a platform without a wheel) they are compiled in that
thread too. Commands that need the engine wait for it.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zobra.uci.session import Session

PAUSE = 2.0  # seconds between two lines on the progress of a compilation


class Startup:
    """Makes the session once, in a thread of its own. `inform` prints an `info string`.

    `loaded` is the session, None before it is there. `is_compiling` says whether kernels are being compiled.
    """

    def __init__(self, make: Callable[[], Session], inform: Callable[[str], None]) -> None:
        self.loaded: Session | None = None
        self.is_compiling = False
        self._make, self._inform = make, inform
        self._last_line = time.monotonic()  # when the progress of a compilation was last reported
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin to load, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True, name="load")
            self._thread.start()

    def session(self) -> Session:
        """Wait for the session; RuntimeError if it could not be made."""
        self.begin()
        if self._thread is not None:
            self._thread.join()
        if self.loaded is None:
            raise RuntimeError(f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}")
        return self.loaded

    def _load(self) -> None:
        try:
            import zobra.uci.session  # noqa: F401  # every module with kernels
            from zobra.engine import kernels

            if missing := kernels.missing():
                self.is_compiling = True
                self._inform(f"compiling the engine ({len(missing)} kernels), which takes some 15 to 30 seconds")
                kernels.compile_missing(self._tell)
                self.is_compiling = False
            session = self._make()
            session.rehearse()
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self.loaded = session
        except BaseException as error:  # reported to every command that needs the engine
            self._failure = error
        self.is_compiling = False

    def _tell(self, number: int, total: int, name: str) -> None:
        if time.monotonic() - self._last_line >= PAUSE:
            self._last_line = time.monotonic()
            self._inform(f"compiled {number} of {total} kernels")
