"""Speed of the search against Stockfish in the same run, and what the table saves.

    python benchmarks/search.py

The engines take turns on each position; medians and their ratio are told, so that other load on the machine hits both alike.
"""

from __future__ import annotations

import shutil
import statistics
import time
from pathlib import Path

import chess
import chess.engine
import typer

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
USUAL_PLACE = "/usr/games/stockfish"


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


def compare_speed(stockfish: str, rounds: int, nodes: int) -> None:
    """Print nodes a second, position by position."""
    searcher = Searcher(MEGABYTES)
    with chess.engine.SimpleEngine.popen_uci(stockfish) as engine:
        engine.configure({"Threads": 1, "Hash": MEGABYTES})
        print(f"nodes a second, medians of {rounds}, against {engine.id.get('name', stockfish)}")
        for name, fen in POSITIONS.items():
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(own_speed(searcher, fen, nodes))
                theirs.append(speed_of(engine, fen, nodes // 4))
            mine, processor = (statistics.median(speeds) for speeds in zip(*ours, strict=True))
            other = statistics.median(theirs)
            print(
                f"{name:14} {mine / 1e6:5.2f} M ({processor / 1e6:.2f} M by processor time), "
                f"{other / 1e6:5.2f} M: {mine / other:4.1f} times"
            )


def nodes_to_depth(parameters: dict[str, int], fen: str, depth: int) -> int:
    """Nodes of a search to `depth` from an empty table."""
    searcher = Searcher(MEGABYTES, parameters=parameters)
    searcher.search(Game(parse_fen(fen)), Limits(depth=depth))
    return searcher.nodes


def compare_table(depth: int) -> None:
    """Print nodes to a depth with and without the table."""
    print(f"nodes to depth {depth}")
    for name, fen in POSITIONS.items():
        with_table, without = (nodes_to_depth({"use_table": use}, fen, depth) for use in (1, 0))
        print(f"{name:14} with the table {with_table:10,}, without {without:12,}: {without / with_table:.2f} times")


def main(stockfish: str = "", rounds: int = 5, nodes: int = 2_000_000, depth: int = 11) -> None:
    """Measure; `stockfish` is the path of the engine to compare with."""
    found = stockfish or shutil.which("stockfish") or USUAL_PLACE
    compare_table(depth)
    if Path(found).exists():
        compare_speed(found, rounds, nodes)
    else:
        print(f"no engine to compare with at {found}: name one with --stockfish")


if __name__ == "__main__":
    typer.run(main)
