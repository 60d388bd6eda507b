"""Speed of the search against Stockfish in the same run, and what the table saves.

    python benchmarks/search.py

The engines take turns on each position; medians and their ratio are told, so that other load on the machine hits both alike.
The fastest run tells what a processor does that has no other load.
"""

from __future__ import annotations

import statistics
import time

import chess
import chess.engine
import numpy as np
import typer
from opponent import find_engine

from zobra.engine.fen import START, parse_fen
from zobra.engine.game import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

POSITIONS = {
    "start": START,
    "closed centre": "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 10",
    "open files": "2rq1rk1/pb1n1ppp/1p2pn2/8/3P4/P1NB1N2/1P2QPPP/R1B2RK1 w - - 0 14",
    "king attack": "r1b2rk1/ppq1bppp/2n1pn2/3p2B1/3P3P/2PB1N2/PP3PP1/R2QK2R w KQ - 0 12",
}
MEGABYTES = 16
# what asks for a move from the table would change the tree for another reason than what the table saves
WITHOUT_TABLE_MOVES = {"internal_reduction_depth": 64, "singular_depth": 64}


def own_speed(searcher: Searcher, fen: str, nodes: int) -> tuple[float, float]:
    """Nodes a second of one search from an empty table: by the clock on the wall, and by processor time."""
    searcher.clear()
    begin, processor = time.perf_counter(), time.thread_time()
    searcher.search(Game(parse_fen(fen)), Limits(nodes=nodes))
    return searcher.nodes / (time.perf_counter() - begin), searcher.nodes / (time.thread_time() - processor)


def speed_of(engine: chess.engine.SimpleEngine, fen: str, nodes: int) -> float:
    """Nodes a second of another engine, by our clock and its count."""
    begin = time.perf_counter()
    with engine.analysis(chess.Board(fen), chess.engine.Limit(nodes=nodes), game=object()) as analysis:
        analysis.wait()
    return analysis.info["nodes"] / (time.perf_counter() - begin)


def compare_speed(path: str, rounds: int, nodes: int) -> None:
    """Print nodes a second, position by position."""
    searcher = Searcher(MEGABYTES)
    with chess.engine.SimpleEngine.popen_uci(path) as engine:
        engine.configure({"Threads": 1, "Hash": MEGABYTES})
        print(f"nodes a second, medians of {rounds}, against {engine.id.get('name', path)}")
        for name, fen in POSITIONS.items():
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(own_speed(searcher, fen, nodes))
                theirs.append(speed_of(engine, fen, nodes // 4))
            mine, processor = (statistics.median(speeds) for speeds in zip(*ours, strict=True))
            other = statistics.median(theirs)
            fastest, other_fastest = max(speed for speed, _ in ours), max(theirs)
            print(
                f"{name:14} {mine / 1e6:5.2f} M ({processor / 1e6:.2f} M by processor time), "
                f"{other / 1e6:5.2f} M: {mine / other:4.1f} times; "
                f"fastest {fastest / 1e6:5.2f} M, {other_fastest / 1e6:5.2f} M: {fastest / other_fastest:4.1f} times"
            )


def cost_of_depth(use_table: int, fen: str, depth: int) -> tuple[int, float]:
    """Nodes and processor seconds of a search to `depth` from an empty table."""
    searcher = Searcher(MEGABYTES, parameters=WITHOUT_TABLE_MOVES | {"use_table": use_table})
    searcher.search(Game(parse_fen(fen)), Limits(depth=4))  # so that nothing is done for the first time
    searcher.clear()
    begin = time.thread_time()
    searcher.search(Game(parse_fen(fen)), Limits(depth=depth))
    return searcher.nodes, time.thread_time() - begin


def compare_table(depth: int) -> None:
    """Print nodes and time to a depth with and without the table."""
    print(f"to depth {depth}: nodes and processor time")
    total = np.zeros((2, 2))
    for name, fen in POSITIONS.items():
        costs = np.array([cost_of_depth(use, fen, depth) for use in (1, 0)])
        total += costs
        print_costs(name, *costs)
    print_costs("together", *total)


def print_costs(name: str, with_table: np.ndarray, without: np.ndarray) -> None:
    """One line: nodes and seconds with the table, without it, and how many times as much that is."""
    told = [f"{nodes:11,.0f} in {seconds:6.2f} s" for nodes, seconds in (with_table, without)]
    ratios = without / with_table
    print(f"{name:14} with the table {told[0]}, without {told[1]}: {ratios[0]:.2f} times the nodes, {ratios[1]:.2f} the time")


def main(engine: str = "stockfish", rounds: int = 5, nodes: int = 2_000_000, depth: int = 12) -> None:
    """Measure; `engine` is the name or path of the one to compare with."""
    path = find_engine(engine)
    compare_table(depth)
    compare_speed(path, rounds, nodes)


if __name__ == "__main__":
    typer.run(main)
