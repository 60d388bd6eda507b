"""The command line of `zobra`: one function for each word, loaded when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from zobra.arena.command_line import register
from zobra.uci.loop import version
from zobra.uci.perft_command import perft
from zobra.uci.warmup import warmup

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="Zobra, a UCI chess engine.")
app.command()(perft)
app.command()(warmup)
register(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"Zobra {version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Without a command, `zobra` speaks UCI on standard input and output."""


@app.command()
def bench(
    depth: Annotated[int | None, typer.Argument(min=1, max=64, help="Plies; the default makes the signature.")] = None,
) -> None:
    """Search a fixed set of positions; the last line is the signature of the engine."""
    from zobra.uci.bench import run

    run(depth, typer.echo)


@app.command()
def keys(quick: Annotated[bool, typer.Option("--quick", help="Smaller experiments.")] = False) -> None:
    """How good are the Zobrist keys? Measures it."""
    from zobra.uci.key_report import keys as report

    report(quick)
