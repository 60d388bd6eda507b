"""`zobra warmup`: compile the kernels ahead of the first game."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


def warmup() -> None:
    """Compile everything now, so that the next start is fast."""
    console = Console(highlight=False)
    begin = time.perf_counter()
    columns = (BarColumn(), TextColumn("{task.completed} of {task.total} kernels: {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("looking")
        from zobra.uci.startup import compile_all

        def tell(number: int, total: int, name: str) -> None:
            progress.update(task, completed=number, total=total, description=name)

        count = compile_all(tell)
    from zobra.engine.kernels import cache

    for notice in cache.notices:
        console.print(notice)
    done = f"{count} kernels compiled" if count else "nothing to compile, every kernel was there already"
    console.print(f"{done}; {time.perf_counter() - begin:.1f} s")
    console.print(f"kept in {cache.folder}" if cache.folder else "not kept: no folder could be written", soft_wrap=True)
