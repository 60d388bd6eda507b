"""Loading the engine in the background: nothing heavy is imported before `uci` has been answered.

Where kernels are missing (an editable installation whose sources changed, a platform without a wheel) they are compiled in that
thread too. Commands that need the engine wait for it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.uci.console import Console

if TYPE_CHECKING:
    from zobra.uci.session import Session


class Startup:
    """Makes the session once, in a thread of its own.

    `loaded` is the session, None before it is there. `is_compiling` says whether kernels are being compiled.
    """

    def __init__(self, console: Console, is_interrupted: Callable[[], bool]) -> None:
        self.loaded: Session | None = None
        self.is_compiling = False
        self._console, self._is_interrupted = console, is_interrupted
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._load, daemon=True, name="load")

    def begin(self) -> None:
        """Begin to load, once."""
        if self._thread.ident is None:
            self._thread.start()

    def session(self) -> Session:
        """Wait for the session; RuntimeError if it could not be made."""
        self.begin()
        self._thread.join()
        if self.loaded is None:
            raise RuntimeError(f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}")
        return self.loaded

    def _load(self) -> None:
        inform = self._console.inform
        try:
            from zobra.engine import kernels
            from zobra.uci.session import Session  # and with it every module with kernels

            if missing := kernels.missing():
                self.is_compiling = True
                inform(f"compiling the engine ({len(missing)} kernels), which takes some 15 to 30 seconds")
                kernels.compile_missing(lambda number, total, _: inform(f"compiled {number} of {total} kernels"))
                self.is_compiling = False
            session = Session(self._console, self._is_interrupted)
            for notice in kernels.notices:
                inform(notice)
            session.rehearse()
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self.loaded = session
        except BaseException as error:  # reported to every command that needs the engine
            self._failure = error
        self.is_compiling = False
