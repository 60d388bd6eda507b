"""Openings from books or random moves.

A book is a file of EPD or FEN lines, a PGN file (both plain or as .gz, .bz2, .zip or .zst), or a
Polyglot book.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot

from zobra.arena.formats.epd import read_epd, record_lines
from zobra.arena.formats.fen import check_possible
from zobra.arena.formats.files import COMPRESSIONS, read_text
from zobra.arena.formats.pgn import GameError, read_game, split_games
from zobra.arena.formats.text import printable
from zobra.arena.model.adjudication import ending_on_board

SEQUENTIAL = "sequential"
RANDOM = "random"
ORDERS = (SEQUENTIAL, RANDOM)
# Random moves that begin a game where there is no book, and moves of a Polyglot book, unless a
# number is given
USUAL_PLIES = 8
MOST_RANDOM_PLIES = 16  # longer random walks seldom end quietly, and take long to draw
_WALKS = 1_000_000  # how many different walks there are to choose from


@dataclass(frozen=True)
class Opening:
    """A root position, and moves (UCI) that are played from it before the engines think."""

    fen: str
    moves: tuple[str, ...] = ()
    name: str = ""

    def board(self, chess960: bool) -> chess.Board:
        """Return the position in which the engines take over, with the book moves on its stack."""
        board = chess.Board(self.fen, chess960=chess960)
        for move in self.moves:
            board.push(chess.Move.from_uci(move))
        return board

    def entry(self, chess960: bool) -> dict[str, Any]:
        """Return the opening in the form of the journal."""
        return {
            "fen": self.board(chess960).fen(),
            "name": self.name,
            "root": self.fen,
            "moves": list(self.moves),
        }


@dataclass(frozen=True)
class OpeningSource:
    """Returns openings by index; an index beyond the last opening wraps around.

    `problems` names what was left out of the book, or dropped from one of its positions.
    """

    read: Callable[[int], Opening]
    count: int
    problems: list[str] = field(default_factory=list)

    def __call__(self, index: int) -> Opening:
        """Return the opening with this index."""
        return self.read(index % self.count)


def opening_source(  # noqa: PLR0913
    path: Path | None,
    count: int,
    *,
    order: str = SEQUENTIAL,
    seed: int = 0,
    plies: int | None = None,
    chess960: bool = False,
    drawn: int | None = None,
) -> OpeningSource:
    """Return a source of `count` openings; the same arguments give the same openings.

    If `drawn` is given, the first openings are those of a source of `drawn` openings, and the
    others are drawn after them.

    Without a book, the openings are `plies` random plies from the start position, or the start
    positions of Chess960. Only the needed part of a book is read, and entries that cannot be read
    are left out. Raise ValueError for a book without any opening, or OSError.
    """
    generator = random.Random(seed)
    if path is None or _kind(path) == ".bin":
        number, read = _walks(path, plies, chess960, seed)
        wanted = min(count, number)
        shuffled = order == RANDOM or (path is None and chess960)
        if not shuffled:
            return OpeningSource(cache(read), wanted)
        sample = _sample(generator, number, min(drawn or count, number), wanted)
        return OpeningSource(cache(lambda index: read(sample[index])), wanted)

    book = _Book(path, plies, chess960)
    number = len(book.records)
    if not number:
        raise ValueError(f"{path}: no openings")
    wanted = min(count, number)
    first = min(drawn or count, number)
    chosen: Sequence[int] = range(first)
    if order == RANDOM:
        chosen = generator.sample(range(number), first)
    found: list[Opening] = []
    candidates = chain(chosen, _others(number, chosen, generator if order == RANDOM else None))
    while len(found) < wanted:
        index = next(candidates, None)
        if index is None:
            break
        try:
            found.append(book.opening(index))
        except ValueError as error:
            book.problems.append(str(error))
    if wanted and not found:
        raise ValueError(book.problems[0])
    return OpeningSource(found.__getitem__, max(1, len(found)), book.problems)


def _sample(generator: random.Random, number: int, first: int, wanted: int) -> list[int]:
    """Return different indices below `number`; the first ones do not depend on how many follow."""
    chosen = generator.sample(range(number), first)
    known = set(chosen)
    while len(chosen) < wanted:
        index = generator.randrange(number)
        if index not in known:
            known.add(index)
            chosen.append(index)
    return chosen


def _others(number: int, chosen: Iterable[int], generator: random.Random | None) -> Iterator[int]:
    """Yield the indices that were not chosen, as replacements for bad ones."""
    others = sorted(set(range(number)).difference(chosen))
    if generator is not None:
        generator.shuffle(others)
    yield from others


def _kind(path: Path) -> str:
    """Return the extension of a book's name, without that of its compression."""
    name = path.stem if path.suffix.lower() in COMPRESSIONS else path.name
    return Path(name).suffix.lower()


