"""The arena's commands for a typer application."""

import typer

from zobra.arena.commands.ablate import ablate
from zobra.arena.commands.analyse import analyse
from zobra.arena.commands.ladder import ladder
from zobra.arena.commands.match import match
from zobra.arena.commands.play import play
from zobra.arena.commands.report import report
from zobra.arena.commands.suite import suite
from zobra.arena.commands.tune import tune


def register(app: typer.Typer) -> None:
    """Adds the commands to an application."""
    for command in (play, match, ladder, suite, analyse, report, tune, ablate):
        app.command()(command)


app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
register(app)
