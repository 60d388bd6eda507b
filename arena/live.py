"""A live panel on a terminal, with a progress bar at its top; elsewhere only the console to print lines on."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from typing_extensions import Self


class LivePanel:
    """A context manager, as the panel must be taken down."""

    def __init__(self, console: Console, what: str) -> None:
        """`what` stands before the bar: what is being counted, or by whom."""
        self.console = console
        self._progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(), console=console,
        )  # fmt: skip
        self._task = self._progress.add_task(what, total=None)
        self.live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self.live:
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.live:
            self.live.stop()

    def count_from(self, done: int, total: int) -> None:
        """Begins, or goes on with what is done already."""
        self._progress.reset(self._task, total=total, completed=done)
        if done:
            self.console.print(f"going on after {done} of {total} games")
        self.show()

    def count(self, done: float) -> None:
        """So much is done."""
        self._progress.update(self._task, completed=done)

    def show(self, *below: RenderableType) -> None:
        """Shows the bar with something below it, where there is a terminal."""
        if self.live:
            self.live.update(Group(self._progress, *below))
