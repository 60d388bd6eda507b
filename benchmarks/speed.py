"""Nodes per second of the search of Zobra and another engine, alternately on each position.

    python benchmarks/speed.py

The medians and their ratio are little affected by other load on the machine, because both engines
suffer from it. The fastest run shows the speed on an idle processor.
"""

import statistics
import time

import chess
import chess.engine
import typer
from latency import find_engine

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
THEIR_SHARE = 4  # the other engine searches this part of the nodes, as it is slower


def own_speed(searcher: Searcher, fen: str, nodes: int) -> tuple[float, float]:
    """Return the nodes per second of one search from an empty table.

    There are two figures: by wall-clock time and by processor time.
    """
    searcher.clear()
    game = Game(parse_fen(fen))
    wall = time.perf_counter()
    processor = time.thread_time()
    searcher.search(game, Limits(nodes=nodes))
    wall = time.perf_counter() - wall
    processor = time.thread_time() - processor
    return searcher.nodes / wall, searcher.nodes / processor


def speed_of(engine: chess.engine.SimpleEngine, fen: str, nodes: int) -> float:
    """Return the nodes per second of another engine, by its count and the time measured here."""
    board = chess.Board(fen)
    limit = chess.engine.Limit(nodes=nodes)
    begin = time.perf_counter()
    with engine.analysis(board, limit, game=object()) as analysis:
        analysis.wait()
    return analysis.info["nodes"] / (time.perf_counter() - begin)


def compare(
    searcher: Searcher, other: chess.engine.SimpleEngine, name: str, rounds: int, nodes: int
) -> None:
    """Print the speeds on one position."""
    fen = POSITIONS[name]
    walls = []
    processors = []
    theirs = []
    for _ in range(rounds):
        wall, processor = own_speed(searcher, fen, nodes)
        walls.append(wall)
        processors.append(processor)
        theirs.append(speed_of(other, fen, nodes // THEIR_SHARE))

    wall = statistics.median(walls) / 1e6
    processor = statistics.median(processors) / 1e6
    their = statistics.median(theirs) / 1e6
    fastest = max(walls) / 1e6
    their_fastest = max(theirs) / 1e6
    print(
        f"{name:14} {wall:5.2f} M ({processor:.2f} M by processor time), {their:5.2f} M: "
        f"{wall / their:4.1f} times; fastest {fastest:5.2f} M, {their_fastest:5.2f} M: "
        f"{fastest / their_fastest:4.1f} times"
    )


def main(engine: str = "stockfish", rounds: int = 5, nodes: int = 2_000_000) -> None:
    """Measure; `engine` is the name or path of the engine to compare with."""
    path = find_engine(engine)
    searcher = Searcher(MEGABYTES)
    with chess.engine.SimpleEngine.popen_uci(path) as other:
        other.configure({"Threads": 1, "Hash": MEGABYTES})
        print(f"nodes per second, medians of {rounds}, against {other.id.get('name', path)}")
        for name in POSITIONS:
            compare(searcher, other, name, rounds, nodes)


if __name__ == "__main__":
    typer.run(main)
