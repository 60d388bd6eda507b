"""Progress of self-play and training on the terminal, and the plot of the losses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from zobra.train.check import DataReport
from zobra.train.generate import Generation, Tally
from zobra.train.trainer import EpochReport, Errors


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


class LossTable:
    """A line for each epoch, printed during training, and a plot at the end."""

    def __init__(self, console: Console, epochs: int) -> None:
        self.reports: list[EpochReport] = []
        self._epochs, self._console = epochs, console

    def show(self, run: Callable[[Callable[[EpochReport], None]], Errors]) -> Errors:
        """Run a training with this table as its listener; return the final errors."""
        self._console.print("epoch  positions/s  training  validation  of scores  of results")
        with bar(self._console, "loss") as progress:
            task = progress.add_task("train", total=self._epochs, loss="")

            def note(report: EpochReport) -> None:
                progress.update(task, completed=report.epoch, loss=f"{report.training.loss:.5f}")
                if errors := report.validation:
                    self.reports.append(report)
                    values = f"{report.training.loss:8.5f} {errors.loss:11.5f} {errors.score:10.5f} {errors.result:11.5f}"
                    self._console.print(f"{report.epoch:5.0f} {report.positions_per_second:12,.0f}  {values}")

            return run(note)

    def plot(self, path: Path) -> None:
        """Save the curves; where that is not possible, print why: the network is not the worse for it."""
        try:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(8, 5))
            axes = figure.add_subplot(xlabel="epoch", ylabel="mean squared error", yscale="log", title=path.stem)
            epochs = [report.epoch for report in self.reports]
            axes.plot(epochs, [report.training.loss for report in self.reports], label="training")
            axes.plot(epochs, [report.validation.loss for report in self.reports if report.validation], label="validation")
            axes.legend()
            figure.savefig(path)
        except (ImportError, OSError) as error:
            self._console.print(f"no plot: {error}")
