"""The command `zobra tune`: SPSA of options. The engine plays itself with perturbed options, which follow from earlier games.

The folder is that of a match (journal.py) between "plus" and "minus", with two files more. `tune.json` has the fields of Plan
and Gains. `values.csv` has the values after each iteration. They follow from the games alone: a resumed run learns from the
games in the journal again, in the same order.
"""

import io
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.command import GameOptions, OneEngine, check_run, end_run, plain_console, resumed, with_game_options
from zobra.arena.display import LivePanel
from zobra.arena.engines import read_engine, spins
from zobra.arena.files import read_json, typed, write_safely
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import TUNE_PLAN, Journal
from zobra.arena.match import Match
from zobra.arena.player import announced_options
from zobra.arena.settings import Pairing
from zobra.arena.spsa import PARAMETER_FORM, Gains, Spsa, Tunable, as_toml, tunables

PLUS, MINUS = SIDES = ("plus", "minus")
_INTERVAL = 50  # without a terminal: the values after so many games
_DRAW_INTERVAL = 60.0  # how often the plot is drawn anew during a run (seconds)
_LEVELS = "▁▂▃▄▅▆▇█"
ParameterOption = typer.Option("--parameter", "-p", help=f"An option of the engine: {PARAMETER_FORM}.")
FileOption = typer.Option("--parameters", help="TOML file, as `zobra parameters` prints it.")


@with_game_options(tc="5+0.05", games=10_000)
def tune(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, FileOption] = None,
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
    opening = settings.openings()  # a bad line of the book is found now, not when its turn comes
    openings = [opening(number) for number in range(settings.rounds if settings.book else 1)]
    conditions = check_run(console, settings, openings, options)
    folder = options.run_folder("tune")
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


@dataclass(frozen=True)
class Plan:
    """What is tuned and how fast; `pairs` of games make an iteration."""

    tunables: tuple[Tunable, ...]
    gains: Gains
    pairs: int = 1

    @classmethod
    def read(cls, folder: Path) -> "Plan":
        """The plan of the run in a folder. Raises ValueError or OSError."""
        return read_json(folder / TUNE_PLAN, "a plan for tuning", lambda values: typed(cls, {"gains": values, **values}))

    def keep(self, folder: Path) -> None:
        """Writes the plan. Raises ValueError when another one is there already, or OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / TUNE_PLAN).exists():
            if (folder / "run.json").exists():
                raise ValueError(f"{folder} holds a match, which is no run of tuning")
            Journal.check_free(folder)
            content = {"tunables": [asdict(entry) for entry in self.tunables], "pairs": self.pairs} | asdict(self.gains)
            write_safely(folder / TUNE_PLAN, json.dumps(content, indent=1))
        elif self != Plan.read(folder):
            raise ValueError(f"{folder} holds another run: its parameters or gains differ")


class Tuning(Match):
    """A tuning run over its journal. `course` has the values after each iteration, the defaults first."""

    def __init__(self, journal: Journal, plan: Plan) -> None:
        """Raises ValueError when the journal does not fit the plan."""
        self.plan, self._spsa = plan, Spsa(plan.tunables, plan.gains, journal.settings.seed)
        self.values = self._spsa.values  # the present ones, by name
        self.course = [list(self.values.values())]
        self.games_each = 2 * plan.pairs  # games of an iteration
        self._leads: dict[int, list[int]] = defaultdict(list)
        self._kept = 0  # how many of the course values.csv has
        super().__init__(journal, (), plan.gains.iterations * self.games_each)

    def games(self) -> Iterator[Pairing]:
        """The games not yet played; the sides of an iteration are decided when its first game is about to begin."""
        opening = self.settings.openings()
        for iteration in range(self.plan.gains.iterations):
            first = iteration * self.games_each
            missing = [index for index in range(first, first + self.games_each) if index not in self.done]
            options = dict(zip(SIDES, self._spsa.sides(iteration), strict=True))
            for index in missing:
                pair, reversed_colours = divmod(index, 2)
                white, black = (MINUS, PLUS) if reversed_colours else (PLUS, MINUS)
                yield Pairing(index, pair, pair + 1, white, black, opening(pair), options)

    def count(self, record: GameRecord) -> bool:
        """Counts a game; the last one of an iteration moves the values."""
        iteration = record.index // self.games_each
        self._leads[iteration].append(record.points(PLUS) - 1)
        if len(self._leads[iteration]) == self.games_each:
            self._spsa.learn(iteration, sum(self._leads.pop(iteration)))
            self.course.append(list(self.values.values()))
        return super().count(record)

    def after_pair(self) -> None:
        """Adds the values of new iterations to values.csv, which every start of the run makes again."""
        path = self.journal.folder / "values.csv"
        if not self._kept:
            write_safely(path, ",".join(["iteration", *self.values]) + "\n")
        with path.open("a", encoding="utf-8") as file:
            for number in range(self._kept, len(self.course)):
                file.write(",".join([str(number), *(f"{value:.4f}" for value in self.course[number])]) + "\n")
        self._kept = len(self.course)


class TuneDisplay(LivePanel):
    """Shows a tuning run, and draws its plot once a minute."""

    def __init__(self, console: Console, plot: Path) -> None:
        super().__init__(console, "games")
        self._plot, self._drawn = plot, time.monotonic()

    def begin(self, tuning: Tuning) -> None:
        self.count_from(tuning.results.games, tuning.total)

    def started(self, pairing: Pairing) -> None:
        """The beginning of a game is not shown."""

    def finished(self, record: GameRecord, tuning: Tuning) -> None:
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
        change, bounds = f"{(course[-1] - entry.default) / entry.c_end:+.2f}", f"{entry.low:g} to {entry.high:g}"
        table.add_row(entry.name, f"{entry.default:g}", f"{course[-1]:.1f}", change, sparkline(course), bounds)
    return table


def sparkline(values: Sequence[float], width: int = 24) -> str:
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
    axes = figure.add_subplot(xlabel="games", ylabel="distance from the default, in c_end")
    games = [number * tuning.games_each for number in range(len(tuning.course))]
    for entry, course in zip(plan.tunables, zip(*tuning.course, strict=True), strict=True):
        distances = [(value - entry.default) / entry.c_end for value in course]
        axes.plot(games, distances, label=entry.name.replace("$", r"\$"))
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=1 + len(plan.tunables) // 12, loc="upper left")
    drawing = io.BytesIO()
    figure.savefig(drawing, format=path.suffix[1:])
    write_safely(path, drawing.getvalue())
    return True
