"""Searches of well-known positions."""

from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits, Report, Result
from zobra.search.searcher import Searcher

MATES = [  # positions, and the moves to mate
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
    ("6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1", 1),
    ("k7/2P5/1K6/8/8/8/8/8 w - - 0 1", 1),
    ("7k/5K2/8/6Q1/8/8/8/8 b - - 0 1", 2),
    ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 3),
    ("2k5/8/3K4/8/8/8/8/R7 w - - 0 1", 3),
    ("r5k1/5ppp/8/8/8/8/1Q3PPP/1R4K1 w - - 0 1", 3),
    ("8/8/8/8/8/2k5/8/K6r w - - 0 1", 4),
    ("7k/7p/5K2/8/8/8/8/6R1 w - - 0 1", 5),
    ("k7/7R/2K5/8/8/8/8/8 b - - 0 1", 6),
    ("5r1k/6pp/8/6N1/2Q5/8/6PP/6K1 w - - 0 1", 7),
]
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
MIDDLEGAME = "r2q1rk1/ppp2ppp/2npbn2/4p3/4P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 0 9"
TIMEOUT = 5.0  # seconds within which anything that must end has ended


def think(searcher: Searcher, fen: str, limits: Limits) -> tuple[Result, list[Report]]:
    reports: list[Report] = []
    return searcher.search(Game(parse_fen(fen)), limits, reports.append), reports


def without_time(reports: list[Report]) -> list[tuple]:
    """Return all of the reports that the same search gives again."""
    return [
        (r.depth, r.selective_depth, r.score, r.bound, r.nodes, r.hashfull, r.pv) for r in reports
    ]
