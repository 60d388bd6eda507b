"""The UCI conversation: the thread that reads a line also dispatches its command.

Whatever takes time runs on the engine's thread, so `stop` and `quit` are always read. SIGINT,
SIGTERM and a closed standard output end the process at once, with status 0.
"""

import gc
import os
import sys

from zobra.engine.version import full_version
from zobra.search.engine import NO_POSITION, Engine
from zobra.search.options import OPTIONS, PARAMETER_OPTIONS, find
from zobra.uci.commands import (
    HELP,
    Bench,
    Command,
    Go,
    Perft,
    SetOption,
    SetPosition,
    Simple,
    limits_of,
    limits_text,
    parse,
)
from zobra.uci.console import Console, leave_on_signals
from zobra.uci.info_printer import InfoPrinter
from zobra.uci.option_text import announcement, read_value, value_text

QUIT = Simple("quit")
GREETING = """\
Zobra {version}, a UCI chess engine, waits for UCI commands:
help lists them, quit leaves. All else, such as a game or a match: zobra --help"""


class Dispatcher:
    """Executes commands, with the engine where they need it.

    `tunable` also announces the parameters of the search; `interactive` means that a person types.
    """

    def __init__(self, console: Console, tunable: bool = False, interactive: bool = False) -> None:
        self.engine = Engine(on_message=console.info)
        self._console = console
        self._tunable = tunable
        self._interactive = interactive
        self._is_frozen = False

    def run(self) -> None:
        """Execute commands until `quit` or the end of the input."""
        for line in self._console.lines():
            command = parse(line)
            if command == QUIT:
                break
            try:
                if command is None:
                    self._reject(line)
                else:
                    self.execute(command)
            except Exception as error:  # whatever a line does, the conversation goes on
                self._console.info(f"error: {type(error).__name__}: {error}")
        self.engine.close()

    def execute(self, command: Command) -> None:  # noqa: C901
        """Execute one command, or submit it to the engine's thread."""
        engine = self.engine
        match command:
            case Simple("uci"):
                self._identify()
            case Simple("isready"):
                engine.when_ready(self._answer_ready)
            case Go():
                self._go(command)
            case Simple("stop"):
                engine.stop()
            case Simple("ponderhit"):
                engine.ponderhit()
            case SetPosition():
                self._set_position(command)
            case SetOption():
                self._set_option(command)
            case Simple("ucinewgame"):
                engine.new_game()
            case Perft():
                engine.perft(command.depth or 0, self._print_leaves, self._print_total)
            case Bench():
                self._bench(command)
            case Simple("d"):
                engine.when_ready(self._show_position)
            case Simple("eval"):
                engine.when_ready(self._show_evaluation)
            case Simple("flip"):
                engine.flip()
            case Simple("debug on" | "debug off"):
                self._console.debug_on = command.name == "debug on"
            case Simple("compiler"):
                self._show_versions()
            case Simple("help"):
                self._console.send(HELP)

    def _reject(self, line: str) -> None:
        """Report that a line was not understood."""
        words = line.lower().split()
        if not words or words[0].startswith("#"):
            return
        if "setoption" in words:
            self._console.info(f"not understood: {line}")
        elif self._interactive:
            self._console.send(f"unknown command {words[0]!r}: help lists the commands")
        else:
            self._console.info(f"unknown command: {line}")

    def _identify(self) -> None:
        self._console.send(f"id name Zobra {full_version()}")
        self._console.send("id author the Zobra developers")
        for option in (*OPTIONS, *PARAMETER_OPTIONS) if self._tunable else OPTIONS:
            self._console.send(announcement(option))
        self._console.send("uciok")
        self.engine.load()

    def _answer_ready(self) -> None:
        """Answer `isready`, even if there is no engine: silence would look like a hang."""
        if self.engine.failure is not None:
            self._console.info(f"error: {self.engine.failure}")
        if not self._is_frozen:
            gc.freeze()  # what has been imported stays: no later collection looks at it again
            self._is_frozen = True
        self._console.send("readyok")

    def _go(self, command: Go) -> None:
        limits = limits_of(command)
        for problem in command.problems:
            self._console.info(problem)
        if command.problems or self._console.debug_on:
            self._console.info(f"go: understood as {limits_text(limits)}")
        printer = InfoPrinter(self._console, self.engine)
        self.engine.go(limits, printer, command.searchmoves)

    def _bench(self, command: Bench) -> None:
        for problem in command.problems:
            self._console.info(problem)
        if not command.problems:
            self.engine.bench(command.conditions, self._console.send)

    def _set_position(self, command: SetPosition) -> None:
        self.engine.set_position(command.fen, command.moves)
        for problem in command.problems:
            self._console.info(problem)
        if self._console.debug_on:
            self.engine.when_ready(self._show_fen)

    def _set_option(self, command: SetOption) -> None:
        """Set an option. An error is reported, and leaves everything unchanged."""
        try:
            option = find(command.name)
            value = read_value(option, command.value)
            if option.is_number and value != int(command.value or ""):
                self._console.info(f"option {option.name} set to {value}, not to {command.value}")
            if option.name == "Debug Log File":
                self._console.open_log(str(value))
            self.engine.set_option(option.name, value)
        except ValueError as error:
            self._console.info(f"error: {error}")
            return
        if self._console.debug_on:
            self.engine.when_ready(
                lambda: self._console.debug(
                    f"option {option.name} is {value_text(self.engine.options[option.name])}"
                )
            )

    def _print_leaves(self, move: int, leaves: int) -> None:
        from zobra.engine.move import move_text

        chess960 = self.engine.options["UCI_Chess960"]
        self._console.send(f"{move_text(move, chess960)}: {leaves}")

    def _print_total(self, total: int) -> None:
        self._console.send(f"\nNodes searched: {total}")

    def _show_position(self) -> None:
        from zobra.uci.board_text import board_text

        chess960 = self.engine.options["UCI_Chess960"]
        self._console.send(board_text(self.engine.position, chess960))
        if not self.engine.has_position:
            self._console.info("this is an earlier position: the last one could not be read")

    def _show_evaluation(self) -> None:
        from zobra.uci.board_text import evaluation_text

        if self.engine.has_position:
            self._console.send(evaluation_text(self.engine.position, self.engine.evaluate))
        else:
            self._console.info(f"error: {NO_POSITION}")

    def _show_fen(self) -> None:
        from zobra.engine.fen import write_fen

        if self.engine.has_position:
            self._console.debug(f"position {write_fen(self.engine.position)}")

    def _show_versions(self) -> None:
        from importlib.metadata import version

        packages = " ".join(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
        self._console.info(f"Python {sys.version.split()[0]} {packages}")


def converse(tunable: bool = False, network: str = "") -> None:
    """Speak UCI until `quit`, the end of the input or a signal, then exit with status 0.

    `network` is the initial value of EvalFile. A person at a terminal gets a greeting.
    """
    leave_on_signals()
    console = Console()
    interactive = sys.stdin.isatty()
    if interactive:
        console.send(GREETING.format(version=full_version()))
    dispatcher = Dispatcher(console, tunable, interactive)
    if network:
        dispatcher.engine.set_option("EvalFile", network)
    dispatcher.run()
    os._exit(0)  # at once, whatever other threads are doing
