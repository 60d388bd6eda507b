"""UCI commands from the command line: `zobra go depth 10`, `zobra d FEN`, `zobra eval`, …

Each runs to its end. Ctrl-C stops a search, which still prints its bestmove.
"""

import os
import signal
import sys
from typing import Annotated

import typer

from zobra.search.engine import EngineError
from zobra.search.options import MAX_HASH, MAX_LINES, MAX_THREADS
from zobra.uci.commands import AT_LEAST_ONE, Command, Go, Perft, SetPosition, Simple, parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher

AFTER_POSITION = ("go", "eval")  # commands behind a position; neither is part of a FEN or a move

Fen = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FEN]", help="FEN, in quotes or not. Default: the start position."),
]
Limits = Annotated[
    list[str] | None,
    typer.Argument(help="As in UCI: depth 10, nodes 1000000, perft 5, …; none: until Ctrl-C."),
]
Position = Annotated[
    list[str],
    typer.Argument(metavar="POSITION", help="As in UCI, then go LIMITS, eval or d (the default)."),
]
Hash = Annotated[int, typer.Option(min=1, max=MAX_HASH, help="Transposition table in MB.")]
Threads = Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Searching threads.")]
MultiPv = Annotated[int, typer.Option("--multipv", min=1, max=MAX_LINES, help="Lines to search.")]


def go(
    context: typer.Context,
    limits: Limits = None,
    hash: Hash = 32,
    threads: Threads = 1,
    multipv: MultiPv = 1,
) -> None:
    """Search the start position: zobra go depth 12."""
    _analyse(context, "go " + " ".join(limits or []), Hash=hash, Threads=threads, MultiPV=multipv)


def position(
    context: typer.Context,
    words: Position,
    hash: Hash = 32,
    threads: Threads = 1,
    multipv: MultiPv = 1,
) -> None:
    """Search a position: zobra position fen FEN go depth 12.

    Without go LIMITS or eval the position is shown.
    """
    words = " ".join(words).split()
    if words and words[-1].lower() == "d":
        words.pop()
    end = 0
    while end < len(words) and words[end].lower() not in AFTER_POSITION:
        end += 1
    command = words[end:] or ["d"]
    lines = ("position " + " ".join(words[:end]), " ".join(command))
    _analyse(context, *lines, Hash=hash, Threads=threads, MultiPV=multipv)


def d(context: typer.Context, fen: Fen = None) -> None:
    """Show a position: its board, FEN, key and checks."""
    run(context, "position " + " ".join(fen or ["startpos"]), "d")


def evaluate(context: typer.Context, fen: Fen = None) -> None:
    """Show the static evaluation of a position, piece by piece."""
    run(context, "position " + " ".join(fen or ["startpos"]), "eval")


def uci(context: typer.Context) -> None:
    """Answer `uci`: name, author and options."""
    run(context, "uci")


def isready(context: typer.Context) -> None:
    """Load the engine, and answer `readyok`."""
    run(context, "isready")


def compiler(context: typer.Context) -> None:
    """Print the versions of Python and of the libraries."""
    run(context, "compiler")


class OneShotConsole(Console):
    """A console for a person: errors are no `info string`, and go to standard error."""

    def info(self, text: str) -> None:
        """Print an `info string`, or an error."""
        if text.startswith("error"):
            print(f"zobra: {text}", file=sys.stderr, flush=True)
        else:
            super().info(text)


def _analyse(context: typer.Context, *lines: str, **options: int) -> None:
    """Run these lines, and print failed aspiration windows too."""
    run(context, *lines, UCI_AnalyseMode=True, **options)


def run(context: typer.Context, *lines: str, **options: int | bool) -> None:
    """Run these UCI lines with these options, and end the process.

    `context.obj` is the path of a network, or empty. The exit status is 2 for what is not
    understood, 1 for a bad position or an engine that cannot be loaded.
    """
    parsed = [parse(line) for line in lines]
    commands = [command for command in parsed if command is not None]
    check_commands(commands)
    dispatcher = Dispatcher(OneShotConsole())
    engine = dispatcher.engine
    status = 0
    try:
        if commands != [Simple("uci")]:
            engine.load().wait()
        signal.signal(signal.SIGINT, lambda *_: engine.stop())
        if context.obj:
            engine.set_option("EvalFile", context.obj)
        for name, value in options.items():
            engine.set_option(name, value)
        for command in commands:
            dispatcher.execute(command)
            engine.wait()
            if isinstance(command, SetPosition) and not engine.has_position:
                status = 1
                break
    except KeyboardInterrupt:  # while the engine was being loaded
        status = 130
    except EngineError:  # whose message is printed
        status = 1
    os._exit(status)  # a thread may still be compiling


def check_commands(commands: list[Command]) -> None:
    """Raise typer.BadParameter for what is not understood.

    A GUI's command is executed as far as it is understood, a person's is refused.
    """
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
        raise typer.BadParameter("; ".join(problems))
