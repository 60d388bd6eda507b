"""The commands of `zobra`, in the order and the panels of its help.

A command is imported only when it is called, so no command waits for the libraries of another.
"""

import inspect
import re
import sys
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from zobra.cli.words import NETWORK, ONE_SHOT
from zobra.engine.version import full_version

HELP = """Zobra, a UCI chess engine.

Without a command it speaks UCI, the protocol of chess programs. With --tunable \
the parameters of its search are options too. --network FILE, alone or before \
bench and commands of UCI, is the initial value of the option EvalFile.
"""
CONTEXT = {"help_option_names": ["-h", "--help"]}


class Command(NamedTuple):
    """A command: its name, its function as MODULE:NAME, and the first line of its docstring."""

    name: str
    place: str
    summary: str


PANELS = {
    "Play": (
        Command(
            "play",
            "zobra.arena.commands.play:play",
            "Play against Zobra or another engine, in a browser or terminal.",
        ),
        Command(
            "install", "zobra.cli.install:install", "Add Zobra to the list of engines of a GUI."
        ),
        Command(
            "uci-path",
            "zobra.cli.engine_command:uci_path",
            "Print the command of the engine for a GUI.",
        ),
        Command("doctor", "zobra.cli.doctor:doctor", "Check the installation."),
        Command("warmup", "zobra.cli.warmup:warmup", "Compile the engine for this processor."),
    ),
    "Analyse": (
        Command("analyse", "zobra.arena.commands.analyse:analyse", "Analyse games or positions."),
        Command("go", "zobra.cli.uci_commands:go", "Search the start position: zobra go depth 12."),
        Command(
            "position",
            "zobra.cli.uci_commands:position",
            "Search a position: zobra position fen FEN go depth 12.",
        ),
        Command(
            "eval",
            "zobra.cli.uci_commands:evaluate",
            "Show the static evaluation of a position, piece by piece.",
        ),
        Command(
            "d", "zobra.cli.uci_commands:d", "Show a position: its board, FEN, key and checks."
        ),
    ),
    "Test engines": (
        Command("match", "zobra.arena.commands.match:match", "Play engines against each other."),
        Command(
            "ladder",
            "zobra.arena.commands.ladder:ladder",
            "Rate an engine by games against engines with known ratings.",
        ),
        Command("suite", "zobra.arena.commands.suite:suite", "Let engines solve test suites."),
        Command(
            "report",
            "zobra.arena.commands.report:report",
            "Write a page about a match, PGN files or a suite.",
        ),
    ),
    "Develop": (
        Command("bench", "zobra.cli.bench_command:bench", "Search fixed positions."),
        Command(
            "perft", "zobra.cli.perft_command:perft", "Count the leaves of the tree of legal moves."
        ),
        Command("tune", "zobra.arena.commands.tune:tune", "Tune options of an engine by SPSA."),
        Command(
            "ablate",
            "zobra.arena.commands.ablate:ablate",
            "Measure what an engine loses without each of its techniques.",
        ),
        Command(
            "parameters",
            "zobra.cli.parameters_command:parameters",
            "Print the parameters of the search for `zobra tune`.",
        ),
        Command(
            "train", "zobra.train.command_line:app", "Make an evaluation network by self-play."
        ),
        Command("keys", "zobra.cli.key_report:keys", "Measure the quality of the Zobrist keys."),
        Command("genfens", "zobra.cli.genfens:genfens", "Print random balanced openings."),
    ),
}
# Words of UCI, and other names of commands and options, that the help does not list
HIDDEN = (
    Command("analyze", "zobra.arena.commands.analyse:analyse", "Analyse games or positions."),
    Command("uci", "zobra.cli.uci_commands:uci", "Answer `uci`: name, author and options."),
    Command("isready", "zobra.cli.uci_commands:isready", "Load the engine, and answer `readyok`."),
    Command(
        "compiler",
        "zobra.cli.uci_commands:compiler",
        "Print the versions of Python and of the libraries.",
    ),
    Command("help", "zobra.cli.command_line:show_help", "Show the help of a command."),
    Command("version", "zobra.cli.command_line:print_version", "Print the version."),
)
COMMANDS = {command.name: command for commands in PANELS.values() for command in commands}
COMMANDS |= {command.name: command for command in HIDDEN}
# What users of other match runners look for
INSTEAD = {"sprt": "zobra match --sprt ELO0,ELO1", "epd": "zobra suite FILE"}
HABITS = {
    "engine": "Engines are arguments: [NAME=]COMMAND",
    "each": "--tc and -o NAME=VALUE are for all engines",
    "rounds": "-n is the number of games, two for each opening",
    "repeat": "Each opening is always played with both colours",
    "pgnout": "The folder of the run has games.pgn",
}
READING_NETWORK = ("bench", *ONE_SHOT)  # after --network FILE
# Commands that start Zobra as an engine process: it is compiled first
STARTING_ENGINES = ("play", "match", "ladder", "suite", "analyse", "analyze", "tune", "ablate")


