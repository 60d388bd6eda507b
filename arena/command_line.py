"""The arena's commands for a typer application."""

import typer

from zobra.arena.ablate import ablate
from zobra.arena.analyse_command import analyse
from zobra.arena.command import match
from zobra.arena.ladder import ladder
from zobra.arena.report_command import report
from zobra.arena.suite import suite
from zobra.arena.tune import tune


def register(app: typer.Typer) -> None:
    """Adds the commands to an application."""
    for command in (match, ladder, suite, analyse, report, tune, ablate):
        app.command()(command)


app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
register(app)
