"""Nodes a second of the search against another engine, in turns on each position.

    python benchmarks/speed.py

Prints medians and their ratio, so that other load on the machine affects both alike. The fastest
run shows what an otherwise idle processor does.
"""

from __future__ import annotations

import statistics
import time

import chess
import chess.engine
import typer
from perft import find_engine

from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

POSITIONS = {
    "start": START,
    "closed centre": "r2q1rk1/pp2bppp/2n1bn2/2pp4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 10",
    "open files": "2rq1rk1/pb1n1ppp/1p2pn2/8/3P4/P1NB1N2/1P2QPPP/R1B2RK1 w - - 0 14",
    "king attack": "r1b2rk1/ppq1bppp/2n1pn2/3p2B1/3P3P/2PB1N2/PP3PP1/R2QK2R w KQ - 0 12",
}
MEGABYTES = 16


def own_speed(searcher: Searcher, fen: str, nodes: int) -> tuple[float, float]:
    """Nodes a second of one search from an empty table: by the clock on the wall, and by processor
    time.
    """
    searcher.clear()
    begin, processor = time.perf_counter(), time.thread_time()
    searcher.search(Game(parse_fen(fen)), Limits(nodes=nodes))
    return searcher.nodes / (time.perf_counter() - begin), searcher.nodes / (
        time.thread_time() - processor
    )


def speed_of(engine: chess.engine.SimpleEngine, fen: str, nodes: int) -> float:
    """Nodes a second of another engine, by our clock and its count."""
    begin = time.perf_counter()
    with engine.analysis(
        chess.Board(fen), chess.engine.Limit(nodes=nodes), game=object()
    ) as analysis:
        analysis.wait()
    return analysis.info["nodes"] / (time.perf_counter() - begin)


def main(engine: str = "stockfish", rounds: int = 5, nodes: int = 2_000_000) -> None:
    """Measure; `engine` is the name or path of the engine to compare with."""
    path, searcher = find_engine(engine), Searcher(MEGABYTES)
    with chess.engine.SimpleEngine.popen_uci(path) as other:
        other.configure({"Threads": 1, "Hash": MEGABYTES})
        print(f"nodes a second, medians of {rounds}, against {other.id.get('name', path)}")
        for name, fen in POSITIONS.items():
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(own_speed(searcher, fen, nodes))
                theirs.append(speed_of(other, fen, nodes // 4))
            wall, processor = (statistics.median(speeds) for speeds in zip(*ours, strict=True))
            their = statistics.median(theirs)
            fastest, their_fastest = max(speed for speed, _ in ours), max(theirs)
            print(
                f"{name:14} {wall / 1e6:5.2f} M ({processor / 1e6:.2f} M by processor time), "
                f"{their / 1e6:5.2f} M: {wall / their:4.1f} times; "
                f"fastest {fastest / 1e6:5.2f} M, {their_fastest / 1e6:5.2f} M: "
                f"{fastest / their_fastest:4.1f} times"
            )


if __name__ == "__main__":
    typer.run(main)
