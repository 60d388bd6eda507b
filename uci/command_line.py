"""The command line of `zobra`: one function for each word. What a command needs of the engine is imported when it runs."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from zobra.arena.command_line import register
from zobra.train.command_line import register as register_training
from zobra.uci.doctor import doctor, uci_path
from zobra.uci.perft_command import perft
from zobra.uci.version import VERSION
from zobra.uci.warmup import warmup

HELP = """Zobra, a UCI chess engine. Without a command it speaks UCI on standard input and output; `zobra --tunable` does so
with the numbers of the search as options."""
ONE_SHOT_HELP = "One UCI command is carried out too: zobra go depth 10, zobra position fen FEN go nodes 1000000, zobra eval."
QUICK = "Fewer positions, smaller subsets: a few seconds."
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help=HELP,
    epilog=ONE_SHOT_HELP,
)
app.command()(perft)
app.command()(warmup)
app.command()(doctor)
app.command()(uci_path)
register(app)
register_training(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"Zobra {VERSION}")
        raise typer.Exit


def _say_first(number: int, total: int, name: str) -> None:
    if number == 0:
        typer.echo("compiling the engine, this once …", err=True)


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """What is done before any command."""
    if context.invoked_subcommand in ("perft", "bench"):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would act on Ctrl-C only when the kernel returns
    if context.invoked_subcommand in ("match", "ladder", "suite", "tune", "ablate") and "--help" not in sys.argv:
        from zobra.uci.startup import compile_all

        compile_all(_say_first)  # or else games that Zobra plays would begin with a compilation


@app.command()
def bench(
    depth: Annotated[int | None, typer.Argument(min=1, max=64, help="Plies; the default makes the signature.")] = None,
) -> None:
    """Search a fixed set of positions; the last line is the signature of the engine."""
    from zobra.search.searcher import Searcher
    from zobra.uci.bench import MEGABYTES, run
    from zobra.uci.startup import compile_all

    compile_all()  # before the clock runs
    for line in run(Searcher(MEGABYTES), depth):
        typer.echo(line)


@app.command()
def parameters(names: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None) -> None:
    """The numbers that steer the search, as TOML for `zobra tune "zobra --tunable"`; switches only when named."""
    from zobra.uci.parameter_list import parameter_list

    try:
        typer.echo(parameter_list(names or []))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def keys(quick: Annotated[bool, typer.Option("--quick", help=QUICK)] = False) -> None:
    """How good are the Zobrist keys? Measures it."""
    from zobra.uci.key_report import report

    report(quick)
