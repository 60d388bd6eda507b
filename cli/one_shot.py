"""UCI commands on the command line: `zobra go depth 10`, `zobra d FEN`, `zobra eval`, …

Each runs to its end. Ctrl-C stops a search, which still prints its bestmove.
"""

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from zobra.search.engine import EngineError
from zobra.uci.commands import AT_LEAST_ONE, Command, Go, Perft, Simple, parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher

AFTER_POSITION = ("go", "eval")  # commands after a position; neither is part of a FEN or a move


class OneShotConsole(Console):
    """A console for a person: errors go to standard error, without `info string`.

    `has_failed` is True after the first error.
    """

    has_failed = False

    def info(self, text: str) -> None:
        """Print an `info string`, or an error."""
        if text.startswith("error"):
            self.has_failed = True
            print(f"zobra: {text}", file=sys.stderr, flush=True)
        else:
            super().info(text)


def run(words: Sequence[str], network: str = "", **options: int) -> NoReturn:
    """Execute the command in these words, with a network file and options, and end the process.

    Raise ValueError for limits that are not understood. The exit status is 1 after an error, such
    as a bad position or an engine that cannot be loaded; no further command is executed then.
    """
    commands = commands_of(words)
    searches = [command for command in commands if isinstance(command, Go)]
    is_endless = any(search.infinite or not search.numbers for search in searches)
    if is_endless and sys.stderr.isatty():
        print("zobra: a search without a limit; Ctrl-C stops it", file=sys.stderr, flush=True)
    console = OneShotConsole()
    dispatcher = Dispatcher(console)
    engine = dispatcher.engine
    try:
        if commands != [Simple("uci")]:
            engine.load().wait()
        signal.signal(signal.SIGINT, lambda *_: engine.stop())
        if network:
            engine.set_option("EvalFile", network)
        for name, value in options.items():
            engine.set_option(name, value)
        if searches:  # show each window that failed, too
            engine.set_option("UCI_AnalyseMode", True)
        engine.wait()
        for command in commands:
            if console.has_failed:
                break
            dispatcher.execute(command)
            engine.wait()
        status = 1 if console.has_failed else 0
    except KeyboardInterrupt:  # while the engine was being loaded
        status = 130
    except EngineError:  # whose message is printed
        status = 1
    os._exit(status)  # a thread may still be compiling


def commands_of(words: Sequence[str]) -> list[Command]:
    """Return the UCI commands that the words of a command line stand for.

    Unlike a GUI's command, a user's is not executed in part: raise ValueError that names what is
    not understood.
    """
    parsed = [parse(line) for line in _lines(words)]
    commands = [command for command in parsed if command is not None]
    problems: list[str] = []
    for command in commands:
        problems += getattr(command, "problems", ())
        if isinstance(command, Perft) and command.depth is None:
            problems.append("perft takes a depth")
        elif isinstance(command, Go):
            for name, number in command.numbers.items():
                if name in AT_LEAST_ONE and number is not None and number < 1:
                    problems.append(f"go: {name} is at least 1, not {number}")
    if problems:
        raise ValueError("; ".join(problems))
    return commands


def _lines(words: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of UCI that the words of a command line stand for."""
    name, *rest = " ".join(words).split()
    if name in ("d", "eval"):
        return "position " + " ".join(rest or ["startpos"]), name
    if name != "position":
        return (" ".join([name, *rest]),)

    if rest and rest[-1].lower() == "d":
        rest.pop()
    end = 0
    while end < len(rest) and rest[end].lower() not in AFTER_POSITION:
        end += 1
    return "position " + " ".join(rest[:end]), " ".join(rest[end:] or ["d"])
