"""Games and positions to analyse: a PGN or EPD file, standard input, or one FEN."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import chess
import chess.pgn

from zobra.arena.formats.epd import read_epd
from zobra.arena.formats.files import STANDARD_INPUT, read_text

_PLACEMENT = re.compile(r"\s*([pnbrqkPNBRQK1-8]+/){7}[pnbrqkPNBRQK1-8]+\s+[wb]\s")


@dataclass(frozen=True)
class AnalysisSource:
    """Games, or positions as games without moves.

    `games` reads them, with a ValueError for each that cannot be analysed.
    """

    count: int
    games: Callable[[], Iterator[chess.pgn.Game | ValueError]]
    positions: bool = False


def open_source(text: str) -> AnalysisSource:
    """A FEN, the path of a PGN or EPD file (also compressed), or "-" for standard input.

    Raises ValueError or OSError.
    """
    if _PLACEMENT.match(text + " "):
        return AnalysisSource(1, lambda: iter([_position(text, "FEN")]), positions=True)
    content, name = read_text(text), "standard input" if text == STANDARD_INPUT else text
    lines = [
        line for line in content.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    if lines and _PLACEMENT.match(lines[0] + " "):
        places = [f"{name}:{number}" for number in range(1, len(lines) + 1)]
        return AnalysisSource(len(lines), lambda: map(_position, lines, places), positions=True)
    number = sum(1 for _ in iter(partial(chess.pgn.skip_game, io.StringIO(content)), False))
    if not number or not re.search(r"^\s*(\[\w+\s+\"|1\.)", content, re.MULTILINE):
        raise ValueError(f"{name}: neither games in PGN nor positions in FEN or EPD")
    return AnalysisSource(number, partial(_games, content))


def _games(content: str) -> Iterator[chess.pgn.Game | ValueError]:
    for number, game in enumerate(
        iter(partial(chess.pgn.read_game, io.StringIO(content)), None), start=1
    ):
        problem = game.errors[0] if game.errors else ""
        if type(game.board()) is not chess.Board:
            problem = f"its variant is {game.board().uci_variant}"
        yield ValueError(f"game {number} is left out: {problem}") if problem else game


def _position(line: str, where: str) -> chess.pgn.Game | ValueError:
    """A FEN or EPD as a game without moves."""
    try:
        board, operations = read_epd(line)
    except ValueError as error:
        return ValueError(f"{where}: {error}")
    game = chess.pgn.Game(
        {"Event": str(operations.get("id") or where), "White": "?", "Black": "?", "Result": "*"}
    )
    game.setup(board)
    return game
