"""`zobra genfens N seed S book BOOK`: random balanced openings.

OpenBench runs this command before it generates training games. Each line is `info string genfens
FEN`. The same seed and book give the same openings.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from zobra.engine.position import Game, Position
    from zobra.search.engine import Engine

# Random moves from the start position, or from a position of a book; half of the time one more
PLIES = 8
BOOK_PLIES = 4
MARGIN = 100  # internal units: the largest score of a balanced opening, by a search of NODES nodes
NODES = 100
TRIES = 1_000  # in a row without a balanced opening, then the book is given up


def genfens(
    count: Annotated[int, typer.Argument(metavar="N", min=1, help="Number of openings.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="seed S book BOOK", help="BOOK is a file or None.")
    ] = None,
    epd: Annotated[
        bool, typer.Option("--epd", help="Print a book: EPD lines without `info string genfens`.")
    ] = False,
) -> None:
    """Print random balanced openings.

    The lines are for OpenBench, or with --epd a book.

    Example: zobra genfens 100 seed 7 --epd
    """
    given = {"seed": "0", "book": "None"}
    for name, value in zip((words or [])[::2], (words or [])[1::2], strict=False):
        given[name] = value
    if not given["seed"].isdigit():
        raise typer.BadParameter(f"seed must be an integer, not {given['seed']!r}")
    from zobra.arena.commands.messages import end_with_error

    problems: list[str] = []
    try:
        for fen in openings(count, int(given["seed"]), given["book"], problems.append):
            if epd:
                typer.echo(" ".join(fen.split()[:4]))
            else:
                typer.echo(f"info string genfens {fen}")
    except BrokenPipeError:
        raise  # typer ends quietly if the reader of the output has gone
    except (OSError, ValueError) as error:
        end_with_error("genfens", error)
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(1)


def openings(
    count: int, seed: int, book: str, left_out: Callable[[str], None] = lambda problem: None
) -> Iterator[str]:
    """Yield `count` different openings as FENs.

    `left_out` is called with a message for each line of the book that cannot be read. Raise OSError
    or ValueError if the book cannot be used.
    """
    from zobra.arena.formats.epd import read_epd, record_lines
    from zobra.arena.formats.files import read_text
    from zobra.engine.fen import START, parse_fen, write_fen
    from zobra.engine.position import Game, Position
    from zobra.search.engine import Engine

    starts = [(0, START)]
    plies = PLIES
    if book.lower() != "none":
        starts = record_lines(read_text(book))
        plies = BOOK_PLIES
        if not starts:
            raise ValueError(f"{book}: this book has no positions")

    @cache
    def read(start: tuple[int, str]) -> Position | None:
        number, line = start
        try:
            return parse_fen(read_epd(line).board.fen())
        except ValueError as error:
            left_out(f"{book}:{number}: {error}")
            return None

    engine = Engine()
    engine.load().wait()
    engine.set_option("Hash", 1)
    source = random.Random(seed)
    tries = 0
    known: set[int] = set()
    while len(known) < count:
        tries += 1
        if tries > TRIES:
            raise ValueError(f"{book}: no balanced opening in {TRIES} tries")
        position = read(source.choice(starts))
        if position is None:
            continue
        position = _walk(position, plies + source.randrange(2), source)
        score = _score(engine, Game(position))
        if score is not None and abs(score) <= MARGIN and position.key not in known:
            known.add(position.key)
            tries = 0
            yield write_fen(position)


def _walk(position: "Position", plies: int, source: random.Random) -> "Position":
    """Return the position after a number of random moves."""
    for _ in range(plies):
        moves = position.legal_moves()
        if moves:
            position = position.after(source.choice(moves))
    return position


def _score(engine: "Engine", game: "Game") -> int | None:
    """Return the score of a short search, or None if the game is over."""
    from zobra.search.limits import Limits
    from zobra.search.listener import Collector

    collector = Collector()
    engine.new_game()  # the score must not depend on earlier searches
    engine.set_game(game)
    engine.go(Limits(nodes=NODES), collector).wait()
    return collector.lines[1].score if collector.lines else None
