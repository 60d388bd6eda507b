"""How fast the engine searches with one evaluation or the other."""

from __future__ import annotations

import time

from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

MEGABYTES = 16
FENS = (
    "r2qkb1r/1b1p3p/4p1p1/2pNPnB1/3n2RN/P2P4/2P4P/R2QK3 b Qkq - 6 20",
    "r1bq1r1k/1p1n1p2/p1p1pnpb/4N2p/P2PpP2/2N2BP1/1PP4P/R1BQ1RK1 w - - 0 13",
    "4r2k/1p5p/p1p1b3/P3np1q/1P2B3/2P1N1P1/3Q3P/2R3K1 w - - 0 31",
    "8/1p2k3/4p3/1P1r1p1P/7r/R2P1K2/1R1P4/8 b - - 2 38",
)


def nodes_per_second(use_network: int, nodes: int) -> float:
    """Speed over positions of all phases, `nodes` for each, after a first search that is not counted."""
    searcher = Searcher(MEGABYTES, parameters={"use_network": use_network})
    searcher.search(Game(parse_fen(FENS[0])), Limits(nodes=nodes))
    total, began = 0, time.perf_counter()
    for fen in FENS:
        searcher.clear()
        searcher.search(Game(parse_fen(fen)), Limits(nodes=nodes))
        total += searcher.nodes
    return total / (time.perf_counter() - began)
