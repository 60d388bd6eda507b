"""Reading lines and dispatching them, from start to quit. `uci` is answered before anything heavy is imported."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zobra.uci.commands import Bench, Command, Debug, Go, Perft, SetOption, SetPosition, Simple, parse
from zobra.uci.options import OPTIONS
from zobra.uci.output import inform, say

if TYPE_CHECKING:
    from zobra.uci.session import Session

CHUNK = 1 << 16
PATIENCE = 1.0  # seconds of loading after which the user is told why it takes so long


def version() -> str:
    """Version of the installed distribution."""
    from importlib.metadata import version as installed

    return installed("zobra")


def read_lines() -> Iterator[str]:
    """Lines from standard input, however they end, decoded so that no byte can be wrong."""
    rest = b""
    while chunk := os.read(0, CHUNK):
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        for line in lines:
            yield decode(line)
    if rest:
        yield decode(rest)


def decode(line: bytes) -> str:
    """UTF-8, or where it is not that, Latin-1."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


class Loop:
    """Dispatches commands; loads the engine in the background and waits for it only where it is needed."""

    def __init__(self) -> None:
        self._session: Session | None = None
        self._failure: BaseException | None = None
        self._loader: threading.Thread | None = None

    def load(self) -> None:
        """Begin to load the engine, once."""
        if self._loader is None:
            self._loader = threading.Thread(target=self._load, daemon=True, name="load")
            self._loader.start()

    def _load(self) -> None:
        try:
            from zobra.uci.session import Session

            self._session = Session()
        except BaseException as error:  # told by whoever waits for it
            self._failure = error

    def session(self) -> Session:
        """The session, when it has been loaded; RuntimeError if it could not be."""
        self.load()
        if self._loader is not None and self._session is None:
            self._loader.join(PATIENCE)
            if self._loader.is_alive():
                inform("compiling the kernels; only the first start takes this long")
            self._loader.join()
        if self._session is None:
            raise RuntimeError(f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}")
        return self._session

    def introduce(self) -> None:
        """Answer `uci`."""
        say(f"id name Zobra {version()}")
        say("id author the Zobra developers")
        for option in OPTIONS:
            say(option.announcement())
        say("uciok")
        self.load()

    def obey(self, command: Command) -> bool:
        """Carry out one command; False for quit."""
        if isinstance(command, Simple):
            return self._obey_simple(command.name)
        if isinstance(command, Debug):
            return True
        session = self.session()
        actions: dict[type, Any] = {
            Go: session.go,
            SetOption: session.set_option,
            SetPosition: session.set_position,
            Perft: lambda perft: session.count_leaves(perft.depth),
            Bench: lambda bench: session.bench(bench.depth),
        }
        actions[type(command)](command)
        return True

    def _obey_simple(self, name: str) -> bool:
        if name == "quit":
            return False
        if name == "uci":
            self.introduce()
        elif name == "isready":
            self.session()
            say("readyok")
        elif name in ("stop", "ponderhit") and self._session is not None:
            self._session.stop()
        elif name == "ucinewgame":
            self.session().new_game()
        elif name == "d":
            self.session().show_board()
        elif name == "eval":
            self.session().show_evaluation()
        elif name == "flip":
            self.session().flip()
        elif name == "compiler":
            from importlib.metadata import version as installed

            versions = " ".join(f"{package} {installed(package)}" for package in ("numba", "llvmlite", "numpy"))
            inform(f"Python {sys.version.split()[0]} {versions}")
        return True


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def converse() -> None:
    """Talk until `quit`, the end of the input or a signal, and end the process with 0."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    loop = Loop()
    try:
        for line in read_lines():
            command = parse(line)
            if command is None:
                continue
            try:
                if not loop.obey(command):
                    break
            except Exception as error:  # whatever a line does, the conversation goes on
                inform(f"error: {type(error).__name__}: {error}")
    except KeyboardInterrupt:
        pass
    os._exit(0)  # at once, whatever a search or a compilation is doing in its thread
