"""The command line of `zobra`: one function for each command.

What a command needs of the engine is imported when it runs.
"""

import os
import signal
import sys
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from zobra.arena.commands.command_line import register as register_arena
from zobra.cli.doctor import doctor, uci_path
from zobra.cli.genfens import genfens
from zobra.cli.install import install
from zobra.cli.one_shot import register as register_one_shot
from zobra.cli.perft_command import perft
from zobra.engine.version import VERSION
from zobra.train.command_line import app as training

HELP = """Zobra, a UCI chess engine. Without a command it speaks UCI; with --tunable its search
parameters are options too.
--network FILE, before all else, builds another network in."""
WITH_ENGINES = (
    "play",
    "match",
    "ladder",
    "suite",
    "analyse",
    "tune",
    "ablate",
)  # commands that start engines
LEARNING_RATE = (
    0.002  # of a tuning, in its last iteration (r_end); `zobra tune` has the same default
)
TOML = (
    "[parameter.{0.name}]\ndefault = {0.default}\nlow = {0.low}\nhigh = {0.high}\nc_end = "
    "{0.step}\n"
)
OPENBENCH = f"{{0.name}}, int, {{0.default}}, {{0.low}}, {{0.high}}, {{0.step}}, {LEARNING_RATE}"
CONTEXT = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
    help=HELP,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"Zobra {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
]
Depth = Annotated[
    int, typer.Argument(min=1, max=64, help="Plies. Only the default gives the signature.")
]


@app.callback()
def options(context: typer.Context, version: Version = False) -> None:
    """Prepare what every command needs."""
    if context.invoked_subcommand in WITH_ENGINES and not {"-h", "--help"} & set(sys.argv):
        from zobra.engine.kernels import compile_missing

        def announce(number: int, *_: object) -> None:
            if number == 0:
                typer.echo("compiling the engine, this once …", err=True)

        compile_missing(announce)  # or else games that Zobra plays would begin with a compilation


@app.command("help")
def show_help(
    context: typer.Context, command: Annotated[str | None, typer.Argument()] = None
) -> None:
    """Show this list, or the help of a command: zobra help match."""
    app([command, "--help"] if command else ["--help"], prog_name=context.find_root().info_name)


@app.command()
def bench(context: typer.Context, depth: Depth = 10) -> None:
    """Search fixed positions. The last line has the signature: the number of nodes."""
    from zobra.search.engine import Engine

    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # Python would act on Ctrl-C only when the kernel returns
    engine = Engine(on_message=typer.echo)
    if context.obj:  # a network file
        engine.set_option("EvalFile", context.obj).wait()
    engine.bench(depth, typer.echo).wait()


@app.command()
def parameters(
    names: Annotated[list[str] | None, typer.Argument(help="Default: all but switches.")] = None,
    openbench: Annotated[
        bool, typer.Option("--openbench", help="Print lines for OpenBench's form instead.")
    ] = False,
) -> None:
    """Print the parameters of the search as TOML for `zobra tune`."""
    from zobra.search.parameters import PARAMETERS

    known = {parameter.name: parameter for parameter in PARAMETERS}
    if unknown := [name for name in names or [] if name not in known]:
        raise typer.BadParameter(f"no parameter {', '.join(unknown)}")
    chosen = [known[name] for name in names or []] or [
        entry for entry in PARAMETERS if entry.high - entry.low > 1
    ]
    for each in chosen:
        typer.echo((OPENBENCH if openbench else TOML).format(each))


@app.command()
def keys(
    quick: Annotated[
        bool, typer.Option("--quick", help="Take a smaller sample: a few seconds.")
    ] = False,
) -> None:
    """Measure how good the Zobrist keys are."""
    from zobra.cli.key_report import report

    report(quick)


@app.command()
def warmup() -> None:
    """Compile the engine for this processor, unless that is done.

    The exit status is 1 if the result cannot be kept.
    """
    os.environ["ZOBRA_LEVEL"] = (
        os.environ.get("ZOBRA_LEVEL") or "native"
    )  # read when the kernels are imported
    from zobra.engine import kernels

    console, begin = Console(highlight=False, soft_wrap=True), time.perf_counter()
    columns = ("{task.completed} of {task.total} kernels: {task.description}", TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("looking")

        def report(number: int, total: int, name: str) -> None:
            if number == 0:
                kernels.store.check_writable()
            progress.update(task, completed=number, total=total, description=name)

        try:
            count = kernels.compile_missing(report)
        except OSError as error:
            console.print(f"nothing is compiled, as it could not be kept: {error}")
            raise typer.Exit(1) from error
    for notice in kernels.notices:
        console.print(notice)
    done = f"{count} kernels compiled" if count else "nothing to compile, all kernels are there"
    console.print(f"{done}; {time.perf_counter() - begin:.1f} s")
    if count:
        console.print(f"kept in {kernels.store.folder}" if kernels.store.folder else "not kept")
        raise typer.Exit(0 if kernels.store.folder else 1)
    console.print(kernels.selected.describe())


app.command("version", help="Print the version.")(lambda: _print_version(True))
for command in (perft, doctor, uci_path, install, genfens):
    app.command()(command)
register_one_shot(app)
register_arena(app)
app.add_typer(training, name="train")
