"""Perft speed of Zobra and another engine, which take turns on each position.

    python benchmarks/perft.py

Both engines count the last ply in bulk. The output has the median speeds in millions of leaves per
second, and the median of the ratios of consecutive runs. A first run of each engine, which is not
counted, warms up. Different counts end the script.
"""

import statistics
import sys
import time
from pathlib import Path

import typer

# A script's path lacks the root of the repository
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.latency import PipedEngine, find_engine
from zobra.engine.fen import START, parse_fen
from zobra.engine.perft import count_leaves

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
POSITIONS = {"start": (START, 6), "Kiwipete": (KIWIPETE, 5)}  # FEN, depth
WARM_UP_DEPTH = 5
SUMMARY = "Nodes searched: "


def own_count(fen: str, depth: int) -> tuple[int, float]:
    """Return the number of leaves, and the seconds."""
    position = parse_fen(fen)
    begin = time.perf_counter()
    leaves = count_leaves(position, depth)
    return leaves, time.perf_counter() - begin


def their_count(engine: PipedEngine, fen: str, depth: int) -> tuple[int, float]:
    """Return the number of leaves of an engine that has Stockfish's `go perft`, and the seconds."""
    engine.send(f"position fen {fen}")
    engine.ask("isready", "readyok")
    begin = time.perf_counter()
    line = engine.ask(f"go perft {depth}", SUMMARY)
    return int(line.removeprefix(SUMMARY)), time.perf_counter() - begin


def compare(other: PipedEngine, name: str, rounds: int) -> None:
    """Print the median speeds of both engines on one position, and how they compare.

    Raise SystemExit if the engines count differently.
    """
    fen, depth = POSITIONS[name]
    ours = []
    theirs = []
    for _ in range(rounds):
        leaves, seconds = own_count(fen, depth)
        ours.append(seconds)
        their_leaves, seconds = their_count(other, fen, depth)
        theirs.append(seconds)
        if leaves != their_leaves:
            raise SystemExit(f"{name}, depth {depth}: {leaves} leaves here, {their_leaves} there")
    speed = leaves / statistics.median(ours) / 1e6
    their_speed = leaves / statistics.median(theirs) / 1e6
    ratio = statistics.median(their / our for our, their in zip(ours, theirs, strict=True))
    print(f"{name:9} {depth:5} {leaves:13,} {speed:7.0f} {their_speed:7.0f} {ratio:6.2f}")


def main(engine: str = "stockfish", rounds: int = 7) -> None:
    """Measure; `engine` is the name or path of the engine to compare with."""
    path = find_engine(engine)
    print(f"M nodes/s in perft, medians of {rounds} runs; the other engine is {path}")
    print(f"{'position':9} {'depth':>5} {'leaves':>13} {'Zobra':>7} {'other':>7} {'ratio':>6}")
    other = PipedEngine([path])
    try:
        own_count(START, WARM_UP_DEPTH)
        their_count(other, START, WARM_UP_DEPTH)
        for name in POSITIONS:
            compare(other, name, rounds)
    finally:
        other.quit()


if __name__ == "__main__":
    typer.run(main)
