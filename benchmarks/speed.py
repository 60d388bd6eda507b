"""Nodes per second of the search of Zobra and another engine, alternately on each position.

    python benchmarks/speed.py

Both engines search the same number of nodes from an empty table with one thread. Only the search is
timed: the call of Zobra's `search`, and the other engine from `go` to `bestmove`. A first search of
each engine, which is not counted, warms up. The medians and their ratio are little affected by
other load on the machine, because both engines suffer from it. The fastest run shows the speed on
an idle processor.
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
HEADS = "position         Zobra  CPU time  fastest     other  fastest     ratio  fastest"


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


def speed_of(engine: PipedEngine, fen: str, nodes: int) -> float:
    """Return the nodes per second of another engine, by its count and the time measured here."""
    engine.send("ucinewgame")
    engine.send(f"position fen {fen}")
    engine.ask("isready", "readyok")
    searched = 0
    begin = time.perf_counter()
    engine.send(f"go nodes {nodes}")
    for line in engine.lines_until("bestmove"):
        words = line.split()
        if "nodes" in words:
            searched = int(words[words.index("nodes") + 1])
    seconds = time.perf_counter() - begin
    if searched == 0:
        raise SystemExit("the other engine does not say how many nodes it has searched")
    return searched / seconds


def compare(searcher: Searcher, other: PipedEngine, name: str, rounds: int, nodes: int) -> None:
    """Print the speeds on one position."""
    fen = POSITIONS[name]
    walls = []
    processors = []
    theirs = []
    for _ in range(rounds):
        wall, processor = own_speed(searcher, fen, nodes)
        walls.append(wall)
        processors.append(processor)
        theirs.append(speed_of(other, fen, nodes))

    wall = statistics.median(walls) / 1e6
    processor = statistics.median(processors) / 1e6
    their = statistics.median(theirs) / 1e6
    fastest = max(walls) / 1e6
    their_fastest = max(theirs) / 1e6
    print(
        f"{name:14} {wall:7.2f} {processor:9.2f} {fastest:8.2f} {their:9.2f} {their_fastest:8.2f} "
        f"{wall / their:9.2f} {fastest / their_fastest:8.2f}"
    )


def main(engine: str = "stockfish", rounds: int = 5, nodes: int = 2_000_000) -> None:
    """Measure; `engine` is the name or path of the engine to compare with."""
    path = find_engine(engine)
    searcher = Searcher(MEGABYTES)
    other = PipedEngine([path])
    try:
        other.ask("uci", "uciok")
        other.send("setoption name Threads value 1")
        other.send(f"setoption name Hash value {MEGABYTES}")
        own_speed(searcher, START, nodes)
        speed_of(other, START, nodes)

        print(f"M nodes/s, medians of {rounds} searches of {nodes:,} nodes; the other is {path}")
        print(HEADS)
        for name in POSITIONS:
            compare(searcher, other, name, rounds, nodes)
    finally:
        other.quit()


if __name__ == "__main__":
    typer.run(main)
