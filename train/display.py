"""Progress of self-play and training on the terminal, and the plot of the losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from zobra.train.check import DataReport
from zobra.train.generate import Generation, Tally
from zobra.train.trainer import EpochReport, Errors

EPOCHS_SHOWN = 12
LEVELS = "▁▂▃▄▅▆▇█"
CURVE_WIDTH = 40  # epochs


def bar(console: Console, *columns: str) -> Progress:
    """A progress bar with further text columns, by field name."""
    texts = [TextColumn(f"{{task.fields[{name}]}}") for name in columns]
    times = (MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    return Progress(TextColumn("{task.description}"), BarColumn(), *times, *texts, console=console)


def play_games(console: Console, generation: Generation) -> Tally:
    """Run a generation with a progress bar; print a summary at the end."""
    with bar(console, "speed", "results") as progress:
        task = progress.add_task("games", total=generation.games_missing, speed="", results="")

        def show(tally: Tally) -> None:
            won, drawn, lost = (tally.results[result] for result in (2, 1, 0))
            seconds = max(1e-9, progress.tasks[0].elapsed or 0)
            speed = f"{tally.plies / seconds:,.0f} positions/s"
            progress.update(task, completed=tally.games, speed=speed, results=f"+{won} ={drawn} -{lost}")

        tally = generation.run(show)
    before = f", {tally.shards_before} shards existed before" if tally.shards_before else ""
    console.print(f"{tally.games} games, {tally.plies} positions made{before}")
    return tally


def describe(console: Console, report: DataReport) -> None:
    """Print the report of a check."""
    won, drawn, lost = (report.results[result] for result in (2, 1, 0))
    table = Table(show_header=False)
    rows = {
        "games": f"{report.games:,} (White +{won} ={drawn} -{lost})",
        "plies": f"{report.plies:,}",
        "positions kept": f"{report.positions:,}",
        "endings": ", ".join(f"{name} {count}" for name, count in report.endings.most_common()),
        "coherence": "no clear scores" if report.coherence is None else f"{report.coherence:.1%} of clear scores won",
        "duplicates": f"{report.duplicates:.1%}",
        "median |score|": f"{report.median_score:.0f} centipawns",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)


def curve(losses: Sequence[float]) -> str:
    """The latest losses as a line of block characters, scaled between their lowest and highest."""
    shown = losses[-CURVE_WIDTH:]
    low, reach = min(shown), max(shown) - min(shown)
    return "".join(LEVELS[round((loss - low) / reach * (len(LEVELS) - 1)) if reach else 0] for loss in shown)


class LossTable:
    """A table of the epochs that grows during training, and a plot at the end."""

    def __init__(self, console: Console, epochs: int) -> None:
        self.reports: list[EpochReport] = []
        self._epochs, self._console = epochs, console
        self._latest: EpochReport | None = None
        self._live: Live | None = None

    def show(self, run: Callable[[Callable[[EpochReport], None]], Errors]) -> Errors:
        """Run a training with this table as its listener; return the final errors."""
        with Live(self._table(), console=self._console, auto_refresh=False) as self._live:
            return run(self._note)

    def _note(self, report: EpochReport) -> None:
        self._latest = report
        if report.validation:
            self.reports.append(report)
        if self._live:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        table = Table(title=f"epoch {self._latest.epoch:.1f} of {self._epochs}" if self._latest else "training")
        for heading in ("epoch", "positions/s", "training", "validation", "of scores", "of results"):
            table.add_column(heading, justify="right")
        shown = self.reports[-EPOCHS_SHOWN:] + [report for report in [self._latest] if report and not report.validation]
        for report in shown:
            known = report.validation
            cells = [f"{value:.5f}" for value in (known.loss, known.score, known.result)] if known else ["", "", ""]
            table.add_row(f"{report.epoch:.1f}", f"{report.positions_per_second:,.0f}", f"{report.training.loss:.5f}", *cells)
        training = [report.training.loss for report in self.reports]
        validation = [report.validation.loss for report in self.reports if report.validation]
        table.caption = f"training {curve(training)}  validation {curve(validation)}" if self.reports else None
        return table

    def plot(self, path: Path) -> bool:
        """Save the curves; False where matplotlib is not installed."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return False
        figure = Figure(figsize=(8, 5))
        axes = figure.add_subplot()
        epochs = [report.epoch for report in self.reports]
        axes.plot(epochs, [report.training.loss for report in self.reports], label="training")
        axes.plot(epochs, [report.validation.loss for report in self.reports if report.validation], label="validation")
        axes.set(xlabel="epoch", ylabel="mean squared error of the winning chance", yscale="log", title=path.stem)
        axes.legend()
        axes.grid(True, which="both", alpha=0.3)
        figure.savefig(path)
        return True
