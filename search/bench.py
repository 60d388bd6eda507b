"""`zobra bench`: a fixed amount of searching.

Its node count is the signature of the engine: it changes only with the search.

The positions come from games of Zobra against itself, of all phases.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from zobra.engine.fen import parse_fen
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

DEPTH = 10
MEGABYTES = 16
POSITIONS = tuple(
    (Path(__file__).parent / "data" / "bench.fen").read_text(encoding="utf-8").splitlines()
)


def run(searcher: Searcher, depth: int | None = None) -> Iterator[str]:
    """Search the bench positions to `depth`; yield the lines of `search_positions`."""
    limits = Limits(depth=DEPTH if depth is None else max(1, depth))
    return search_positions(searcher, POSITIONS, limits)


def search_positions(searcher: Searcher, positions: Sequence[str], limits: Limits) -> Iterator[str]:
    """Search every position (a FEN) within limits, with an empty table.

    Yield a line for each, then `N nodes M nps`.
    """
    total = 0
    seconds = 0.0
    for number, fen in enumerate(positions, 1):
        searcher.clear()
        begin = time.perf_counter()
        searcher.search(Game(parse_fen(fen)), limits)
        seconds += time.perf_counter() - begin
        total += searcher.nodes
        yield f"{number}/{len(positions)} {searcher.nodes} nodes: {fen}"
    yield f"{total} nodes {int(total / seconds)} nps"