def _walks(
    path: Path | None, plies: int | None, chess960: bool, seed: int
) -> tuple[int, Callable[[int], Opening]]:
    """Return the number of openings without a book of lines, and a function that makes one."""
    if path is not None:
        with chess.polyglot.open_reader(path) as reader:
            if reader.get(chess.Board()) is None:
                raise ValueError(f"{path}: the book has no move for the start position")
        length = USUAL_PLIES if plies is None else plies
        return _WALKS, lambda index: _polyglot_walk(path, index, length, seed, chess960)
    if chess960:
        return 960, _chess960_start
    if not plies:
        return 1, lambda _: Opening(chess.STARTING_FEN)
    if plies > MOST_RANDOM_PLIES:
        raise ValueError(f"--plies {plies}: at most {MOST_RANDOM_PLIES} without a book")
    return _WALKS, lambda index: _random_walk(index, plies, seed)


def _chess960_start(number: int) -> Opening:
    board = chess.Board.from_chess960_pos(number)
    return Opening(board.shredder_fen(), name=f"Chess960 {number}")


class _Book:
    """A book of EPD lines or PGN games: `records` are their texts with their numbers."""

    def __init__(self, path: Path, plies: int | None, chess960: bool) -> None:
        self.problems: list[str] = []
        self._path = path
        self._plies = plies
        self._chess960 = chess960
        self._has_games = _kind(path) == ".pgn"
        text = read_text(path)
        if self._has_games:
            self.records = list(enumerate(split_games(text), start=1))
        else:
            self.records = record_lines(text)

    def opening(self, index: int) -> Opening:
        """Return the opening of a record. Raise ValueError that names the record and the reason."""
        number, text = self.records[index]
        try:
            return self._game(number, text) if self._has_games else self._line(number, text)
        except ValueError as error:
            reason = printable(str(error))
            if self._has_games:
                raise ValueError(f"{self._path}: {GameError(number, reason)}") from error
            raise ValueError(f"{self._path}:{number}: {reason}") from error

    def _line(self, number: int, line: str) -> Opening:
        record = read_epd(line)
        self.problems += [f"{self._path}:{number}: {notice}" for notice in record.notices]
        name = record.operations.get("id") or f"{self._path.stem}:{number}"
        return _opening(record.board, (), name, self._chess960)

    def _game(self, number: int, text: str) -> Opening:
        game = read_game(text)
        self.problems += [f"{self._path}: game {number}: {notice}" for notice in game.errors]
        if game.next() is None and "FEN" not in game.headers:
            raise ValueError("it has no moves")
        moves = list(game.mainline_moves())[: self._plies]
        name = game.headers.get("Opening") or f"{self._path.stem}:{number}"
        return _opening(game.board(), moves, name, self._chess960)


def _opening(board: chess.Board, moves: Sequence[chess.Move], name: str, chess960: bool) -> Opening:
    """Return the opening with these moves. Raise ValueError if no game can begin there."""
    if board.has_chess960_castling_rights() and not chess960:
        raise ValueError("a Chess960 position needs --chess960")
    board.chess960 = chess960
    check_possible(board)
    root = board.fen()
    played = []
    for move in moves:
        if not move:
            raise ValueError("a null move")
        played.append(board.uci(move))
        board.push(move)
    ending = ending_on_board(board)
    if ending is not None:
        raise ValueError(f"the game is over in this position ({ending.reason})")
    return Opening(root, tuple(played), name)


def _polyglot_walk(path: Path, index: int, plies: int, seed: int, chess960: bool) -> Opening:
    """Return a walk from the start position, with moves drawn by their weights in the book.

    Each index has its own random numbers.
    """
    board = chess.Board(chess960=chess960)
    generator = random.Random(f"{seed}/{index}")
    moves: list[str] = []
    with chess.polyglot.open_reader(path) as reader:
        while len(moves) < plies:
            try:
                entry = reader.weighted_choice(board, random=generator)
            except IndexError:  # the book has no more moves
                break
            moves.append(board.uci(entry.move))  # castling as the games write it
            board.push(entry.move)
    return Opening(chess.STARTING_FEN, tuple(moves), f"{path.stem}:{index + 1}")


def _random_walk(index: int, plies: int, seed: int) -> Opening:
    """Return random moves from the start position that lose no piece and end quietly.

    Each index has its own random numbers.
    """
    generator = random.Random(f"{seed}/{index}")
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(generator.choice(list(board.legal_moves)))
        has_capture = any(board.is_capture(move) for move in board.legal_moves)
        is_quiet = not has_capture and not board.is_check()
        if is_quiet and chess.popcount(board.occupied) == 32 and not board.is_game_over():
            moves = tuple(move.uci() for move in board.move_stack)
            return Opening(chess.STARTING_FEN, moves, f"random walk {index + 1}")
