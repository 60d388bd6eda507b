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
from typing import Any

from zobra.uci.commands import Bench, Command, Debug, Go, Perft, SetOption, SetPosition, Simple, parse
from zobra.uci.debug_log import IN
from zobra.uci.input import read_lines
from zobra.uci.loader import Loader
from zobra.uci.options import OPTIONS, parameter_options
from zobra.uci.output import inform, log, say
from zobra.uci.signals import leave_on_signals

SCRIPT_PAUSE = 0.3  # seconds; a script's `quit` arrives sooner than this after the command before it


def version() -> str:
    """Version of the installed distribution."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("zobra")
    except PackageNotFoundError:
        return "(not installed)"


class Loop:
    """Obeys commands in their order; loads the engine in the background and waits for it only where it is needed."""

    def __init__(self, tunable: bool = False) -> None:
        self.debug = False
        self._tunable = tunable  # announce the search's parameters too?
        self._loader = Loader()
        self._waiting: queue.SimpleQueue[Command | str] = queue.SimpleQueue()
        self._since: float | None = None  # when the command being obeyed was begun
        self._thread = threading.Thread(target=self._work, daemon=True, name="obey")

    def run(self) -> None:
        """Read commands until `quit` or the end of the input, and see that they are obeyed."""
        self._thread.start()
        for line in read_lines():
            log.note(IN, line)
            command = parse(line)
            if command == Simple("quit"):
                break
            self._waiting.put(line if command is None else command)
        since = self.busy_since()
        if since is None or time.monotonic() - since < SCRIPT_PAUSE:
            self._waiting.put(Simple("quit"))
            self._thread.join()

    def busy_since(self) -> float | None:
        """When the present command was begun (monotonic seconds); a search does not count, for it can be stopped."""
        session = self._loader.session
        times = [self._since, session.counting_since if session is not None else None]
        return min((time for time in times if time is not None), default=None)

    def _work(self) -> None:
        while (command := self._waiting.get()) != Simple("quit"):
            self._since = time.monotonic()
            try:
                self.obey(command)
            except Exception as error:  # whatever a line does, the conversation goes on
                inform(f"error: {type(error).__name__}: {error}")
            self._since = None
        if self._loader.session is not None:
            self._loader.session.leave()

    def complete(self) -> None:
        """Wait until what is running ends by itself, or is stopped."""
        if self._loader.session is not None:
            self._loader.session.complete()

    def obey(self, command: Command | str) -> None:
        """Carry out one command; a line that is none is passed over."""
        if isinstance(command, str):
            if self.debug and command.strip():
                inform(f"not understood: {command}")
        elif isinstance(command, Simple):
            self._obey_simple(command.name)
        elif isinstance(command, Debug):
            self.debug = command.on
            if self._loader.session is not None:
                self._loader.session.debug = command.on
        elif isinstance(command, Go):
            self._go(command)
        else:
            session = self._loader.wait()
            actions: dict[type, Any] = {
                SetOption: session.set_option,
                SetPosition: session.set_position,
                Perft: session.count_leaves,
                Bench: session.bench,
            }
            actions[type(command)](command)

    def _go(self, command: Go) -> None:
        try:
            session = self._loader.wait()
        except RuntimeError as error:
            inform(f"error: {error}")
            say("bestmove (none)")
            return
        session.debug = self.debug
        session.go(command)

    def _obey_simple(self, name: str) -> None:
        if name == "uci":
            self.introduce()
        elif name == "isready":
            self._get_ready()
        elif name in ("stop", "ponderhit"):
            if (session := self._loader.session) is not None:
                session.stop() if name == "stop" else session.ponderhit()
        elif name == "compiler":
            inform(build_description())
        elif name in ("ucinewgame", "d", "eval", "flip"):
            session = self._loader.wait()
            actions = {
                "ucinewgame": session.new_game,
                "d": session.show_board,
                "eval": session.show_evaluation,
                "flip": session.flip,
            }
            actions[name]()

    def introduce(self) -> None:
        """Answer `uci`."""
        say(f"id name Zobra {version()}")
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
    Loop(tunable).run()
    os._exit(0)  # at once, whatever a compilation is doing in its thread
