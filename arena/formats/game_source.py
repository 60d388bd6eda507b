"""Games and positions to analyse: PGN or EPD files, standard input, or one FEN."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import chess.pgn

from zobra.arena.formats.epd import read_epd, record_lines
from zobra.arena.formats.files import read_texts
from zobra.arena.formats.pgn import read_games, split_games

_PLACEMENT = re.compile(r"\s*([pnbrqkPNBRQK1-8]+/){7}[pnbrqkPNBRQK1-8]+\s+[wb]\s")
# What is meant to be a FEN: a board of any size with a side, or one of eight ranks
_FEN = re.compile(
    r"\s*[0-9a-zA-Z]+(/[0-9a-zA-Z]+){3,}\s+[wb]\s"
    r"|\s*([pnbrqkPNBRQK1-9]+/){7}[pnbrqkPNBRQK1-9]+\s"
)
_BEGINNING = re.compile(r"^\s*(\[\s*\w+\s+\"|1\s*\.)", re.MULTILINE)


@dataclass(frozen=True)
class AnalysisSource:
    """Games to analyse, or positions as games without moves.

    `games` yields them; in place of one that cannot be analysed it yields a ValueError. The
    `errors` of a game name what was dropped from it, such as an illegal move and all moves after
    it.
    """

    count: int
    games: Callable[[], Iterator[chess.pgn.Game | ValueError]]
    positions: bool = False


def is_fen(words: Sequence[str]) -> bool:
    """Return whether the words of a command line are meant for a FEN, in quotes or not."""
    return _FEN.match(" ".join(words) + " ") is not None


def open_source(texts: Sequence[str]) -> AnalysisSource:
    """Open what a user named: a FEN, files, folders of PGN files, or "-" for standard input.

    Files have PGN or EPD, plain or compressed. A file of another kind among several is left out.
    Raise ValueError or OSError.
    """
    if is_fen(texts):
        fen = " ".join(texts)
        return AnalysisSource(1, lambda: iter([_position(fen, "FEN")]), positions=True)

    files = read_texts(texts)
    parts = []
    problems = []
    for name, content in files:
        try:
            parts.append(_file_source(name, content, is_one_of_several=len(files) > 1))
        except ValueError as error:
            problems.append(error)
    if not parts:
        raise problems[0]
    if len({part.positions for part in parts}) > 1:
        raise ValueError("games and positions are not analysed together: name files of one kind")

    def games() -> Iterator[chess.pgn.Game | ValueError]:
        yield from problems
        for part in parts:
            yield from part.games()

    count = len(problems) + sum(part.count for part in parts)
    return AnalysisSource(count, games, parts[0].positions)


def _file_source(name: str, content: str, is_one_of_several: bool) -> AnalysisSource:
    """Return the games or positions of a file. Raise ValueError if there are none."""
    lines = record_lines(content)
    if lines and _PLACEMENT.match(lines[0][1] + " "):

        def positions() -> Iterator[chess.pgn.Game | ValueError]:
            for number, line in lines:
                yield _position(line, f"{name}:{number}")

        return AnalysisSource(len(lines), positions, positions=True)

    if not _BEGINNING.search(content):
        raise ValueError(f"{name}: neither games in PGN nor positions in FEN or EPD")
    file = name if is_one_of_several else ""
    games = partial(read_games, content, up_to_mistakes=True, file=file)
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
