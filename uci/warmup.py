"""`zobra warmup`: compile the kernels ahead of the first game."""

from __future__ import annotations

import importlib
import time

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

STEPS = {
    "rules of chess": "zobra.engine.position",
    "perft": "zobra.engine.perft",
    "search": "zobra.search.searcher",
    "conversation": "zobra.uci.session",
}


def warmup() -> None:
    """Compile everything now, so that the next start is fast."""
    console = Console(highlight=False)
    begin = time.perf_counter()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        for name, module in STEPS.items():
            task = progress.add_task(name, total=1)
            importlib.import_module(module)
            progress.update(task, completed=1)
    from zobra.engine.jit import cache

    for notice in cache.notices:
        console.print(notice)
    done = f"{cache.compiled} kernels compiled" if cache.compiled else "nothing to compile, every kernel was there already"
    console.print(f"{done}; {time.perf_counter() - begin:.1f} s")
    console.print(f"kept in {cache.folder}" if cache.folder else "not kept: no folder could be written", soft_wrap=True)
