"""What the training shows: progress of the games, of the epochs, and the losses as they fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from zobra.train.check import DataReport
from zobra.train.generate import Generation, Tally
from zobra.train.trainer import Errors, Look

EPOCHS_SHOWN = 12
LEVELS = "▁▂▃▄▅▆▇█"
CURVE_WIDTH = 40  # epochs


def bar(console: Console, *columns: str) -> Progress:
    """A progress bar with further text columns, by field name."""
    texts = [TextColumn(f"{{task.fields[{name}]}}") for name in columns]
    times = (MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(TextColumn("{task.description}"), BarColumn(), *times, *texts, console=console)


def play_games(console: Console, generation: Generation) -> Tally:
    """Run a generation behind a progress bar; a summary at the end."""
    with bar(console, "speed", "results") as progress:
        task = progress.add_task("games", total=generation.games_missing, speed="", results="")

        def show(tally: Tally) -> None:
            won, drawn, lost = (tally.results[result] for result in (2, 1, 0))
            seconds = max(1e-9, progress.tasks[0].elapsed or 0)
            speed = f"{tally.plies / seconds:,.0f} positions/s"
            progress.update(task, completed=tally.games, speed=speed, results=f"+{won} ={drawn} -{lost}")

        tally = generation.run(show)
    there = f", {tally.shards_there} shards were there already" if tally.shards_there else ""
    console.print(f"{tally.games} games, {tally.plies} positions made{there}")
    return tally


def describe(console: Console, report: DataReport) -> None:
    """What the check found."""
    won, drawn, lost = (report.results[result] for result in (2, 1, 0))
    table = Table(show_header=False)
    rows = {
        "games": f"{report.games:,} (White +{won} ={drawn} -{lost})",
        "plies": f"{report.plies:,}",
        "positions kept": f"{report.positions:,}",
        "endings": ", ".join(f"{name} {count}" for name, count in report.endings.most_common()),
        "coherence": "nothing to measure" if report.coherence is None else f"{report.coherence:.1%} of clear scores won",
        "duplicates": f"{report.duplicates:.1%}",
        "median |score|": f"{report.median_score:.0f} centipawns",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)


def curve(losses: Sequence[float]) -> str:
    """The latest losses in a line of text, between the lowest and the highest of them."""
    shown = losses[-CURVE_WIDTH:]
    low, reach = min(shown), max(shown) - min(shown)
    return "".join(LEVELS[round((loss - low) / reach * (len(LEVELS) - 1)) if reach else 0] for loss in shown)


class LossTable:
    """The epochs so far: a table that grows while the training runs, and a plot in the end."""

    def __init__(self, console: Console, epochs: int) -> None:
        self.looks: list[Look] = []
        self._epochs, self._console = epochs, console
        self._latest: Look | None = None
        self._live: Live | None = None

    def show(self, run: Callable[[Callable[[Look], None]], Errors]) -> Errors:
        """Run a training that calls its listener; what it comes to."""
        with Live(self._table(), console=self._console, auto_refresh=False) as self._live:
            return run(self._note)

    def _note(self, look: Look) -> None:
        self._latest = look
        if look.validation:
            self.looks.append(look)
        if self._live:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        table = Table(title=f"epoch {self._latest.epoch:.1f} of {self._epochs}" if self._latest else "training")
        for heading in ("epoch", "positions/s", "training", "validation", "of scores", "of results"):
            table.add_column(heading, justify="right")
        shown = self.looks[-EPOCHS_SHOWN:] + [look for look in [self._latest] if look and not look.validation]
        for look in shown:
            known = look.validation
            cells = [f"{value:.5f}" for value in (known.loss, known.score, known.result)] if known else ["", "", ""]
            table.add_row(f"{look.epoch:.1f}", f"{look.positions_per_second:,.0f}", f"{look.training.loss:.5f}", *cells)
        training = [look.training.loss for look in self.looks]
        validation = [look.validation.loss for look in self.looks if look.validation]
        table.caption = f"training {curve(training)}  validation {curve(validation)}" if self.looks else None
        return table

    def plot(self, path: Path) -> bool:
        """Save the curves; False where matplotlib is not installed."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return False
        figure = Figure(figsize=(8, 5))
        axes = figure.add_subplot()
        epochs = [look.epoch for look in self.looks]
        axes.plot(epochs, [look.training.loss for look in self.looks], label="training")
        axes.plot(epochs, [look.validation.loss for look in self.looks if look.validation], label="validation")
        axes.set(xlabel="epoch", ylabel="mean squared error of the chance to win", yscale="log", title=path.stem)
        axes.legend()
        axes.grid(True, which="both", alpha=0.3)
        figure.savefig(path)
        return True
