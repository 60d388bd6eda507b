"""The command `zobra tune`: tuning of options by SPSA."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.messages import plain_console, print_problems
from zobra.arena.commands.options import (
    DETAILS,
    TUNABLE_ZOBRA,
    GameOptions,
    OneEngine,
    with_game_options,
)
from zobra.arena.commands.runs import carry_out, check_book, end_run, fixed_options, resumed
from zobra.arena.formats.files import write_safely
from zobra.arena.model.engines import read_engine, spins
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Pairing
from zobra.arena.model.spsa import ITERATIONS_EACH, Gains, effects
from zobra.arena.model.tune_plan import FORM, TUNE_PLAN, Plan, as_toml, tunables
from zobra.arena.pages.tuning_plot import draw_course
from zobra.arena.runner.player import announced_options
from zobra.arena.runner.tuning import SIDES, Tuning

_INTERVAL = 50  # unless --interval says otherwise
ParameterOption = typer.Option(
    "--parameter", "-p", metavar="PARAMETER", help=f"An option of the engine: {FORM}."
)
FileOption = typer.Option(
    "--parameters", metavar="FILE", help="TOML file in the form that `zobra parameters` prints."
)


@with_game_options(tc="5+0.05", games=10_000)
def tune(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, FileOption] = None,
    parameter: Annotated[list[str] | None, ParameterOption] = None,
    pairs: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Pairs of games per iteration.", rich_help_panel=DETAILS
        ),
    ] = 1,
    alpha: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="X",
            help="Exponent of the decay of the learning rate.",
            rich_help_panel=DETAILS,
        ),
    ] = Gains.alpha,
    gamma: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="X",
            help="Exponent of the decay of the perturbation.",
            rich_help_panel=DETAILS,
        ),
    ] = Gains.gamma,
    stability: Annotated[
        float,
        typer.Option(
            min=0.0,
            metavar="X",
            help="SPSA's stability constant A as a share of the iterations.",
            rich_help_panel=DETAILS,
        ),
    ] = Gains.stability,
) -> None:
    """Tune options of an engine by SPSA.

    The engine plays against itself with perturbed values of its integer options. --folder alone
    resumes an interrupted run; so does the same command with --folder, and a larger --games extends
    it.

    Example: zobra parameters > search.toml; zobra tune --parameters search.toml --tc 1+0.01
    """
    console = plain_console()
    is_resumed = engine is None and options.has_run and not fixed_options(context)
    if is_resumed:
        settings = resumed(context, options, "an engine")
        plan = Plan.read(options.folder or Path())
    else:
        spec = read_engine(engine or TUNABLE_ZOBRA, options.option or [])
        settings = options.settings([replace(spec, name=name) for name in SIDES])
        announced = announced_options(spec, settings.stall_seconds)
        chosen = tunables(parameters, parameter or [], spins(announced))
        gains = Gains(settings.rounds // pairs, alpha, gamma, stability)
        plan = Plan(tuple(chosen), gains, pairs)
    if settings.rounds % plan.pairs:
        raise typer.BadParameter(
            f"--games {2 * settings.rounds}: must be a multiple of {2 * plan.pairs}, the games "
            "of an iteration"
        )
    folder = options.run_folder("tune")
    if options.has_run:
        settings = settings.extending(Journal.settings_in(folder))
        if (folder / TUNE_PLAN).exists():
            plan = plan.extending(Plan.read(folder))
    check_book(settings)
    source = settings.openings()
    print_problems(console, source.problems)
    openings = [source(number) for number in range(settings.rounds if settings.book else 1)]
    tuning = carry_out(
        console,
        folder,
        settings,
        options,
        openings=openings,
        begin=lambda journal: Tuning(journal, plan),
        display=partial(TuneDisplay, interval=options.interval),
        ask=is_resumed,
        before=lambda: plan.keep(folder),
    )
    console.print(values_table(tuning))
    if tuning.error is None:
        write_safely(folder / "tuned.toml", as_toml(plan.tunables, tuning.values))
        plot = "values.svg"
        if not draw_course(tuning, folder / "values.svg"):
            plot = "but no plot, as matplotlib is missing (pip install matplotlib)"
        console.print(f"kept in {folder}: tuned.toml, values.csv, {plot}", soft_wrap=True)
    end_run(console, tuning, folder, "tune")


class TuneDisplay(LivePanel):
    """Shows a tuning run; it is the observer that `Match.play` takes.

    Without a terminal it prints the values after every `interval` games.
    """

    def __init__(self, console: Console, what: str, interval: int | None = None) -> None:
        super().__init__(console, what)
        self._interval = interval or _INTERVAL

    def begin(self, tuning: Tuning) -> None:
        """Show the start of a run, or how far a resumed one is."""
        self.count_from(tuning.results.games, tuning.total)

    def started(self, pairing: Pairing) -> None:
        """Do nothing: the start of a game is not shown."""

    def finished(self, record: GameRecord, tuning: Tuning) -> None:
        """Show a finished game and the values, which may have changed."""
        games = tuning.results.games
        self.count(games)
        if self.live:
            self.show(values_table(tuning))
        elif games % self._interval == 0:
            values = ", ".join(f"{name} {value:.1f}" for name, value in tuning.values.items())
            self.console.print(f"{games} of {tuning.total} games: {values}", soft_wrap=True)
            if games < tuning.total:
                self.console.print(self.time_left())


def values_table(tuning: Tuning) -> Table:
    """Return a table of the values, with their effects once there are enough iterations.

    On a terminal of 80 columns names are never broken; numbers and headings may be.
    """
    table = Table()
    table.add_column("parameter", no_wrap=True)
    for heading in ("from", "now", "change in c_end", "bounds", "Elo, upper − lower"):
        table.add_column(heading, justify="right")
    found = effects(np.reshape(tuning.signs, (-1, len(tuning.values))), np.array(tuning.scores))
    is_known = len(tuning.scores) >= ITERATIONS_EACH * len(tuning.values)
    rows = zip(tuning.plan.tunables, tuning.values.values(), found, strict=True)
    for entry, now, (elo, error) in rows:
        table.add_row(
            entry.name,
            f"{entry.default:g}",
            f"{now:.1f}",
            f"{(now - entry.default) / entry.c_end:+.2f}",
            f"{entry.low:g} to {entry.high:g}",
            f"{elo:+.1f} ± {error:.1f}" if is_known else "",
        )
    return table
