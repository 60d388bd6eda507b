"""`zobra warmup`: compile the kernels for exactly this processor into the user's store, ahead of the first game."""

from __future__ import annotations

import os
import time

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


def warmup() -> None:
    """Compile the engine for this processor, unless that is done. The exit status is 1 if the result cannot be kept."""
    os.environ.setdefault("ZOBRA_LEVEL", "native")  # read when the kernels are imported
    from zobra.engine import kernels

    console = Console(highlight=False, soft_wrap=True)
    begin = time.perf_counter()
    columns = (BarColumn(), TextColumn("{task.completed} of {task.total} kernels: {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("looking")

        def tell(number: int, total: int, name: str) -> None:
            if number == 0:
                kernels.store.check_writable()
            progress.update(task, completed=number, total=total, description=name)

        try:
            count = kernels.compile_missing(tell)
        except OSError as error:
            console.print(f"nothing is compiled, as it could not be kept: {error}")
            raise typer.Exit(1) from error
    for notice in kernels.notices:
        console.print(notice)
    seconds = time.perf_counter() - begin
    done = f"{count} kernels compiled" if count else "nothing to compile, all kernels are there"
    console.print(f"{done}; {seconds:.1f} s")
    if count:
        console.print(f"kept in {kernels.store.folder}" if kernels.store.folder else "not kept")
        raise typer.Exit(0 if kernels.store.folder else 1)
    console.print(kernels.selected.describe())
