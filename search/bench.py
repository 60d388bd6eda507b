"""`zobra bench`: a fixed amount of searching.

Its node count is the signature of the engine: it changes only with the search.

The positions come from games of Zobra against itself, of all phases.
"""

import time
from collections.abc import Iterator
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
    """Search every position to `depth` with an empty table.

    One line for each, then `N nodes M nps`.
    """
    total, seconds = 0, 0.0
    for number, fen in enumerate(POSITIONS, 1):
        searcher.clear()
        begin = time.perf_counter()
        searcher.search(
            Game(parse_fen(fen)), Limits(depth=DEPTH if depth is None else max(1, depth))
        )
        seconds += time.perf_counter() - begin
        total += searcher.nodes
        yield f"{number}/{len(POSITIONS)} {searcher.nodes} nodes: {fen}"
    yield f"{total} nodes {int(total / seconds)} nps"
