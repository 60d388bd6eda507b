"""`zobra warmup`: compile the kernels for this processor into the user's store."""

import os
import time

import typer
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn


def warmup() -> None:
    """Compile the engine for this processor.

    Existing kernels are not compiled again. The exit status is 1 if the result cannot be stored.
    """
    # zobra.engine.kernels reads it when it is imported
    os.environ["ZOBRA_LEVEL"] = os.environ.get("ZOBRA_LEVEL") or "native"
    from zobra.engine import kernels

    console = Console(highlight=False, soft_wrap=True)
    begin = time.perf_counter()
    columns = ("{task.completed} of {task.total} kernels: {task.description}", TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("looking")

        def report(number: int, total: int, name: str) -> None:
            if number == 0:
                kernels.store.check_writable()
            progress.update(task, completed=number, total=total, description=name)

        try:
            count = kernels.compile_missing(report)
        except OSError as error:
            console.print(f"nothing compiled, because it could not be stored: {error}")
            raise typer.Exit(1) from error

    for notice in kernels.notices:
        console.print(notice)
    seconds = time.perf_counter() - begin
    if count == 0:
        console.print(f"nothing to compile: all kernels are there; {seconds:.1f} s")
        console.print(kernels.selected.describe())
        return
    console.print(f"{count} kernels compiled; {seconds:.1f} s")
    if kernels.store.folder is None:
        console.print("not kept")
        raise typer.Exit(1)
    console.print(f"kept in {kernels.store.folder}")
