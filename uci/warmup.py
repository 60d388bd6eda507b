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
            task = progress.add_task(f"compiling: {name}", total=1)
            importlib.import_module(module)
            progress.advance(task)
    from zobra.engine.jit import cache

    for notice in cache.notices:
        console.print(notice)
    console.print(f"{cache.compiled} kernels compiled in {time.perf_counter() - begin:.1f} s; the rest was there already")
    console.print(f"kept in {cache.folder}" if cache.folder else "not kept: no folder could be written")
