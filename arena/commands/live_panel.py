"""What a run shows while it lasts: a live panel on a terminal, plain lines elsewhere."""

from contextlib import ExitStack

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from zobra.arena.formats.text import counted


class LivePanel(ExitStack):
    """A panel with a progress bar at its top, shown on a terminal only.

    A context manager, as it must be taken down.
    """

    def __init__(
        self, console: Console, what: str
    ) -> None:  # what is being counted, or by which engine
        super().__init__()
        self.console, name = console, TextColumn("{task.description}", markup=False)
        times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
        self._progress = Progress(name, BarColumn(), MofNCompleteColumn(), *times, console=console)
        self._task = self._progress.add_task(what, total=None)
        live = Live(console=console, refresh_per_second=4, transient=True)
        self.live = self.enter_context(live) if console.is_terminal else None

    def count_from(self, done: int, total: int, thing: str = "game") -> None:
        """Begins, or resumes after what is done already."""
        self._progress.reset(self._task, total=total, completed=done)
        if done:
            self.console.print(f"resuming after {done} of {counted(total, thing)}")
        self.show()

    def count(self, done: float) -> None:
        """Sets how much is done."""
        self._progress.update(self._task, completed=done)

    def show(self, *below: RenderableType) -> None:
        """Shows the bar with something below it, where there is a terminal."""
        if self.live:
            self.live.update(Group(self._progress, *below))
