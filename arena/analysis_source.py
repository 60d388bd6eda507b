"""What is analysed: the games of a PGN, the positions of an EPD file, or one FEN; and how far an earlier run came."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import chess
import chess.pgn

from zobra.arena.epd import status_names, with_clocks_as_operations
from zobra.arena.files import STANDARD_INPUT, read_text

_PLACEMENT = re.compile(r"\s*([pnbrqkPNBRQK1-8]+/){7}[pnbrqkPNBRQK1-8]+\s+[wb]\s")
_COMPARED = ("White", "Black", "Event", "FEN")  # headers that a game keeps when it is analysed


@dataclass(frozen=True)
class AnalysisSource:
    """`count` games, or positions as games without moves. `games` reads them from the first one, with a ValueError for
    each that cannot be analysed."""

    count: int
    games: Callable[[], Iterator[chess.pgn.Game | ValueError]]
    positions: bool = False


def open_source(text: str) -> AnalysisSource:
    """A FEN, the path of a PGN or EPD file (also compressed), or "-" for standard input. Raises ValueError or OSError."""
    if _PLACEMENT.match(text + " "):
        return AnalysisSource(1, lambda: iter([_position(text, "FEN")]), positions=True)
    content, name = read_text(text), "standard input" if text == STANDARD_INPUT else text
    lines = [line for line in content.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and _PLACEMENT.match(lines[0] + " "):
        places = [f"{name}:{number}" for number in range(1, len(lines) + 1)]
        return AnalysisSource(len(lines), lambda: map(_position, lines, places), positions=True)
    number = sum(1 for _ in iter(partial(chess.pgn.skip_game, io.StringIO(content)), False))
    if not number or not re.search(r"^\s*(\[\w+\s+\"|1\.)", content, re.MULTILINE):
        raise ValueError(f"{name}: neither games in PGN nor positions in FEN or EPD")
    return AnalysisSource(number, partial(_games, content))


def _games(content: str) -> Iterator[chess.pgn.Game | ValueError]:
    for number, game in enumerate(iter(partial(chess.pgn.read_game, io.StringIO(content)), None), start=1):
        problem = game.errors[0] if game.errors else ""
        if type(game.board()) is not chess.Board:
            problem = f"its variant is {game.board().uci_variant}"
        yield ValueError(f"game {number} is left out: {problem}") if problem else game


def _position(line: str, where: str) -> chess.pgn.Game | ValueError:
    """A FEN or EPD as a game without moves; castling rights that only Chess960 knows make it a Chess960 position."""
    try:
        board, operations = chess.Board.from_epd(with_clocks_as_operations(line), chess960=True)
    except ValueError as error:
        return ValueError(f"{where}: {error}")
    board.chess960 = board.has_chess960_castling_rights()
    if not board.is_valid():
        return ValueError(f"{where}: impossible position ({status_names(board)})")
    game = chess.pgn.Game({"Event": str(operations.get("id") or where), "White": "?", "Black": "?", "Result": "*"})
    game.setup(board)
    return game


def analysed_games(output: Path, annotator: str, source: AnalysisSource) -> int:
    """How many games an earlier run left in its output. A game that it did not finish is cut off. Raises ValueError when the
    file holds something else, OSError."""
    if not output.exists():
        return 0
    content = output.read_text(encoding="utf-8")
    sources = (game for game in source.games() if isinstance(game, chess.pgn.Game))
    file, done, offset = io.StringIO(content), 0, 0
    while (game := chess.pgn.read_game(file)) is not None:
        is_last, original = not content[file.tell() :].strip(), next(sources, None)
        if is_last and done and not content.endswith("\n\n"):
            break
        is_same = original is not None and all(game.headers.get(name) == original.headers.get(name) for name in _COMPARED)
        if original is not None and original.next() is not None:  # a position gets moves by its analysis
            is_same = is_same and list(game.mainline_moves()) == list(original.mainline_moves())
        if not is_same or game.headers.get("Annotator") != annotator:
            found = game.headers.get("Annotator", "nobody")
            raise ValueError(f"{output} holds another analysis (by {found}): name another file with --output")
        done, offset = done + 1, file.tell()
    if offset < len(content):
        output.write_text(content[:offset], encoding="utf-8")
    return done
