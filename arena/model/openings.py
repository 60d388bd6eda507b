"""Opening books: EPD or FEN lines and PGN games (also in .gz, .bz2, .zip and .zst files), Polyglot
books, and random moves.
"""

import io
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot

from zobra.arena.formats.epd import check_possible, read_epd
from zobra.arena.formats.files import read_text
from zobra.arena.formats.text import printable
from zobra.arena.model.adjudication import ending_on_board

SEQUENTIAL, RANDOM = ORDERS = ("sequential", "random")
# Random moves that begin a game where there is no book, and moves of a Polyglot book, unless a
# number is given
USUAL_PLIES = 8
MOST_RANDOM_PLIES = 16  # longer random walks seldom end quietly, and take long to draw
_WALKS = 1_000_000  # how many different walks there are to choose from
_PACKED = (".gz", ".bz2", ".zip", ".zst")


@dataclass(frozen=True)
class Opening:
    """A root position, and moves (UCI) that are played from there before the engines think."""

    fen: str
    moves: tuple[str, ...] = ()
    name: str = ""

    def board(self, chess960: bool) -> chess.Board:
        """The position where the engines take over, with the book moves on its stack."""
        board = chess.Board(self.fen, chess960=chess960)
        for move in self.moves:
            board.push(chess.Move.from_uci(move))
        return board

    def entry(self, chess960: bool) -> dict[str, Any]:
        """As the journal keeps it."""
        return {
            "fen": self.board(chess960).fen(),
            "name": self.name,
            "root": self.fen,
            "moves": list(self.moves),
        }


def opening_source(
    path: Path | None,
    count: int,
    *,
    order: str = SEQUENTIAL,
    seed: int = 0,
    plies: int | None = None,
    chess960: bool = False,
) -> Callable[[int], Opening]:
    """A function that gives each of `count` openings by its index; they begin anew when the book
    has fewer. The same arguments give the same openings. Without a book: random walks of `plies`
    plies from the start position, or the start positions of Chess960. Raises ValueError that names
    file and line, or OSError; the function too.
    """
    number, read = _book(path, plies, chess960, seed)
    if not number:
        raise ValueError(f"{path}: no openings")
    shuffled, wanted, read_once = (
        order == RANDOM or (path is None and chess960),
        min(count, number),
        cache(read),
    )
    chosen = random.Random(seed).sample(range(number), wanted) if shuffled else range(wanted)
    return lambda index: read_once(chosen[index % wanted])


def _book(
    path: Path | None, plies: int | None, chess960: bool, seed: int
) -> tuple[int, Callable[[int], Opening]]:
    """How many openings there are, and how to read one of them."""
    if path is None and not chess960:
        if (plies or 0) > MOST_RANDOM_PLIES:
            raise ValueError(f"--plies {plies}: without a book at most {MOST_RANDOM_PLIES}")
        return (
            (_WALKS, lambda index: _random_walk(index, plies, seed))
            if plies
            else (1, lambda _: Opening(chess.STARTING_FEN))
        )
    if path is None:
        return 960, lambda index: Opening(
            chess.Board.from_chess960_pos(index).shredder_fen(), name=f"Chess960 {index}"
        )
    kind = Path(path.stem if path.suffix.lower() in _PACKED else path.name).suffix.lower()
    if kind == ".bin":
        with chess.polyglot.open_reader(path) as reader:
            if reader.get(chess.Board()) is None:
                raise ValueError(f"{path}: the book has no move for the start position")
        return _WALKS, lambda index: _polyglot_walk(
            path, index, USUAL_PLIES if plies is None else plies, seed
        )
    text = read_text(path)
    if kind == ".pgn":
        file, ends = io.StringIO(text), [0]
        while chess.pgn.skip_game(file):
            ends.append(file.tell())
        texts = [text[start:end] for start, end in pairwise(ends)]
        games = (chess.pgn.read_game(io.StringIO(game)) for game in texts)
        if not any(game and (game.next() or "FEN" in game.headers) for game in games):
            raise ValueError(f"{path}: no game with a move in it")
        return len(texts), lambda index: _pgn_opening(path, texts[index], index, plies, chess960)
    lines = [
        numbered
        for numbered in enumerate(text.splitlines(), start=1)
        if numbered[1].strip().partition("#")[0]
    ]
    return len(lines), lambda index: _epd_opening(path, *lines[index], chess960)


def _epd_opening(path: Path, number: int, line: str, chess960: bool) -> Opening:
    try:
        board, operations = read_epd(line)
        return _opening(board, (), str(operations.get("id") or f"{path.stem}:{number}"), chess960)
    except ValueError as error:
        raise ValueError(f"{path}:{number}: {printable(str(error))}") from error


def _pgn_opening(path: Path, text: str, index: int, plies: int | None, chess960: bool) -> Opening:
    game = chess.pgn.read_game(io.StringIO(text))
    try:
        if game is None or game.errors:
            raise ValueError(printable(str(game.errors[0])) if game else "not readable")
        board, moves = game.board(), list(game.mainline_moves())[:plies]
        if type(board) is not chess.Board:
            raise ValueError(f"its variant is {board.uci_variant}")
        return _opening(
            board, moves, game.headers.get("Opening") or f"{path.stem}:{index + 1}", chess960
        )
    except ValueError as error:
        raise ValueError(f"{path}: game {index + 1}: {error}") from error


def _opening(board: chess.Board, moves: Sequence[chess.Move], name: str, chess960: bool) -> Opening:
    """The opening with these moves. Raises ValueError when no game can begin there."""
    if board.has_chess960_castling_rights() and not chess960:
        raise ValueError("a Chess960 position, without --chess960")
    board.chess960 = chess960
    check_possible(board)
    root, played = board.fen(), []
    for move in moves:
        played.append(board.uci(move))
        board.push(move)
    if ending := ending_on_board(board):
        raise ValueError(f"the game is over in this position ({ending.reason})")
    return Opening(root, tuple(played), name)


def _polyglot_walk(path: Path, index: int, plies: int, seed: int) -> Opening:
    """A walk from the start position, moves drawn by their weights.

    Each index has its own random numbers.
    """
    board, generator = chess.Board(), random.Random(f"{seed}/{index}")
    with (
        chess.polyglot.open_reader(path) as reader,
        suppress(IndexError),
    ):  # where the book has no more moves
        while len(board.move_stack) < plies:
            board.push(reader.weighted_choice(board, random=generator).move)
    return Opening(
        chess.STARTING_FEN,
        tuple(move.uci() for move in board.move_stack),
        f"{path.stem}:{index + 1}",
    )


def _random_walk(index: int, plies: int, seed: int) -> Opening:
    """Random moves from the start position that lose no piece and end quietly; each index has its
    own random numbers.
    """
    generator = random.Random(f"{seed}/{index}")
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(generator.choice(list(board.legal_moves)))
        quiet = (
            not any(board.is_capture(move) for move in board.legal_moves) and not board.is_check()
        )
        if quiet and chess.popcount(board.occupied) == 32 and not board.is_game_over():
            return Opening(
                chess.STARTING_FEN,
                tuple(move.uci() for move in board.move_stack),
                f"random walk {index + 1}",
            )
