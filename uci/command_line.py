"""The command line of `zobra`: one function for each word. What a command needs of the engine is imported when it runs."""

from __future__ import annotations

import signal
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
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Without a command, `zobra` speaks UCI on standard input and output."""
    if context.invoked_subcommand in ("perft", "warmup", "bench", "keys"):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would act on Ctrl-C only when the kernel returns


@app.command()
def bench(
    depth: Annotated[int | None, typer.Argument(min=1, max=64, help="Plies; the default makes the signature.")] = None,
) -> None:
    """Search a fixed set of positions; the last line is the signature of the engine."""
    from zobra.search.searcher import Searcher
    from zobra.uci.bench import MEGABYTES, run

    for line in run(Searcher(MEGABYTES), depth):
        typer.echo(line)


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True}, add_help_option=False)
def keys(context: typer.Context) -> None:
    """How good are the Zobrist keys? Measures it (`zobra keys --help` shows the options)."""
    from zobra.uci.key_report import keys as report

    command = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    command.command()(report)
    command(context.args, prog_name="zobra keys")
