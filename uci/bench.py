"""`zobra bench`: a fixed amount of searching. Its node count is the signature of the engine: a change that must not change the
search leaves it as it is.

The positions come from games of Zobra against itself, of all phases.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

DEPTH = 10
MEGABYTES = 16

# fmt: off
POSITIONS = (
    "r1bqkbnr/Bpppppp1/8/n2P4/7p/7P/PPP1PPP1/RN1QKBNR w KQk - 1 7",
    "r1bqkb1r/1pp3pp/3p3n/p2Qp2P/8/3B2P1/PPPP1P2/R1B1K1NR b KQkq - 0 10",
    "r2qkb1r/1b2pppn/1p5p/pNp5/PnPp4/5PP1/1P1QN1BP/R1B1K2R w KQkq - 0 13",
    "1r1q1b1r/1p2n1kp/2ppBpp1/p2Ppn2/P1P1R2P/8/1P1NNP2/R1BQK3 w Q - 0 16",
    "r2qkb1r/1b1p3p/4p1p1/2pNPnB1/3n2RN/P2P4/2P4P/R2QK3 b Qkq - 6 20",
    "6kr/r2p3N/p2b2q1/1pp2p1B/2P2P2/P2P4/1P3K1P/3R3b w - - 0 25",
    "2r1k3/3b1rp1/3qpnQp/p7/3P3P/1B3RP1/3KN3/1R6 w - - 2 31",
    "8/8/5k2/3r4/4p3/4P1P1/3bK3/3R4 w - - 0 38",
    "8/r1B1pkbp/6p1/8/5PPK/8/7P/2R5 b - - 4 47",
    "8/r7/8/P1p5/8/5k2/1PK2p2/2R5 b - - 7 57",
    "rn1qk1nr/pbpppp1p/1p5b/8/4PpP1/2N2N2/PPPP3P/R1BQKB1R b Kkq e3 0 7",
    "1rbqk2r/p1p1pp1p/1p2pn1b/8/3P3P/4P3/PPP1BPP1/RNBQK2R w KQk - 0 10",
    "r1bq1r1k/1p1n1p2/p1p1pnpb/4N2p/P2PpP2/2N2BP1/1PP4P/R1BQ1RK1 w - - 0 13",
    "2r2r1k/1p1nbp1p/1qp1p1p1/p2pP2n/3P1P2/P1N1BNPB/1PP1Q2P/1R2KR2 w - - 1 16",
    "1n6/2ppqk2/2rb2p1/p6r/Pp1PpP2/2P1B1P1/1P2Q2P/R3K2R b KQ - 0 20",
    "6k1/2r4p/2n1p1p1/p7/b2P4/3B2P1/1P2N2P/2R3K1 w - - 0 25",
    "4r2k/1p5p/p1p1b3/P3np1q/1P2B3/2P1N1P1/3Q3P/2R3K1 w - - 0 31",
    "8/1p2k3/4p3/1P1r1p1P/7r/R2P1K2/1R1P4/8 b - - 2 38",
    "8/5p1p/6p1/4k3/PP6/2K5/8/8 w - - 0 47",
    "8/B7/4k1B1/4p2p/6n1/5KP1/8/8 b - - 3 57",
    "r2qkb1r/pppbppp1/2n2n2/3p3p/P1PP4/4PP1P/1P6/RNBQKBNR b KQkq - 0 7",
    "r1bqkbnr/1p5p/p1n2pp1/3pp3/1P3P2/3N2K1/2PPP1PP/R1BQ1BNR b kq - 0 10",
    "r1bqk2r/p1pp4/1bn1p1p1/2P2p1p/Pp3Q1n/1N1PP3/1P2NPPP/R1B1KB1R b KQkq - 1 13",
    "2r1kr2/1ppqppb1/2n4p/p2B2p1/3P4/PP2P1Pb/1BPQNP2/3RK2R b K - 0 16",
    "r1b2rk1/1p2np1p/p3p2b/4P3/5Pq1/1P1Q2P1/P2NN2P/R3KR2 w Q - 3 20",
    "r7/4kr2/3bp1p1/2p4p/p4P2/P1B3P1/RP3R1P/4K3 w - - 0 25",
    "3r1r2/1p3k2/1bn3p1/p1p2pPp/P6N/2R1P1PP/1P4R1/7K b - - 1 31",
    "8/8/1p4p1/p6p/P2B1PkP/1P4P1/2r5/4K3 b - - 2 38",
    "8/1p2r2p/6p1/2PpPkP1/3P4/6R1/7P/5K2 b - - 0 47",
    "8/6R1/4p1b1/5kP1/8/1K6/8/8 w - - 7 57",
    "r1bqkb1r/pp1nppp1/5n1p/3p2Q1/Pp5P/4P3/2PP1PP1/RNB1KBNR w KQkq - 0 7",
    "rnbqk2r/1pp1n1bp/8/p2p1pPR/P7/4PN2/1PP1K1P1/RNBQ1B2 w kq - 0 10",
    "r2qkbr1/3bpp1p/2np1n2/p7/P1N3p1/3Q1N2/1P2PPPP/R1B1KB1R w KQq - 0 13",
    "1r2k1nr/1ppq1p2/2n2bp1/p3p2p/P1PP1N2/1P2BPP1/7P/2RQKB1R w Kk - 0 16",
    "r2r4/4kppp/pp2p3/2pq2P1/P1nP1P2/2P4P/4N3/1RBQ1KN1 w - - 1 20",
    "4r3/2p2k2/1pn5/p2p4/P2pp1nP/1NP3P1/1P2KP2/3RR3 w - - 0 25",
    "8/4bk1p/2q2np1/pNp5/Pr3P2/4P1P1/2Q3NP/2R3K1 w - - 7 31",
    "R7/1R2p3/6p1/p3r1k1/P4p1p/5P2/1P2rPKP/8 w - - 0 38",
    "8/5k2/1B4n1/2p1p3/P3P3/3R2P1/r6P/7K b - - 0 47",
    "7B/2k1pr1p/4R1pR/5pP1/3P1Pb1/8/3KP3/6r1 w - - 2 57",
)
# fmt: on


def run(searcher: Searcher, depth: int | None = None) -> Iterator[str]:
    """Search every position to `depth` with an empty table; one line for each, and at last `N nodes M nps`."""
    total, seconds = 0, 0.0
    for number, fen in enumerate(POSITIONS, 1):
        searcher.clear()
        begin = time.perf_counter()
        searcher.search(Game(parse_fen(fen)), Limits(depth=DEPTH if depth is None else max(1, depth)))
        seconds += time.perf_counter() - begin
        total += searcher.nodes
        yield f"{number}/{len(POSITIONS)} {searcher.nodes} nodes: {fen}"
    yield f"{total} nodes {int(total / seconds)} nps"
