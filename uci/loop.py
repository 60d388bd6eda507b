"""The UCI loop.

A reader queues commands; a worker thread carries them out in order, so that input is read all the
time.

`perft` and `bench` run on the worker thread; a later `stop` breaks them off. `quit` and the end of
the input are carried out in their turn: they wait for perft and bench, and stop a search. While
kernels are being compiled they end the process at once, unless a count waits for them. SIGINT,
SIGTERM and a reader that has gone end it at once too. The exit status is 0.

The engine is loaded in the background: nothing heavy is imported before `uci` has been answered.
Where kernels are missing (an editable installation whose sources changed, a platform without a
wheel) they are compiled in that thread too.
"""

import gc
import os
import queue
import sys
import threading
from typing import TYPE_CHECKING

from zobra.engine.version import VERSION
from zobra.uci.commands import HELP, Command, Count, Go, Simple, parse
from zobra.uci.console import Console, leave_on_signals
from zobra.uci.options import OPTIONS, parameter_options

if TYPE_CHECKING:
    from zobra.uci.session import Session

READY, STOP, QUIT = Simple("isready"), Simple("stop"), Simple("quit")
LAST_WORD = 1.0  # seconds that a search has for its bestmove when the process ends
POLL = 0.02  # seconds between two looks whether the worker has ended


class Loop:
    """Carries out commands in their order.

    The engine is loaded in a thread of its own, and waited for where it is needed.
    """

    def __init__(self, console: Console, tunable: bool = False, interactive: bool = False) -> None:
        self._console, self._interactive = console, interactive
        self._tunable = tunable  # announce the parameters of the search too?
        self._queue: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._stops_heard, self._counts_heard = 0, 0  # written by the reader
        self._stops_obeyed, self._counts_obeyed = 0, 0  # written by the worker
        self._loader = threading.Thread(target=self._load, daemon=True, name="load")
        self._loaded: Session | None = None
        self._is_compiling = False  # are kernels being compiled?
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Read commands until `quit` or the end of the input, and see that they are carried out."""
        worker = threading.Thread(target=self._work, daemon=True, name="obey")
        worker.start()
        for line in self._console.lines():
            command = parse(line)
            if command == QUIT:
                break
            self._counts_heard += isinstance(command, Count)
            if command == STOP:
                self.interrupt()
            counts = self._counts_heard > self._counts_obeyed and not self._is_interrupted()
            if (
                command == READY and counts and self._loaded
            ):  # it would have to wait for the end of the count
                self._console.say("readyok")
            else:
                self._queue.put(line if command is None else command)
        self._queue.put(QUIT)
        while worker.is_alive() and (self._counts_heard or not self._is_compiling):
            worker.join(POLL)

    def interrupt(self) -> None:
        """Break off the running count.

        It may be called from any thread; `stop` itself is carried out in its turn.
        """
        self._stops_heard += 1
        if self._loaded:
            self._loaded.interrupt()

    def _is_interrupted(self) -> bool:
        return self._stops_heard > self._stops_obeyed

    def _work(self) -> None:
        while (command := self._queue.get()) != QUIT:
            try:
                self.obey(command)
            except Exception as error:  # whatever a line does, the conversation goes on
                self._console.inform(f"error: {type(error).__name__}: {error}")
            self._stops_obeyed += command == STOP
            self._counts_obeyed += isinstance(command, Count)
        if self._loaded:
            self._loaded.searches.finish(LAST_WORD)  # it still prints its bestmove

    def _begin_to_load(self) -> None:
        if self._loader.ident is None:
            self._loader.start()

    def session(self) -> "Session":
        """The engine, once it is loaded; RuntimeError if that fails."""
        self._begin_to_load()
        self._loader.join()
        if self._loaded is None:
            raise RuntimeError(
                f"the engine could not be loaded: {type(self._failure).__name__}: {self._failure}"
            )
        return self._loaded

    def _load(self) -> None:
        inform = self._console.inform
        try:
            from zobra.engine import kernels
            from zobra.uci.session import Session  # and with it every module with kernels

            if missing := kernels.missing():
                self._is_compiling = True
                inform(
                    f"compiling the engine ({len(missing)} kernels), which takes some 15 to "
                    "30 seconds"
                )
                kernels.compile_missing(
                    lambda number, total, _: inform(f"compiled {number} of {total} kernels")
                )
                self._is_compiling = False
            session = Session(self._console, self._is_interrupted)
            for notice in kernels.notices:
                inform(notice)
            session.rehearse()
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self._loaded = session
        except BaseException as error:  # reported to every command that needs the engine
            self._failure = error
        self._is_compiling = False

    def obey(self, command: Command | str) -> None:  # noqa: C901
        """Carry out one command. A line that is none is passed over."""
        console = self._console
        match command:
            case str() if not command.strip() or command.lstrip().startswith("#"):
                pass
            case str() if "setoption" in command.lower().split():
                console.inform(f"not understood: {command}")
            case str() if self._interactive:
                console.say(
                    f"unknown command {command.split()[0].lower()!r}: help lists the commands"
                )
            case str():
                console.remark(f"not understood: {command}")
            case Simple("uci"):
                options = (*OPTIONS, *(parameter_options().values() if self._tunable else ()))
                announcements = [option.announcement() for option in options]
                for line in (
                    f"id name Zobra {VERSION}",
                    "id author the Zobra developers",
                    *announcements,
                    "uciok",
                ):
                    console.say(line)
                self._begin_to_load()
            case Simple(
                "isready"
            ):  # answered even when there is no engine: silence would look like a hang
                try:
                    self.session()
                except RuntimeError as error:
                    console.inform(f"error: {error}")
                console.say("readyok")
            case Simple("stop" | "ponderhit" | "register"):
                if self._loaded and command.name != "register":
                    (
                        self._loaded.searches.stop
                        if command == STOP
                        else self._loaded.searches.ponderhit
                    )()
            case Simple("debug on" | "debug off"):
                console.debug = command.name == "debug on"
            case Simple("compiler"):
                from importlib.metadata import version

                packages = " ".join(
                    f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")
                )
                console.inform(f"Python {sys.version.split()[0]} {packages}")
            case Simple("help"):
                console.say(HELP)
            case Go():
                try:
                    self.session().obey(command)
                except Exception as error:  # no search was begun, but the GUI waits for a move
                    console.inform(f"error: {error}")
                    console.say("bestmove (none)")
            case _:
                self.session().obey(command)


def converse(tunable: bool = False) -> None:
    """Speak UCI until `quit`, the end of the input or a signal, and end the process with 0."""
    leave_on_signals()
    Loop(Console(), tunable, interactive=sys.stdin.isatty()).run()
    os._exit(0)  # at once, whatever other threads are doing
