"""What is analysed: the games of a PGN, the positions of an EPD file, or one FEN; and how far an earlier run came."""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from zobra.arena.compressed_text import STANDARD_INPUT, read_text
from zobra.arena.epd import status_names, with_clocks_as_operations

_PLACEMENT = re.compile(r"\s*([pnbrqkPNBRQK1-8]+/){7}[pnbrqkPNBRQK1-8]+\s+[wb]\s")


@dataclass(frozen=True)
class AnalysisSource:
    """`count` games, or positions as games without moves. `read` gives one by its index from 0, and raises ValueError."""

    count: int
    read: Callable[[int], chess.pgn.Game]
    positions: bool = False

    def games(self) -> Iterator[chess.pgn.Game]:
        """The games that can be read, in their order."""
        for index in range(self.count):
            try:
                yield self.read(index)
            except ValueError:
                continue  # the caller has named it when its turn came


def open_source(text: str) -> AnalysisSource:
    """A FEN, the path of a PGN or EPD file (also compressed), or "-" for standard input. Raises ValueError or OSError."""
    if _PLACEMENT.match(text + " "):
        return _positions([text], "FEN")
    content = read_text(text)
    name = "standard input" if text == STANDARD_INPUT else text
    lines = [line for line in content.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and _PLACEMENT.match(lines[0] + " "):
        return _positions(lines, name)
    offsets, file = [], io.StringIO(content)
    while True:
        offsets.append(file.tell())
        if not chess.pgn.skip_game(file):
            break
    if len(offsets) == 1 or not re.search(r"^\s*(\[\w+\s+\"|1\.)", content, re.MULTILINE):
        raise ValueError(f"{name}: neither games in PGN nor positions in FEN or EPD")
    return AnalysisSource(len(offsets) - 1, lambda index: _read_game(content, offsets[index], index))


def _read_game(content: str, offset: int, index: int) -> chess.pgn.Game:
    file = io.StringIO(content)
    file.seek(offset)
    game = chess.pgn.read_game(file)
    if game is None or game.errors:
        raise ValueError(f"game {index + 1} is left out: {game.errors[0] if game else 'not readable'}")
    if type(game.board()) is not chess.Board:
        raise ValueError(f"game {index + 1} is left out: its variant is {game.board().uci_variant}")
    return game


def _positions(lines: list[str], name: str) -> AnalysisSource:
    return AnalysisSource(len(lines), lambda index: _position(lines[index], f"{name}:{index + 1}"), positions=True)


def _position(line: str, where: str) -> chess.pgn.Game:
    """A FEN or EPD as a game without moves; castling rights that only Chess960 knows make it a Chess960 position."""
    try:
        board, operations = chess.Board.from_epd(with_clocks_as_operations(line), chess960=True)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    board.chess960 = board.has_chess960_castling_rights()
    if not board.is_valid():
        raise ValueError(f"{where}: impossible position ({status_names(board)})")
    game = chess.pgn.Game({"Event": str(operations.get("id") or where), "White": "?", "Black": "?", "Result": "*"})
    game.setup(board)
    return game


def analysed_games(output: Path, annotator: str, games: Iterable[chess.pgn.Game]) -> int:
    """How many games an earlier run left in its output. A game that it did not finish is cut off.

    Raises ValueError when the file holds something else, OSError.
    """
    if not output.exists():
        return 0
    content = output.read_text(encoding="utf-8")
    file, sources, count, offset = io.StringIO(content), iter(games), 0, 0
    while (game := chess.pgn.read_game(file)) is not None:
        is_last, source = not content[file.tell() :].strip(), next(sources, None)
        if is_last and count and not content.endswith("\n\n"):
            break
        if source is None or not _same_game(game, source) or game.headers.get("Annotator") != annotator:
            found = game.headers.get("Annotator", "nobody")
            raise ValueError(f"{output} holds another analysis (by {found}): name another file with --output")
        count, offset = count + 1, file.tell()
    if offset < len(content):
        output.write_text(content[:offset], encoding="utf-8")
    return count


def _same_game(game: chess.pgn.Game, source: chess.pgn.Game) -> bool:
    """Whether a game is the analysed form of another one; a position gets moves by its analysis."""
    names = ("White", "Black", "Event", "FEN")
    same = all(game.headers.get(name) == source.headers.get(name) for name in names)
    return same and (source.next() is None or list(game.mainline_moves()) == list(source.mainline_moves()))
