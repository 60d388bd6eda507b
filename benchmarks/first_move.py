"""The first move of a game with a fresh hash table: is its memory ready before the clock runs?

    python benchmarks/first_move.py [--tries 20] [--hash 32 --hash 512 …] [--command COMMAND]

A fresh process gets `setoption Hash`, `ucinewgame`, `isready` and `go movetime`; the same search
follows after another `ucinewgame`. If the first one has to touch the table's memory it is
shallower, or ends late. Prints the worst of all tries for each size.
"""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

# run as a script, or imported by the tests
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import ZOBRA, PipedEngine

SIZES = [32, 512, 4096]  # MB
DEPTH_LOSS = 2  # plies that the first search may be less deep than the second
TIME_MARGIN = 50  # milliseconds that a bestmove may come after its time


class Try(NamedTuple):
    """A fresh process: milliseconds to `readyok` after `setoption Hash` and after `ucinewgame`, and
    depth and milliseconds of the two searches.
    """

    hash_ready: float
    game_ready: float
    first_depth: int
    first_time: float
    second_depth: int
    second_time: float


def search(engine: PipedEngine, movetime: int) -> tuple[int, float]:
    """Depth of the last `info`, and milliseconds to the `bestmove`."""
    began = time.perf_counter()
    engine.send(f"go movetime {movetime}")
    depth = 0
    for line in engine.lines_until("bestmove"):
        words = line.split()
        if words[:2] == ["info", "depth"] and "pv" in words:
            depth = int(words[2])
    return depth, (time.perf_counter() - began) * 1e3


def attempt(command: list[str], megabytes: int, movetime: int) -> Try:
    """One try."""
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
    """Measure; `command` starts an engine (default: Zobra)."""
    words = shlex.split(command) if command else list(ZOBRA)
    columns = ("Hash", "ready, ms", "new game, ms", "depth", "again", "time, ms", "in order")
    table = Table(*columns, title=f"worst of {tries} tries each, movetime {movetime}")
    for megabytes in hash:
        found = [attempt(words, megabytes, movetime) for _ in range(tries)]
        worst = max(found, key=lambda each: each.second_depth - each.first_depth)
        latest = max(max(each.first_time, each.second_time) for each in found)
        in_order = [
            each.second_depth - each.first_depth <= DEPTH_LOSS
            and max(each.first_time, each.second_time) <= movetime + TIME_MARGIN
            for each in found
        ]
        table.add_row(
            str(megabytes),
            f"{max(each.hash_ready for each in found):.0f}",
            f"{max(each.game_ready for each in found):.0f}",
            str(worst.first_depth),
            str(worst.second_depth),
            f"{latest:.0f}",
            f"{sum(in_order)} of {tries}",
        )
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
