"""Loading the engine behind the conversation's back: nothing heavy is imported before `uci` has been answered."""

from __future__ import annotations

import gc
import sys
import threading
from typing import TYPE_CHECKING

from zobra.uci.output import inform

if TYPE_CHECKING:
    from zobra.uci.session import Session

LOOK = 0.1  # seconds between two looks whether kernels are being compiled


class Loader:
    """Makes the session in a thread of its own. `session` is None until that is done."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin to load, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True, name="load")
            self._thread.start()

    def wait(self) -> Session:
        """The session, once it is there; RuntimeError if it could not be made."""
        self.begin()
        told = False
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(LOOK)
            if not told and _is_compiling():
                inform("compiling the kernels, which only the first start has to; `zobra warmup` does it ahead")
                told = True
        if self.session is None:
            raise RuntimeError(f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}")
        return self.session

    def _load(self) -> None:
        try:
            from zobra.uci.session import Session

            session = Session()
            session.rehearse()
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self.session = session
        except BaseException as error:  # told by whoever waits
            self._failure = error


def _is_compiling() -> bool:
    """Has the half-loaded engine had to compile a kernel?"""
    cache = getattr(sys.modules.get("zobra.engine.jit"), "cache", None)
    return bool(getattr(cache, "compiled", 0))
