"""Games and positions to analyse: a PGN or EPD file, standard input, or one FEN."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import chess.pgn

from zobra.arena.formats.epd import read_epd, record_lines
from zobra.arena.formats.files import STANDARD_INPUT, read_pgn_text
from zobra.arena.formats.pgn import read_games, split_games
from zobra.arena.formats.text import printable

_PLACEMENT = re.compile(r"\s*([pnbrqkPNBRQK1-8]+/){7}[pnbrqkPNBRQK1-8]+\s+[wb]\s")
_BEGINNING = re.compile(r"^\s*(\[\s*\w+\s+\"|1\s*\.)", re.MULTILINE)


@dataclass(frozen=True)
class AnalysisSource:
    """Games to analyse, or positions as games without moves.

    `games` yields them; in place of one that cannot be analysed it yields a ValueError. The
    `errors` of a game name what was dropped from it, such as the moves from an illegal one on.
    """

    count: int
    games: Callable[[], Iterator[chess.pgn.Game | ValueError]]
    positions: bool = False


def open_source(text: str) -> AnalysisSource:
    """Open what a user named: a FEN, a file, a folder of PGN files, or "-" for standard input.

    A file has PGN or EPD, plain or compressed. Raise ValueError or OSError.
    """
    if _PLACEMENT.match(text + " "):
        return AnalysisSource(1, lambda: iter([_position(text, "FEN")]), positions=True)

    content = read_pgn_text(text)
    name = "standard input" if text == STANDARD_INPUT else printable(text)
    lines = record_lines(content)
    if lines and _PLACEMENT.match(lines[0][1] + " "):

        def positions() -> Iterator[chess.pgn.Game | ValueError]:
            for number, line in lines:
                yield _position(line, f"{name}:{number}")

        return AnalysisSource(len(lines), positions, positions=True)

    if not _BEGINNING.search(content):
        raise ValueError(f"{name}: neither games in PGN nor positions in FEN or EPD")
    games = partial(read_games, content, up_to_mistakes=True)
    return AnalysisSource(len(split_games(content)), games)


def _position(line: str, where: str) -> chess.pgn.Game | ValueError:
    """Return a FEN or EPD as a game without moves, or why that cannot be done."""
    try:
        record = read_epd(line)
    except ValueError as error:
        return ValueError(f"{where}: {error}")
    event = record.operations.get("id") or where
    game = chess.pgn.Game({"Event": event, "White": "?", "Black": "?", "Result": "*"})
    game.setup(record.board)
    game.errors.extend(ValueError(f"{where}: {notice}") for notice in record.notices)
    return game
