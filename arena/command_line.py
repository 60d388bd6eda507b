"""The arena's commands for a typer application."""

import typer

from zobra.arena.ablate import ablate
from zobra.arena.analyse_command import analyse
from zobra.arena.ladder_command import ladder
from zobra.arena.match_command import match
from zobra.arena.report_command import report
from zobra.arena.suite_command import suite
from zobra.arena.tune_command import tune


def register(app: typer.Typer) -> None:
    """Adds match, ladder, suite, analyse, report, tune and ablate."""
    for command in (match, ladder, suite, analyse, report, tune, ablate):
        app.command()(command)
