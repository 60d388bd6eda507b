"""Reaction time: from `go` to the first `info`, and from `stop` to `bestmove`.

    python benchmarks/latency.py [--searches 500] [--threads 1] [--other stockfish]

Zobra and another UCI engine search alternately, first on the machine as it is, then with one busy
process for each core but one. Each search is infinite. Its position comes from a random game, and
it begins and ends after random pauses. The output is in milliseconds.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import chess
import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.model.engines import words

ZOBRA = (sys.executable, "-m", "zobra.uci")
BUSY = (sys.executable, "-c", "while True: pass")
LONGEST_PAUSE = 0.05  # seconds
LONGEST_GAME = 80  # plies
DEBIAN_GAMES = "/usr/games"  # where Debian puts engines; it is not always on a user's PATH
PERCENTILES = {"median": 50, "95 %": 95, "99 %": 99}


def find_engine(wanted: str) -> str:
    """Return the path of an engine by name or path. Raise typer.BadParameter if there is none."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), DEBIAN_GAMES))
    found = shutil.which(wanted, path=places)
    if found is None:
        raise typer.BadParameter(f"no engine {wanted!r} on PATH or in {DEBIAN_GAMES}")
    return found


class PipedEngine:
    """A UCI engine on pipes."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process_id = self._process.pid

    def send(self, line: str) -> None:
        """Send a line."""
        assert self._process.stdin
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def wait_for(self, answer: str) -> str:
        """Return the next line that begins with `answer`; `info string` lines do not count."""
        return list(self.lines_until(answer))[-1]

    def lines_until(self, answer: str) -> Iterator[str]:
        """Yield the lines up to the one that begins with `answer`, without `info string` lines."""
        assert self._process.stdout
        for line in self._process.stdout:
            text = line.decode()
            if text.startswith("info string"):
                continue
            yield text
            if text.startswith(answer):
                return
        raise SystemExit(f"the engine ended before {answer}")

    def ask(self, line: str, answer: str) -> str:
        """Send a line, and return its answer."""
        self.send(line)
        return self.wait_for(answer)

    def measure(self, line: str, answer: str) -> float:
        """Return the milliseconds from sending a line to its answer."""
        began = time.perf_counter()
        self.ask(line, answer)
        return (time.perf_counter() - began) * 1e3

    def quit(self) -> float:
        """Return the milliseconds from `quit` to the end of the process."""
        began = time.perf_counter()
        self.send("quit")
        self._process.wait()
        return (time.perf_counter() - began) * 1e3


def random_position(source: random.Random) -> str:
    """Return the FEN of a position in a random game, in which the game is not over."""
    board = chess.Board()
    for _ in range(source.randrange(LONGEST_GAME)):
        move = source.choice(list(board.legal_moves))
        board.push(move)
        if board.is_game_over():
            board.pop()
            break
    return board.fen()


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Run `count` processes that only compute, while this context manager is open."""
    processes = [subprocess.Popen(BUSY) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def react(engine: PipedEngine, fen: str, source: random.Random) -> tuple[float, float]:
    """Return the milliseconds from `go` to the first `info`, and from `stop` to `bestmove`."""
    engine.send(f"position fen {fen}")
    engine.ask("isready", "readyok")
    time.sleep(source.random() * LONGEST_PAUSE)
    began = engine.measure("go infinite", "info")
    time.sleep(source.random() * LONGEST_PAUSE)
    return began, engine.measure("stop", "bestmove")


def main(searches: int = 500, threads: int = 1, other: str = "stockfish", seed: int = 1) -> None:
    """Measure; `other` is the command of the other engine, or empty for none."""
    commands = {"this Zobra": list(ZOBRA)}
    if other:
        name, *arguments = words(other)
        commands[name] = [find_engine(name), *arguments]
    engines = {name: PipedEngine(command) for name, command in commands.items()}
    for engine in engines.values():
        engine.ask("uci", "uciok")
        engine.send(f"setoption name Threads value {threads}")
        engine.ask("isready", "readyok")

    source = random.Random(seed)
    busy = max(1, (os.cpu_count() or 1) - 1)
    title = f"{searches} searches each, {threads} thread(s)"
    table = Table("", "load", "engine", *PERCENTILES, title=title)
    for load in (0, busy):
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
        with busy_processes(load):
            for _ in range(searches):
                fen = random_position(source)
                for name, engine in engines.items():
                    times[name].append(react(engine, fen, source))
        for column, measurement in enumerate(("go to info", "stop to bestmove")):
            for name, found in times.items():
                values = np.percentile(np.array(found)[:, column], list(PERCENTILES.values()))
                cells = [f"{value:.2f}" for value in values]
                table.add_row(measurement, f"{load} busy" if load else "idle", name, *cells)
    Console().print(table)
    for engine in engines.values():
        engine.quit()


if __name__ == "__main__":
    typer.run(main)
