"""From lines to deeds: one thread reads, another obeys, and nothing that a command does can stop the first from listening.

How it ends: `quit` and the end of the input are obeyed in their turn, so that a script piped in is carried out (a search is
ended, and prints its bestmove). But when they arrive while a command has kept the engine busy for a while already, whoever sent
them will not wait: the process ends at once, as it does on SIGINT and SIGTERM. The exit status is always 0.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import TYPE_CHECKING

from zobra.uci.commands import Bench, Command, Debug, Go, Perft, SetOption, SetPosition, Simple, parse
from zobra.uci.debug_log import IN
from zobra.uci.input import read_lines
from zobra.uci.loader import Loader
from zobra.uci.options import OPTIONS, parameter_options
from zobra.uci.output import debugging, inform, log, remark, say
from zobra.uci.signals import leave_on_signals
from zobra.uci.version import VERSION

if TYPE_CHECKING:
    from zobra.uci.session import Session

STOP = Simple("stop")
ENGINE_LOADED = Simple("engine loaded")  # a command that no line stands for
SCRIPT_PAUSE = 0.3  # seconds; a script's next line arrives sooner than this after a command that takes long


class Loop:
    """Obeys commands in their order; loads the engine in the background and waits for it only where it is needed."""

    def __init__(self, tunable: bool = False) -> None:
        self._tunable = tunable  # announce the search's parameters too?
        self._waiting: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._loader = Loader(on_ready=lambda: self._waiting.put(ENGINE_LOADED))
        self._since: float | None = None  # when the command being obeyed was begun
        self._heard = 0.0  # when the last line arrived
        self._stops_heard, self._stops_obeyed = 0, 0  # one for each thread to write
        self._thread = threading.Thread(target=self._work, daemon=True, name="obey")

    def run(self) -> None:
        """Read commands until `quit` or the end of the input, and see that they are obeyed."""
        self._thread.start()
        for line in read_lines():
            log.note(IN, line)
            command = parse(line)
            if command == Simple("quit"):
                break
            self._heard = time.monotonic()
            self._stops_heard += command == STOP
            self._waiting.put(line if command is None else command)
        since = self.busy_since()
        if since is None or time.monotonic() - since < SCRIPT_PAUSE:
            self._waiting.put(Simple("quit"))
            self._thread.join()

    def busy_since(self) -> float | None:
        """When the present command was begun (monotonic seconds); a search does not count, for it can be stopped."""
        present = self._loader.present
        times = [self._since, present.counting_since if present is not None else None]
        return min((time for time in times if time is not None), default=None)

    def is_hurried(self) -> bool:
        """Has a `stop` arrived that waits its turn, or any line so late that no script sent it together with the count?"""
        present = self._loader.present
        since = present.counting_since if present is not None else None
        return self._stops_heard > self._stops_obeyed or (since is not None and self._heard - since > SCRIPT_PAUSE)

    def _work(self) -> None:
        while (command := self._waiting.get()) != Simple("quit"):
            self._since = time.monotonic()
            try:
                self.obey(command)
            except Exception as error:  # whatever a line does, the conversation goes on
                inform(f"error: {type(error).__name__}: {error}")
            self._since = None
            self._stops_obeyed += command == STOP
        if (present := self._loader.present) is not None:
            present.leave()

    def load(self) -> Session:
        """Load the engine now, kernels and all; RuntimeError if that fails."""
        return self._loader.session()

    def complete(self) -> None:
        """Wait until what is running ends by itself, or is stopped."""
        if (present := self._loader.present) is not None:
            present.complete()

    def abandon(self) -> None:
        """The process is about to end: what works for it in others should, too."""
        self._loader.abandon()

    def obey(self, command: Command | str) -> None:
        """Carry out one command; a line that is none is passed over."""
        if isinstance(command, str):
            if (words := command.lower().split()) and not words[0].startswith("#"):
                (inform if "setoption" in words else remark)(f"not understood: {command}")
        elif isinstance(command, Simple):
            self._obey_simple(command.name)
        elif isinstance(command, Debug):
            debugging.set() if command.on else debugging.clear()
        elif isinstance(command, Go):
            self._go(command)
        elif isinstance(command, SetOption):
            self._loader.someone().set_option(command)
        elif isinstance(command, SetPosition):
            self._loader.someone().set_position(command)
        elif isinstance(command, Perft):
            self._session().count_leaves(command)
        elif isinstance(command, Bench):
            self._session().bench(command)

    def _session(self) -> Session:
        session = self._loader.session()
        session.is_hurried = self.is_hurried
        return session

    def _go(self, command: Go) -> None:
        try:
            self._loader.someone().go(command)
        except Exception as error:  # no search was begun, and whoever asked for one waits for its move
            inform(f"error: {error}")
            say("bestmove (none)")

    def _obey_simple(self, name: str) -> None:
        if name == "uci":
            self.introduce()
        elif name == "isready":
            self._get_ready()
        elif name in ("stop", "ponderhit"):
            if (present := self._loader.present) is not None:
                present.stop() if name == "stop" else present.ponderhit()
        elif name == "compiler":
            inform(build_description())
        elif name == "ucinewgame":
            self._loader.someone().new_game()
        elif name == "flip":
            self._session().flip()
        elif name == "d":
            self._session().show_board()
        elif name == "eval":
            self._session().show_evaluation()
        elif name == ENGINE_LOADED.name:
            self._loader.settle()

    def introduce(self) -> None:
        """Answer `uci`."""
        say(f"id name Zobra {VERSION}")
        say("id author the Zobra developers")
        for option in (*OPTIONS, *(parameter_options().values() if self._tunable else ())):
            say(option.announcement())
        say("uciok")
        self._loader.begin()

    def _get_ready(self) -> None:
        """Answer `isready`, even when there is no engine: silence would look like a hang."""
        try:
            self._loader.wait()
        except RuntimeError as error:
            inform(f"error: {error}")
        say("readyok")


def build_description() -> str:
    """What the engine runs on."""
    from importlib.metadata import version as installed

    packages = " ".join(f"{name} {installed(name)}" for name in ("numba", "llvmlite", "numpy"))
    return f"Python {sys.version.split()[0]} {packages}"


def converse(tunable: bool = False) -> None:
    """Talk until `quit`, the end of the input or a signal, and end the process with 0."""
    leave_on_signals()
    loop = Loop(tunable)
    loop.run()
    loop.abandon()
    os._exit(0)  # at once, whatever a compilation is doing in its thread
