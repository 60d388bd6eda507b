"""The progress display of a run: a live panel on a terminal, plain lines elsewhere."""

import time
from contextlib import ExitStack
from datetime import timedelta

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

    Use it as a context manager, which removes it at the end. `what` is the title of the bar.
    """

    def __init__(self, console: Console, what: str) -> None:
        super().__init__()
        self.console = console
        self._total = 0
        self._before = 0.0  # how much an earlier run has done
        self._done = 0.0
        self._begun = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task(what, total=None)
        self.live: Live | None = None
        if console.is_terminal:
            live = Live(console=console, refresh_per_second=4, transient=True)
            self.live = self.enter_context(live)

    def count_from(self, done: int, total: int, thing: str = "game") -> None:
        """Start the bar at `done` of `total` things; `done` is above 0 in a resumed run."""
        self._total = total
        self._before = done
        self._done = done
        self._begun = time.monotonic()
        self._progress.reset(self._task, total=total, completed=done)
        if done:
            self.console.print(f"resuming after {done} of {counted(total, thing)}")
        self.show()

    def count(self, done: float) -> None:
        """Set how much is done."""
        self._done = done
        self._progress.update(self._task, completed=done)

    @property
    def pace(self) -> float:
        """The number done per second since this run began."""
        return (self._done - self._before) / max(1e-9, time.monotonic() - self._begun)

    def time_left(self) -> str:
        """Return the remaining time at the current pace as text, empty if it is unknown."""
        if self.pace <= 0:
            return ""
        seconds = (self._total - self._done) / self.pace
        return f"about {timedelta(seconds=round(seconds))} (h:mm:ss) left"

    def show(self, *below: RenderableType) -> None:
        """On a terminal, show the bar with other content below it."""
        if self.live is not None:
            self.live.update(Group(self._progress, *below))
