"""Nodes per second and time to a depth, of a search with one thread and with several.

    python benchmarks/threads.py

The numbers of threads take turns on each position. Each search starts from an empty table. A first
search of each, which is not counted, warms up.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import typer

# A script's path lacks the root of the repository
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.speed import POSITIONS
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

MEGABYTES = 64
WARM_UP_DEPTH = 12


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
        measure(searchers[count], START, WARM_UP_DEPTH)

    print(f"medians of {rounds} searches to depth {depth}, Hash {MEGABYTES}")
    heads = "".join(f"{counted(count):>12} {'M nodes/s':>9}" for count in searchers)
    print(f"{'position':14}{heads}")
    for name, fen in POSITIONS.items():
        runs: dict[int, list[Run]] = {count: [] for count in searchers}
        for _ in range(rounds):
            for count, searcher in searchers.items():
                runs[count].append(measure(searcher, fen, depth))
        texts = []
        for found in runs.values():
            speed = statistics.median(run.nodes / run.seconds for run in found)
            seconds = statistics.median(run.seconds for run in found)
            texts.append(f"{seconds:10.3f} s {speed / 1e6:9.2f}")
        print(f"{name:14}{''.join(texts)}")


def counted(threads: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if threads == 1 else f"{threads} threads"


if __name__ == "__main__":
    typer.run(main)
