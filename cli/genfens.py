"""`zobra genfens N seed S book BOOK`: random balanced openings, as OpenBench asks an engine for
them before it plays games.

Each line is `info string genfens FEN`. The same seed and book give the same openings.
"""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from zobra.engine.position import Game
    from zobra.search.engine import Engine

PLIES, BOOK_PLIES = (
    8,
    4,
)  # random moves from the start position, and from one of a book; half of the time one more
MARGIN = 100  # centipawns: the most by which one side stands better, by a search of NODES positions
NODES = 100
TRIES = 1_000  # without an opening, then the book has none


def genfens(
    count: Annotated[int, typer.Argument(metavar="N", min=1, help="How many.")],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="seed S book BOOK", help="BOOK: a file or None.")
    ] = None,
) -> None:
    """Print random balanced openings, as OpenBench wants them."""
    given = {"seed": "0", "book": "None"} | dict(
        zip((words or [])[::2], (words or [])[1::2], strict=False)
    )
    if not given["seed"].isdigit():
        raise typer.BadParameter(f"seed is a whole number, not {given['seed']!r}")
    try:
        for fen in openings(count, int(given["seed"]), given["book"]):
            typer.echo(f"info string genfens {fen}")
    except (FileNotFoundError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def openings(count: int, seed: int, book: str) -> Iterator[str]:
    """So many different openings; OSError or ValueError if the book cannot be used."""
    from zobra.engine.fen import START, parse_fen, write_fen
    from zobra.engine.position import Game
    from zobra.search.engine import Engine

    starts, plies = [START], PLIES
    if book.lower() != "none":  # a file with a FEN or an EPD record a line
        records = [line.split() for line in Path(book).read_text(encoding="utf-8").splitlines()]
        starts = [
            " ".join(words[: 6 if words[4:5] and words[4].isdigit() else 4])
            for words in records
            if words
        ]
        plies = BOOK_PLIES
        if not starts:
            raise ValueError(f"{book}: there is no position in it")
    engine = Engine()
    engine.load().wait()
    engine.set_option("Hash", 1)
    source = random.Random(seed)
    read = cache(parse_fen)
    known = set[int]()
    tries = 0
    while len(known) < count:
        tries += 1
        if tries > TRIES:
            raise ValueError(f"{book}: no balanced opening in {TRIES} tries")
        position = read(source.choice(starts))
        for _ in range(plies + source.randrange(2)):
            if moves := position.legal_moves():
                position = position.after(source.choice(moves))
        score = _score(engine, Game(position))
        if score is not None and abs(score) <= MARGIN and position.key not in known:
            known.add(position.key)
            tries = 0
            yield write_fen(position)


def _score(engine: "Engine", game: "Game") -> int | None:
    """Return the score of a short search, None if the game is over."""
    from zobra.search.limits import Limits
    from zobra.search.listener import Collector

    collector = Collector()
    engine.new_game()  # so that the score is that of any such search of this position
    engine.set_game(game)
    engine.go(Limits(nodes=NODES), collector).wait()
    return collector.lines[1].score if collector.lines else None
