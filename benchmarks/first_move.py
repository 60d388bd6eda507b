"""The first move of a game with a fresh hash table: is its memory ready before the clock runs?

    python benchmarks/first_move.py [--tries 20] [--hash 32 --hash 512 …] [--command COMMAND]

A fresh process gets `setoption Hash`, `ucinewgame`, `isready` and `go movetime`, and after another
`ucinewgame` the same search again. A first search that has to touch the table's memory is
shallower, or ends late. The output has the worst of all tries for each size.
"""

import sys
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

# A script's path lacks the root of the repository
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import ZOBRA, PipedEngine
from zobra.arena.model.engines import words

SIZES = [32, 512, 4096]  # MB
DEPTH_LOSS = 2  # plies by which the first search may be shallower than the second
TIME_MARGIN = 50  # milliseconds by which a bestmove may be late


class Try(NamedTuple):
    """The results of one fresh process; times are in milliseconds."""

    hash_ready: float  # to `readyok` after `setoption Hash`,
    game_ready: float  # and after `ucinewgame`
    first_depth: int
    first_time: float
    second_depth: int
    second_time: float

    @property
    def depth_loss(self) -> int:
        """How many plies shallower the first search was than the second."""
        return self.second_depth - self.first_depth

    @property
    def longest(self) -> float:
        """The time of the longer search."""
        return max(self.first_time, self.second_time)

    def is_good(self, movetime: int) -> bool:
        """Return whether the first search was deep enough and both were in time."""
        return self.depth_loss <= DEPTH_LOSS and self.longest <= movetime + TIME_MARGIN


def search(engine: PipedEngine, movetime: int) -> tuple[int, float]:
    """Return the depth of the last `info`, and the milliseconds to the `bestmove`."""
    began = time.perf_counter()
    engine.send(f"go movetime {movetime}")
    depth = 0
    for line in engine.lines_until("bestmove"):
        parts = line.split()
        if parts[:2] == ["info", "depth"] and "pv" in parts:
            depth = int(parts[2])
    return depth, (time.perf_counter() - began) * 1e3


def attempt(command: list[str], megabytes: int, movetime: int) -> Try:
    """Start an engine, and make it search twice."""
    engine = PipedEngine(command)
    engine.ask("uci", "uciok")
    engine.ask("isready", "readyok")
    engine.send(f"setoption name Hash value {megabytes}")
    hash_ready = engine.measure("isready", "readyok")
    engine.send("ucinewgame")
    game_ready = engine.measure("isready", "readyok")
    first = search(engine, movetime)
    engine.send("ucinewgame")
    engine.ask("isready", "readyok")
    second = search(engine, movetime)
    engine.quit()
    return Try(hash_ready, game_ready, *first, *second)


def main(
    tries: int = 20,
    hash: Annotated[list[int], typer.Option(help="MB; may be repeated.")] = SIZES,
    movetime: int = 1000,
    command: str = "",
) -> None:
    """Measure; `command` starts the engine (default: Zobra)."""
    engine = list(words(command) if command else ZOBRA)
    columns = ("Hash", "ready, ms", "new game, ms", "depth", "again", "time, ms", "good")
    table = Table(*columns, title=f"worst of {tries} tries each, movetime {movetime}")
    for megabytes in hash:
        found = [attempt(engine, megabytes, movetime) for _ in range(tries)]
        worst = max(found, key=lambda each: each.depth_loss)
        good = sum(each.is_good(movetime) for each in found)
        table.add_row(
            str(megabytes),
            f"{max(each.hash_ready for each in found):.0f}",
            f"{max(each.game_ready for each in found):.0f}",
            str(worst.first_depth),
            str(worst.second_depth),
            f"{max(each.longest for each in found):.0f}",
            f"{good} of {tries}",
        )
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
