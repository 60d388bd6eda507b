"""Speed of perft against Stockfish in the same run.

    python benchmarks/perft.py

Both count in bulk. The engines take turns, so that other load on the machine hits both alike; medians are told, and the median
of the ratios of neighbouring runs. The counts must agree.
"""

from __future__ import annotations

import statistics
import subprocess
import time

import typer
from opponent import find_engine
from perft_positions import POSITIONS

from zobra.engine.fen import parse_fen
from zobra.engine.perft import count_leaves

SUMMARY = "Nodes searched: "


class Opponent:
    """Another engine that understands Stockfish's `go perft`."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def count_leaves(self, fen: str, depth: int) -> tuple[int, float]:
        """Leaves, and seconds it took by our clock."""
        self._say(f"position fen {fen}")
        self._say("isready")
        self._read_until("readyok")
        begin = time.perf_counter()
        self._say(f"go perft {depth}")
        line = self._read_until(SUMMARY)
        return int(line.removeprefix(SUMMARY)), time.perf_counter() - begin

    def quit(self) -> None:
        """End it."""
        self._say("quit")
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")

    def _read_until(self, beginning: str) -> str:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(beginning):
                return line
        raise SystemExit("the other engine has ended before it answered: does it know `go perft`?")


def compare(opponent: Opponent, name: str, rounds: int) -> None:
    """Print the speeds on one position."""
    fen, depth = POSITIONS[name]
    position, ours, theirs = parse_fen(fen), [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        leaves = count_leaves(position, depth)
        ours.append(time.perf_counter() - begin)
        other, seconds = opponent.count_leaves(fen, depth)
        theirs.append(seconds)
        if leaves != other:
            raise SystemExit(f"{name}, depth {depth}: {leaves} leaves here, {other} there")
    speeds = [leaves / statistics.median(times) / 1e6 for times in (ours, theirs)]
    ratio = statistics.median(their / our for our, their in zip(ours, theirs, strict=True))
    print(f"{name:9} depth {depth}, {leaves:,} leaves: {speeds[0]:.0f} M a second, {speeds[1]:.0f} M: {ratio:.2f} times")


def main(engine: str = "stockfish", rounds: int = 7) -> None:
    """Measure; `engine` is the name or path of the one to compare with."""
    path = find_engine(engine)
    print(f"perft, medians of {rounds} runs in turn with {path}")
    opponent = Opponent(path)
    try:
        for name in POSITIONS:
            compare(opponent, name, rounds)
    finally:
        opponent.quit()


if __name__ == "__main__":
    typer.run(main)
