"""Loading the engine behind the conversation's back: nothing heavy is imported before `uci` has been answered.

Where kernels have to be compiled first, which takes a while, another process does that, and a cold start stands in for the
session until it is done.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.uci.output import inform

if TYPE_CHECKING:
    from zobra.uci.cold_start import ColdStart
    from zobra.uci.compilation import Compilation
    from zobra.uci.session import Session

COMPILING = "compiling the kernels, which only the first start has to"
WAITING = "waiting for the kernels, which are being compiled"


class Loader:
    """Makes the session in a thread of its own, and calls `on_ready` when that is done, or has failed.

    All but `begin` and `abandon` is for one thread, that which obeys commands.
    """

    def __init__(self, on_ready: Callable[[], None] = lambda: None) -> None:
        self._on_ready = on_ready
        self._session: Session | None = None
        self._stand_in: ColdStart | None = None
        self._compilation: Compilation | None = None
        self._known = threading.Event()  # is it known who answers next, the session or its stand-in?
        self._failure: BaseException | None = None
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Begin to load, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True, name="load")
            self._thread.start()

    @property
    def present(self) -> Session | ColdStart | None:
        """Who answers now; None when nobody can yet."""
        return self._stand_in or self._session

    def someone(self) -> Session | ColdStart:
        """Who answers next: the session, or as long as there is none its stand-in; RuntimeError if there is neither."""
        self.begin()
        self._known.wait()
        return self._stand_in if self._stand_in and self._session is None else self.session()

    def session(self) -> Session:
        """The session, once it is there; RuntimeError if it could not be made."""
        self.begin()
        self._known.wait()
        if self._thread is not None and self._thread.is_alive():
            if self._stand_in and self._session is None:
                inform(WAITING)
            self._thread.join()
        if self._session is None:  # a stand-in stays, and plays on
            raise RuntimeError(self._why_not())
        stand_in, self._stand_in = self._stand_in, None
        if stand_in:
            stand_in.hand_over(self._session)
        return self._session

    def wait(self) -> None:
        """Wait until there is somebody to answer; RuntimeError if there will be nobody. No search is touched."""
        self.begin()
        self._known.wait()
        if self.present is None:
            self.session()

    def settle(self) -> None:
        """To be called when `on_ready` was: a stand-in with nothing to end is relieved at once, another by the next command."""
        if self._stand_in and not self._stand_in.is_bound():
            self.session()

    def abandon(self) -> None:
        """The process is about to end: so should that which compiles."""
        if self._compilation is not None:
            self._compilation.abandon()

    def _why_not(self) -> str:
        """Why there is no session."""
        if self._failure is None and self._compilation is not None:
            return f"{COMPILING} ({self._compilation.progress()})"
        return f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}"

    def _load(self) -> None:
        try:
            from zobra.engine import kernels
            from zobra.uci.session import Session

            if kernels.missing():
                self._compile()
            session = Session()
            session.rehearse()
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self._session = session
        except BaseException as error:  # told by whoever waits
            self._failure = error
        self._known.set()
        self._on_ready()

    def _compile(self) -> None:
        """Have the missing kernels compiled."""
        from zobra.uci.cold_start import ColdStart
        from zobra.uci.compilation import Compilation

        self._compilation = Compilation()
        self._stand_in = ColdStart(self._why_not)
        self._known.set()
        self._compilation.wait()
