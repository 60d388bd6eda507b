"""`zobra bench`: a search of fixed positions.

Its node count is the signature of the engine: it changes only with the search. The positions are
from games of Zobra against itself, from all phases.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from zobra.engine.fen import parse_fen
from zobra.engine.perft import divide
from zobra.engine.position import Game
from zobra.search.bench_conditions import DEFAULT_FILE, Conditions
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

POSITIONS = tuple(
    (Path(__file__).parent / "data" / "bench.fen").read_text(encoding="utf-8").splitlines()
)


def run(
    searcher: Searcher, conditions: Conditions, is_stopped: Callable[[], bool] = lambda: False
) -> Iterator[str]:
    """Search every position with an empty table, or count its leaves.

    Yield a line for each, then `N nodes M nps`. Raise ValueError for a file that cannot be read,
    and PerftStopped.
    """
    positions = read_positions(conditions.file)
    total = 0
    seconds = 0.0
    for number, fen in enumerate(positions, 1):
        game = Game(parse_fen(fen))
        searcher.clear()
        begin = time.perf_counter()
        if conditions.kind == "perft":
            counts = divide(game.position, conditions.limit, is_stopped)
            nodes = sum(leaves for _, leaves in counts)
        else:
            result = searcher.search(game, _limits(conditions))
            nodes = searcher.nodes if result.best else 0  # none if the game is over
        seconds += time.perf_counter() - begin
        total += nodes
        yield f"{number}/{len(positions)} {nodes} nodes: {fen}"
    yield f"{total} nodes {int(total / seconds)} nps"


def _limits(conditions: Conditions) -> Limits:
    """Return the limits of each search."""
    if conditions.kind == "nodes":
        return Limits(nodes=conditions.limit)
    if conditions.kind == "movetime":
        return Limits(movetime=conditions.limit)
    return Limits(depth=conditions.limit)


def read_positions(file: str) -> tuple[str, ...]:
    """Return the FENs in a FEN or EPD file, or the default ones for DEFAULT_FILE.

    Blank lines and comments (#) are skipped. Raise ValueError if the file cannot be read.
    """
    if file == DEFAULT_FILE:
        return POSITIONS
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not UTF-8 text") from None

    positions = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fen = _fen_of(line)
        try:
            parse_fen(fen)
        except ValueError as error:
            raise ValueError(f"{file}:{number}: {error}") from None
        positions.append(fen)
    if not positions:
        raise ValueError(f"{file}: this file has no positions")
    return tuple(positions)


def _fen_of(line: str) -> str:
    """Return the FEN at the start of a line: four fields, and two counters if they are there."""
    fields = line.replace(";", " ").split()
    end = 4
    while end < min(len(fields), 6) and fields[end].isdigit():
        end += 1
    return " ".join(fields[:end])
