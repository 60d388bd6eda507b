"""Perft speed of Zobra and another engine, which take turns on each position.

    python benchmarks/perft.py

Both engines count the last ply in bulk. The output has the median speeds, and the median of the
ratios of consecutive runs. Different counts end the script.
"""

import statistics
import subprocess
import time

import typer
from latency import find_engine

from zobra.engine.fen import START, parse_fen
from zobra.engine.perft import count_leaves

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITIONS = {"start": (START, 6), "Kiwipete": (KIWIPETE, 5)}  # FEN, depth
SUMMARY = "Nodes searched: "


class PerftEngine:
    """Another engine that understands Stockfish's `go perft`."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def count_leaves(self, fen: str, depth: int) -> tuple[int, float]:
        """Return the number of leaves, and the seconds measured here."""
        self._ask(f"position fen {fen}\nisready", "readyok")
        begin = time.perf_counter()
        line = self._ask(f"go perft {depth}", SUMMARY)
        return int(line.removeprefix(SUMMARY)), time.perf_counter() - begin

    def quit(self) -> None:
        """End the process."""
        self._process.communicate("quit\n")

    def _ask(self, text: str, beginning: str) -> str:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(text + "\n")
        for line in self._process.stdout:
            if line.startswith(beginning):
                return line
        raise SystemExit("the other engine ended before it answered: does it know `go perft`?")


def compare(other: PerftEngine, name: str, rounds: int) -> None:
    """Print the median speeds of both engines on one position, and how they compare.

    Raise SystemExit if the engines count differently.
    """
    fen, depth = POSITIONS[name]
    position = parse_fen(fen)
    ours = []
    theirs = []
    for _ in range(rounds):
        begin = time.perf_counter()
        leaves = count_leaves(position, depth)
        ours.append(time.perf_counter() - begin)
        their_leaves, seconds = other.count_leaves(fen, depth)
        theirs.append(seconds)
        if leaves != their_leaves:
            raise SystemExit(f"{name}, depth {depth}: {leaves} leaves here, {their_leaves} there")
    speed = leaves / statistics.median(ours) / 1e6
    their_speed = leaves / statistics.median(theirs) / 1e6
    ratio = statistics.median(their / our for our, their in zip(ours, theirs, strict=True))
    print(
        f"{name:9} depth {depth}, {leaves:,} leaves: {speed:.0f} M a second, "
        f"{their_speed:.0f} M: {ratio:.2f} times"
    )


def main(engine: str = "stockfish", rounds: int = 7) -> None:
    """Measure; `engine` is the name or path of the engine to compare with."""
    path = find_engine(engine)
    print(f"perft, medians of {rounds} runs, alternating with {path}")
    other = PerftEngine(path)
    try:
        for name in POSITIONS:
            compare(other, name, rounds)
    finally:
        other.quit()


if __name__ == "__main__":
    typer.run(main)
