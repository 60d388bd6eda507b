"""The command line of `zobra`: one function for each command. What a command needs of the engine is imported when it runs."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from zobra.arena.command_line import register as register_arena
from zobra.train.command_line import register as register_training
from zobra.uci import one_shot
from zobra.uci.doctor import doctor, uci_path
from zobra.uci.genfens import genfens
from zobra.uci.install import install
from zobra.uci.perft_command import perft
from zobra.uci.version import VERSION
from zobra.uci.warmup import warmup

HELP = """Zobra, a UCI chess engine. Without a command it speaks UCI; with --tunable its search parameters are options too.
--network FILE, before all else, builds another network in."""
Depth = Annotated[int, typer.Argument(min=1, max=64, help="Plies. Only the default gives the signature.")]
WITH_ENGINES = ("match", "ladder", "suite", "analyse", "tune", "ablate")  # commands that start engines
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=HELP,
)


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
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Prepare what every command needs."""
    if context.invoked_subcommand in ("perft", "bench"):
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python would act on Ctrl-C only when the kernel returns
    if context.invoked_subcommand in WITH_ENGINES and not {"-h", "--help"} & set(sys.argv):
        from zobra.engine.kernels import compile_missing

        compile_missing(_say_first)  # or else games that Zobra plays would begin with a compilation


@app.command("help")
def show_help(context: typer.Context, command: Annotated[str | None, typer.Argument()] = None) -> None:
    """Show this list, or the help of a command: zobra help match."""
    app([command, "--help"] if command else ["--help"], prog_name=context.find_root().info_name)


@app.command("version")
def print_version() -> None:
    """Print the version."""
    _print_version(True)


@app.command()
def bench(depth: Depth = 10) -> None:
    """Search fixed positions. The last line has the signature: the number of nodes."""
    from zobra.engine.kernels import compile_missing
    from zobra.search.searcher import Searcher
    from zobra.uci.bench import MEGABYTES, run

    compile_missing()  # before the clock runs
    for line in run(Searcher(MEGABYTES), depth):
        typer.echo(line)


@app.command()
def parameters(
    names: Annotated[list[str] | None, typer.Argument(help="Default: all but switches.")] = None,
    openbench: Annotated[bool, typer.Option("--openbench", help="Print lines for OpenBench's form instead.")] = False,
) -> None:
    """Print the parameters of the search as TOML for `zobra tune`."""
    from zobra.uci.parameter_list import parameter_list

    try:
        typer.echo(parameter_list(names or [], openbench))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def keys(quick: Annotated[bool, typer.Option("--quick", help="Take a smaller sample: a few seconds.")] = False) -> None:
    """Measure how good the Zobrist keys are."""
    from zobra.uci.key_report import report

    report(quick)


for command in (perft, warmup, doctor, uci_path, install, genfens):
    app.command()(command)
one_shot.register(app)
register_arena(app)
register_training(app)
