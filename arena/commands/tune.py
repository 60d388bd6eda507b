"""The command `zobra tune`: SPSA of options."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.messages import plain_console, print_problems
from zobra.arena.commands.options import GameOptions, OneEngine, with_game_options
from zobra.arena.commands.runs import check_run, end_run, resumed
from zobra.arena.formats.files import write_safely
from zobra.arena.model.engines import read_engine, spins
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Pairing
from zobra.arena.model.spsa import ITERATIONS_EACH, Gains, effects
from zobra.arena.model.tune_plan import FORM, Plan, as_toml, tunables
from zobra.arena.pages.tuning_plot import draw_course
from zobra.arena.runner.player import announced_options
from zobra.arena.runner.tuning import SIDES, Tuning

_INTERVAL = 50  # without a terminal: the values after so many games
ParameterOption = typer.Option("--parameter", "-p", help=f"An option of the engine: {FORM}.")
FileOption = typer.Option("--parameters", help="TOML file, as `zobra parameters` prints it.")


@with_game_options(tc="5+0.05", games=10_000)
def tune(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, FileOption] = None,
    parameter: Annotated[list[str] | None, ParameterOption] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games an iteration.")] = 1,
    alpha: Annotated[
        float, typer.Option(min=0.0, help="Exponent by which the learning rate decays.")
    ] = Gains.alpha,
    gamma: Annotated[
        float, typer.Option(min=0.0, help="Exponent by which the perturbation decays.")
    ] = Gains.gamma,
    stability: Annotated[
        float, typer.Option(min=0.0, help="Share of the iterations that damps the first.")
    ] = Gains.stability,
) -> None:
    """Tune an engine's whole-number options by SPSA over games against itself.

    An interrupted run can be resumed.
    """
    console = plain_console()
    if engine is not None:
        spec = read_engine(engine, options.option or [])
        settings = options.settings([replace(spec, name=name) for name in SIDES])
        if settings.rounds % pairs:
            raise ValueError(
                f"--games {options.games}: not a multiple of the {2 * pairs} games of an iteration"
            )
        chosen = tunables(
            parameters, parameter or [], spins(announced_options(spec, settings.stall_seconds))
        )
        plan = Plan(tuple(chosen), Gains(settings.rounds // pairs, alpha, gamma, stability), pairs)
    else:
        settings = resumed(console, context, options, "an engine")
        plan = Plan.read(options.folder or Path())
    source = settings.openings()
    openings = [source(number) for number in range(settings.rounds if settings.book else 1)]
    print_problems(console, source.problems)
    conditions = check_run(console, settings, openings, options)
    folder = options.run_folder("tune")
    plan.keep(folder)
    with closing(Journal(folder, settings, conditions)) as journal:
        tuning = Tuning(journal, plan)
        with TuneDisplay(console, "games") as display:
            tuning.play(options.playing, display)
    console.print(values_table(tuning))
    if tuning.error is None:
        write_safely(folder / "tuned.toml", as_toml(plan.tunables, tuning.values))
        plot = (
            "values.svg"
            if draw_course(tuning, folder / "values.svg")
            else "but no plot, as matplotlib is missing"
        )
        console.print(f"kept in {folder}: tuned.toml, values.csv, {plot}", soft_wrap=True)
    end_run(console, tuning, folder)


class TuneDisplay(LivePanel):
    """Shows a tuning run, as its observer (see Match.play)."""

    def begin(self, tuning: Tuning) -> None:
        """A tuning begins or is resumed."""
        self.count_from(tuning.results.games, tuning.total)

    def started(self, pairing: Pairing) -> None:
        """The beginning of a game is not shown."""

    def finished(self, record: GameRecord, tuning: Tuning) -> None:
        """A game has ended, and the values may have changed."""
        self.count(games := tuning.results.games)
        if self.live:
            self.show(values_table(tuning))
        elif games % _INTERVAL == 0:
            values = ", ".join(f"{name} {value:.1f}" for name, value in tuning.values.items())
            self.console.print(f"{games} of {tuning.total} games: {values}", soft_wrap=True)


def values_table(tuning: Tuning) -> Table:
    """Each value, and its effect once there are enough iterations."""
    table = Table("parameter", "from", "now", "change in c_end", "bounds", "Elo, upper − lower")
    found = effects(np.reshape(tuning.signs, (-1, len(tuning.values))), np.array(tuning.scores))
    is_known = len(tuning.scores) >= ITERATIONS_EACH * len(tuning.values)
    for entry, now, (elo, error) in zip(
        tuning.plan.tunables, tuning.values.values(), found, strict=True
    ):
        change, bounds = (
            f"{(now - entry.default) / entry.c_end:+.2f}",
            f"{entry.low:g} to {entry.high:g}",
        )
        table.add_row(
            entry.name,
            f"{entry.default:g}",
            f"{now:.1f}",
            change,
            bounds,
            f"{elo:+.1f} ± {error:.1f}" * is_known,
        )
    return table
