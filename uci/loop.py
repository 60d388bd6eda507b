"""The UCI loop. A reader queues commands; a worker thread carries them out in order, so that input is read all the time.

`perft` and `bench` run on the worker thread; a later `stop` breaks them off. `quit` and the end of the input are carried out in
their turn: they wait for perft and bench, and stop a search. While kernels are being compiled they end the process at once,
unless a count waits for them. SIGINT, SIGTERM and a reader that has gone end it at once too. The exit status is 0.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from zobra.uci.commands import HELP, Command, Count, Go, SetOption, SetPosition, Simple, parse
from zobra.uci.console import Console, leave_on_signals
from zobra.uci.options import OPTIONS, parameter_options
from zobra.uci.startup import Startup
from zobra.uci.version import VERSION

if TYPE_CHECKING:
    from zobra.uci.session import Session

READY, STOP, QUIT = Simple("isready"), Simple("stop"), Simple("quit")
POLL = 0.02  # seconds between two looks whether the worker has ended


class Loop:
    """Carries out commands in their order. It loads the engine in the background, and waits for it only where it is needed."""

    def __init__(self, console: Console, tunable: bool = False, interactive: bool = False) -> None:
        self._console, self._interactive = console, interactive
        self._tunable = tunable  # announce the parameters of the search too?
        self._queue: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._startup = Startup(self._make_session, console.inform)
        self._stops_heard, self._counts_heard = 0, 0  # written by the reader
        self._stops_obeyed, self._counts_obeyed = 0, 0  # written by the worker

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
            if command == READY and self._is_counting():
                self._console.say("readyok")
            else:
                self._queue.put(line if command is None else command)
        self._queue.put(QUIT)
        while worker.is_alive() and (self._counts_heard or not self._startup.is_compiling):
            worker.join(POLL)

    def interrupt(self) -> None:
        """Break off the running count. It may be called from any thread; `stop` itself is carried out in its turn."""
        self._stops_heard += 1
        if (session := self._startup.loaded) is not None:
            session.counts.interrupt()

    def _is_interrupted(self) -> bool:
        return self._stops_heard > self._stops_obeyed

    def _is_counting(self) -> bool:
        """Would a command have to wait for a count that no `stop` breaks off?"""
        has_count = self._counts_heard > self._counts_obeyed
        return has_count and not self._is_interrupted() and self._startup.loaded is not None

    def _work(self) -> None:
        while (command := self._queue.get()) != QUIT:
            try:
                self.obey(command)
            except Exception as error:  # whatever a line does, the conversation goes on
                self._console.inform(f"error: {type(error).__name__}: {error}")
            self._stops_obeyed += command == STOP
            self._counts_obeyed += isinstance(command, Count)
        if (session := self._startup.loaded) is not None:
            session.leave()

    def _make_session(self) -> Session:
        from zobra.uci.session import Session

        return Session(self._console, self._is_interrupted)

    def session(self) -> Session:
        """The engine, once it is loaded; RuntimeError if that fails."""
        return self._startup.session()

    def obey(self, command: Command | str) -> None:
        """Carry out one command. A line that is none is passed over."""
        if isinstance(command, str):
            self._pass_over(command)
        elif isinstance(command, Simple):
            self._obey_simple(command.name)
        elif isinstance(command, Go):
            self._go(command)
        elif isinstance(command, SetOption):
            self.session().set_option(command)
        elif isinstance(command, SetPosition):
            self.session().set_position(command)
        else:
            self.session().count(command)

    def _pass_over(self, line: str) -> None:
        words = line.lower().split()
        if not words or words[0].startswith("#"):
            return
        if self._interactive:
            self._console.say(f"unknown command {words[0]!r}: help lists the commands")
        else:
            (self._console.inform if "setoption" in words else self._console.remark)(f"not understood: {line}")

    def _go(self, command: Go) -> None:
        try:
            self.session().searches.go(command)
        except Exception as error:  # no search was begun, but the GUI waits for a move
            self._console.inform(f"error: {error}")
            self._console.say("bestmove (none)")

    def _obey_simple(self, name: str) -> None:
        search = self._startup.loaded.searches.thread if self._startup.loaded else None
        actions: dict[str, Callable[[], object]] = {
            "uci": self.introduce,
            "isready": self._get_ready,
            "stop": search.stop if search else lambda: None,
            "ponderhit": search.ponderhit if search else lambda: None,
            "ucinewgame": lambda: self.session().new_game(),
            "d": lambda: self.session().show_board(),
            "eval": lambda: self.session().show_evaluation(),
            "flip": lambda: self.session().flip(),
            "debug on": lambda: setattr(self._console, "debug", True),
            "debug off": lambda: setattr(self._console, "debug", False),
            "compiler": lambda: self._console.inform(build_description()),
            "help": lambda: self._console.say(HELP),
        }
        actions.get(name, lambda: None)()

    def introduce(self) -> None:
        """Answer `uci`, then begin to load the engine."""
        self._console.say(f"id name Zobra {VERSION}")
        self._console.say("id author the Zobra developers")
        for option in (*OPTIONS, *(parameter_options().values() if self._tunable else ())):
            self._console.say(option.announcement())
        self._console.say("uciok")
        self._startup.begin()

    def _get_ready(self) -> None:
        """Answer `isready`, even when there is no engine: silence would look like a hang."""
        try:
            self.session()
        except RuntimeError as error:
            self._console.inform(f"error: {error}")
        self._console.say("readyok")


def build_description() -> str:
    """What the engine runs on."""
    from importlib.metadata import version as installed

    packages = " ".join(f"{name} {installed(name)}" for name in ("numba", "llvmlite", "numpy"))
    return f"Python {sys.version.split()[0]} {packages}"


def converse(tunable: bool = False) -> None:
    """Speak UCI until `quit`, the end of the input or a signal, and end the process with 0."""
    leave_on_signals()
    Loop(Console(), tunable, interactive=sys.stdin.isatty()).run()
    os._exit(0)  # at once, whatever other threads are doing
