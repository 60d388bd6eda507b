"""The command `zobra tune`, and what it shows of the values: a table, and a plot."""

import io
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.command import (
    GameOptions,
    OneEngine,
    check_run,
    end_run,
    new_folder,
    plain_console,
    resumed,
    with_game_options,
)
from zobra.arena.display import LivePanel
from zobra.arena.engines import read_engine, spins
from zobra.arena.files import write_safely
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal
from zobra.arena.player import announced_options
from zobra.arena.settings import Pairing
from zobra.arena.spsa import Gains
from zobra.arena.tune import SIDES, Plan, Tuning
from zobra.arena.tune_parameters import as_toml, tunables

# without a terminal: the values after so many games
_INTERVAL = 50
# how often the plot is drawn anew during a run (seconds)
_DRAW_INTERVAL = 60.0
_LEVELS, _WIDTH = "▁▂▃▄▅▆▇█", 24
ParameterOption = typer.Option(
    "--parameter", "-p", help="An option of the engine: NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]."
)


@with_game_options(tc="5+0.05", games=10_000)
def tune(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, typer.Option("--parameters", help="TOML file, as `zobra parameters` prints it.")] = None,
    parameter: Annotated[list[str] | None, ParameterOption] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games an iteration.")] = 1,
    alpha: Annotated[float, typer.Option(min=0.0, help="Exponent by which the learning rate decays.")] = Gains.alpha,
    gamma: Annotated[float, typer.Option(min=0.0, help="Exponent by which the perturbation decays.")] = Gains.gamma,
    stability: Annotated[float, typer.Option(min=0.0, help="Share of the iterations that damps the first.")] = Gains.stability,
) -> None:
    """Tune an engine's whole-number options by SPSA over games against itself. An interrupted run can be resumed."""
    console = plain_console()
    if engine is not None:
        spec = read_engine(engine, options.option or [])
        settings = options.settings([replace(spec, name=name) for name in SIDES])
        if settings.rounds % pairs:
            raise ValueError(f"--games {options.games}: not a multiple of the {2 * pairs} games of an iteration")
        chosen = tunables(parameters, parameter or [], spins(announced_options(spec, settings.stall_seconds)))
        plan = Plan(tuple(chosen), Gains(settings.rounds // pairs, alpha, gamma, stability), pairs)
    else:
        settings = resumed(console, context, options, "an engine")
        plan = Plan.read(options.folder or Path())
    # a bad line of the book is found now, not when its turn comes
    opening = settings.openings()
    openings = [opening(number) for number in range(settings.rounds if settings.book else 1)]
    conditions = check_run(console, settings, openings, options)
    folder = options.folder or new_folder("tune")
    plan.keep(folder)
    with closing(Journal(folder, settings, conditions)) as journal:
        tuning = Tuning(journal, plan)
        with TuneDisplay(console, folder / "values.svg") as display:
            tuning.play(options.playing, display)
    console.print(values_table(tuning))
    for name, value in tuning.values.items():
        console.print(f"{name} = {round(value)}")
    if tuning.error is None:
        write_safely(folder / "tuned.toml", as_toml(plan.tunables, tuning.values))
        if not draw_course(tuning, folder / "values.svg"):
            console.print("no plot, as matplotlib is missing")
        console.print(f"kept in {folder}: tuned.toml, values.csv, values.svg", soft_wrap=True)
    end_run(console, tuning, folder)


class TuneDisplay(LivePanel):
    """Shows a tuning run, and draws its plot once a minute."""

    def __init__(self, console: Console, plot: Path) -> None:
        super().__init__(console, "games")
        self._plot, self._drawn = plot, time.monotonic()

    def begin(self, tuning: Tuning) -> None:
        """The run begins or is resumed."""
        self.count_from(tuning.results.games, tuning.total)

    def started(self, pairing: Pairing) -> None:
        """A game begins, which is not shown."""

    def finished(self, record: GameRecord, tuning: Tuning) -> None:
        """A game ended."""
        games = tuning.results.games
        self.count(games)
        if self.live:
            self.show(values_table(tuning))
        elif games % _INTERVAL == 0:
            values = ", ".join(f"{name} {value:.1f}" for name, value in tuning.values.items())
            self.console.print(f"{games} of {tuning.total} games: {values}", soft_wrap=True)
        if time.monotonic() - self._drawn > _DRAW_INTERVAL:
            self._drawn = time.monotonic()
            draw_course(tuning, self._plot)


def values_table(tuning: Tuning) -> Table:
    """Each value with its course so far."""
    table = Table("parameter", "from", "now", "change in c_end", "course", "bounds")
    for entry, course in zip(tuning.plan.tunables, zip(*tuning.course, strict=True), strict=True):
        table.add_row(
            entry.name, f"{entry.default:g}", f"{course[-1]:.1f}", f"{(course[-1] - entry.default) / entry.c_end:+.2f}",
            sparkline(course), f"{entry.low:g} to {entry.high:g}",
        )  # fmt: skip
    return table


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A course in one line of text, between its lowest and highest value."""
    shown = [values[round(index * (len(values) - 1) / (width - 1))] for index in range(width)]
    low, reach = min(values), max(values) - min(values)
    return "".join(_LEVELS[round((value - low) / reach * (len(_LEVELS) - 1)) if reach else 0] for value in shown)


def draw_course(tuning: Tuning, path: Path) -> bool:
    """Draws the values over the games, each by its distance from the default in units of its c_end, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure, plan = Figure(figsize=(9, 5), layout="constrained"), tuning.plan
    axes = figure.subplots()
    games = [number * plan.games_each for number in range(len(tuning.course))]
    for entry, course in zip(plan.tunables, zip(*tuning.course, strict=True), strict=True):
        distances = [(value - entry.default) / entry.c_end for value in course]
        axes.plot(games, distances, label=entry.name.replace("$", r"\$"))
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="games", ylabel="distance from the default, in c_end")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=1 + len(plan.tunables) // 12, loc="upper left")
    drawing = io.BytesIO()
    figure.savefig(drawing, format=path.suffix[1:])
    write_safely(path, drawing.getvalue())
    return True
