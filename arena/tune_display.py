"""The values while an engine is tuned: a live table on a terminal, lines elsewhere, and a plot."""

import io
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from zobra.arena.display import LivePanel
from zobra.arena.files import write_safely
from zobra.arena.game_record import GameRecord
from zobra.arena.tune import Plan, Tuning

# without a terminal: the values after so many games
_INTERVAL = 50
# how often the plot is drawn anew during a run (seconds)
_DRAW_INTERVAL = 60.0
_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH = 24


class MissingMatplotlib(RuntimeError):
    """The plot needs matplotlib, which playing chess does not."""


class TuneDisplay(LivePanel):
    """Shows a tuning run, and draws its plot once a minute."""

    def __init__(self, console: Console, plot: Path) -> None:
        super().__init__(console, "games")
        self._plot, self._drawn = plot, time.monotonic()

    def begin(self, tuning: Tuning) -> None:
        """The run begins or is resumed."""
        self.count_from(tuning.results.games, tuning.plan.games)

    def finished(self, record: GameRecord, tuning: Tuning) -> None:
        """A game ended."""
        games = tuning.results.games
        self.count(games)
        if self.live:
            self.show(values_table(tuning))
        elif games % _INTERVAL == 0:
            values = ", ".join(f"{name} {value:.1f}" for name, value in tuning.values.items())
            self.console.print(f"{games} of {tuning.plan.games} games: {values}", soft_wrap=True)
        if time.monotonic() - self._drawn > _DRAW_INTERVAL:
            self._drawn = time.monotonic()
            self.draw(tuning)

    def draw(self, tuning: Tuning) -> bool:
        """Draws the plot, if matplotlib is there."""
        try:
            draw_course(tuning.plan, tuning.course, self._plot)
        except MissingMatplotlib:
            return False
        return True


def values_table(tuning: Tuning) -> Table:
    """Each value with its course so far."""
    table = Table("parameter", "from", "now", "change in c_end", "course", "bounds")
    for number, entry in enumerate(tuning.plan.tunables):
        now = tuning.values[entry.name]
        table.add_row(
            entry.name, f"{entry.default:g}", f"{now:.1f}", f"{(now - entry.default) / entry.c_end:+.2f}",
            sparkline([values[number] for values in tuning.course]), f"{entry.low:g} to {entry.high:g}",
        )  # fmt: skip
    return table


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A course in one line of text, between its lowest and highest value."""
    shown = [values[round(index * (len(values) - 1) / (width - 1))] for index in range(width)]
    low, reach = min(values), max(values) - min(values)
    return "".join(_LEVELS[round((value - low) / reach * (len(_LEVELS) - 1)) if reach else 0] for value in shown)


def draw_course(plan: Plan, course: Sequence[Sequence[float]], path: Path) -> None:
    """The values over the games, each by its distance from the default in units of its c_end. Raises MissingMatplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingMatplotlib from error
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    games = [number * plan.games_each for number in range(len(course))]
    for number, entry in enumerate(plan.tunables):
        axes.plot(
            games, [(values[number] - entry.default) / entry.c_end for values in course], label=entry.name.replace("$", r"\$")
        )
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="games", ylabel="distance from the default, in c_end")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=1 + len(plan.tunables) // 12, loc="upper left")
    drawing = io.BytesIO()
    figure.savefig(drawing, format=path.suffix[1:])
    write_safely(path, drawing.getvalue())
