"""Progress of training on the terminal, and the plot of the losses."""

from pathlib import Path

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from zobra.train.trainer import Errors, Trainer


def bar(console: Console, *columns: str) -> Progress:
    """A progress bar with further text columns, by field name."""
    texts = (TextColumn(f"{{task.fields[{name}]}}") for name in columns)
    return Progress(*Progress.get_default_columns(), MofNCompleteColumn(), *texts, console=console)


def train(console: Console, trainer: Trainer, plot: Path) -> Errors:
    """Train with a line for each epoch, and plot the losses at the end; the final errors."""
    console.print("epoch  positions/s  training  validation  of scores  of results")
    reports = []
    with bar(console, "loss") as progress:
        task = progress.add_task("train", total=trainer.schedule.epochs, loss="")

        def show(epoch: float, speed: float, training: Errors, validation: Errors | None) -> None:
            progress.update(task, completed=epoch, loss=f"{training.loss:.5f}")
            if validation is not None:
                reports.append((epoch, training.loss, validation.loss))
                values = f"{validation.loss:11.5f} {validation.score:10.5f} {validation.result:11.5f}"
                console.print(f"{epoch:5.0f} {speed:12,.0f}  {training.loss:8.5f} {values}")

        errors = trainer.run(show)
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5))
        axes = figure.add_subplot(xlabel="epoch", ylabel="mean squared error", yscale="log", title=plot.stem)
        epochs, *losses = zip(*reports, strict=True)
        for label, values in zip(("training", "validation"), losses, strict=True):
            axes.plot(epochs, values, label=label)
        axes.legend()
        figure.savefig(plot)
    except (ImportError, OSError) as error:  # the network is not the worse for it
        console.print(f"no plot: {error}")
    return errors
