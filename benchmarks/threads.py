"""Nodes per second and time to a depth, of a search with one thread and with several.

    python benchmarks/threads.py

The numbers of threads take turns on each position. Each search starts from an empty table.
"""

import statistics
import time
from typing import NamedTuple

import typer
from speed import POSITIONS

from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

MEGABYTES = 64


class Run(NamedTuple):
    """A search to a depth."""

    seconds: float
    nodes: int


def measure(searcher: Searcher, fen: str, depth: int) -> Run:
    """Search a position to a depth."""
    searcher.clear()
    game = Game(parse_fen(fen))
    begin = time.perf_counter()
    searcher.search(game, Limits(depth=depth))
    return Run(time.perf_counter() - begin, searcher.nodes)


def main(threads: int = 2, depth: int = 19, rounds: int = 9) -> None:
    """Measure, with one thread and with `threads`."""
    searchers = {}
    for count in (1, threads):
        searchers[count] = Searcher(MEGABYTES)
        searchers[count].threads = count
    print(f"medians of {rounds} searches to depth {depth}, Hash {MEGABYTES}")
    for name, fen in POSITIONS.items():
        runs: dict[int, list[Run]] = {count: [] for count in searchers}
        for _ in range(rounds):
            for count, searcher in searchers.items():
                runs[count].append(measure(searcher, fen, depth))
        texts = []
        for count, found in runs.items():
            speed = statistics.median(run.nodes / run.seconds for run in found)
            seconds = statistics.median(run.seconds for run in found)
            texts.append(f"{counted(count)}: {seconds:6.3f} s, {speed / 1e6:5.2f} M nodes/s")
        print(f"{name:14} {'; '.join(texts)}")


def counted(threads: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if threads == 1 else f"{threads} threads"


if __name__ == "__main__":
    typer.run(main)