def load(command: Command) -> Any:
    """Import a command, and return it as a typer command."""
    module, _, name = command.place.partition(":")
    found = getattr(import_module(module), name)
    if isinstance(found, typer.Typer):
        loaded = typer.main.get_command(found)
        loaded.name = command.name
        return loaded
    # typer would keep the line breaks inside a paragraph
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(found) or "")
    app = typer.Typer(add_completion=False)
    app.command(command.name, cls=SingleCommand, context_settings=CONTEXT, help=text)(found)
    return typer.main.get_command(app)


class _WithoutTypes:
    """Leaves the types of arguments and flags out of the help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters of a command."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False) and parameter.metavar is None:
                parameter.metavar = ""
            elif parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None
        return parameters


class SingleCommand(_WithoutTypes, TyperCommand):
    """A command that has been imported."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the arguments. Options as other match runners write them get a hint."""
        known = {name for parameter in self.params for name in parameter.opts}
        for word in args:
            name = word.lstrip("-")
            long_name = f"--{name}"
            if len(name) > 1 and word == f"-{name}" and long_name in known:
                ctx.fail(f"No such option: {word}. It is {long_name} here.")
            is_foreign = word in (f"-{name}", long_name) and long_name not in known
            if is_foreign and name in HABITS and "--games" in known:
                ctx.fail(f"No such option: {word}. {HABITS[name]}.")
        return super().parse_args(ctx, args)


class CommandGroup(_WithoutTypes, TyperGroup):
    """All commands. Before one is called, only names and summaries are known."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for panel, commands in PANELS.items():
            for command in commands:
                self.add_command(
                    TyperCommand(command.name, help=command.summary, rich_help_panel=panel)
                )
        for command in HIDDEN:
            self.add_command(TyperCommand(command.name, help=command.summary, hidden=True))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is called, and put it in the place of its summary."""
        command = COMMANDS.get(args[0])
        if args[0] in INSTEAD:
            ctx.fail(f"No such command '{args[0]}'. Use `{INSTEAD[args[0]]}`.")
        if command is not None:
            self.add_command(load(command))
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
    help=HELP,
)


def _version_option(wanted: bool) -> None:
    if wanted:
        print_version()
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_version_option, is_eager=True, help="Print the version."),
]


@app.callback()
def prepare(context: typer.Context, version: Version = False) -> None:
    """Compile the engine before a command that starts it, so that no game has to wait.

    The context's object is the file after --network, or "": most commands do not take it.
    """
    if context.obj and context.invoked_subcommand not in READING_NETWORK:
        context.fail(
            f"{NETWORK} FILE goes before bench and commands of UCI only. An engine in a match "
            "takes its network with -o EvalFile=FILE."
        )
    asks_for_help = not {"-h", "--help"}.isdisjoint(sys.argv)
    if context.invoked_subcommand in STARTING_ENGINES and not asks_for_help:
        from zobra.engine.kernels import compile_missing

        def announce(number: int, *_: object) -> None:
            if number == 0:
                typer.echo("compiling the engine, this once …", err=True)

        compile_missing(announce)


def print_version() -> None:
    """Print the version."""
    typer.echo(f"Zobra {full_version()}")


def show_help(
    context: typer.Context, command: Annotated[str | None, typer.Argument()] = None
) -> None:
    """Show the help of a command."""
    words = ["--help"] if command is None else [command, "--help"]
    app(words, prog_name=context.find_root().info_name)
