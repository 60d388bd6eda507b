"""The commands of `one_shot` with their options and help, for the command line."""

from typing import Annotated

import typer

from zobra.cli.one_shot import run
from zobra.search.options import MAX_HASH, MAX_LINES, MAX_THREADS

Fen = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FEN]", help="FEN, in quotes or not. Default: the start position."),
]
Limits = Annotated[
    list[str] | None,
    typer.Argument(
        help="As in UCI: depth 10, nodes 1000000, perft 5, …; without limits until Ctrl-C."
    ),
]
Position = Annotated[
    list[str],
    typer.Argument(metavar="POSITION", help="As in UCI, then go LIMITS, eval or d (the default)."),
]
Hash = Annotated[
    int, typer.Option(min=1, max=MAX_HASH, help="Size of the transposition table in MB.")
]
Threads = Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Number of search threads.")]
MultiPv = Annotated[
    int, typer.Option("--multipv", min=1, max=MAX_LINES, help="Number of lines to search.")
]


def go(
    context: typer.Context,
    limits: Limits = None,
    hash: Hash = 32,
    threads: Threads = 1,
    multipv: MultiPv = 1,
) -> None:
    """Search the start position: zobra go depth 12."""
    _run(context, ["go", *(limits or [])], Hash=hash, Threads=threads, MultiPV=multipv)


def position(
    context: typer.Context,
    words: Position,
    hash: Hash = 32,
    threads: Threads = 1,
    multipv: MultiPv = 1,
) -> None:
    """Search a position: zobra position fen FEN go depth 12.

    Without go LIMITS or eval, the position is shown.
    """
    _run(context, ["position", *words], Hash=hash, Threads=threads, MultiPV=multipv)


def d(context: typer.Context, fen: Fen = None) -> None:
    """Show a position: its board, FEN, key and checks."""
    _run(context, ["d", *(fen or [])])


def evaluate(context: typer.Context, fen: Fen = None) -> None:
    """Show the static evaluation of a position, piece by piece."""
    _run(context, ["eval", *(fen or [])])


def uci(context: typer.Context) -> None:
    """Answer `uci`: name, author and options."""
    _run(context, ["uci"])


def isready(context: typer.Context) -> None:
    """Load the engine, and answer `readyok`."""
    _run(context, ["isready"])


def compiler(context: typer.Context) -> None:
    """Print the versions of Python and of the libraries."""
    _run(context, ["compiler"])


def _run(context: typer.Context, words: list[str], **options: int) -> None:
    """Execute a command. The context's object is a network file or None."""
    try:
        run(words, context.obj or "", **options)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
