"""Opening books: EPD or FEN lines, PGN games, and Polyglot books, in their order or shuffled by a seed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot

from zobra.arena.adjudication import ending_on_board
from zobra.arena.epd import status_names, with_clocks_as_operations

SEQUENTIAL, RANDOM = "sequential", "random"
ORDERS = (SEQUENTIAL, RANDOM)
# random moves that begin a game where there is no book, and moves of a Polyglot book, unless a number is given
USUAL_PLIES = 8
# longer random walks seldom end quietly, and take long to draw
MOST_RANDOM_PLIES = 16
# how many different walks there are to choose from
_WALKS = 1_000_000


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
        return {"fen": self.board(chess960).fen(), "name": self.name, "root": self.fen, "moves": list(self.moves)}


def opening_source(
    path: Path | None, count: int, *, order: str = SEQUENTIAL, seed: int = 0, plies: int | None = None, chess960: bool = False
) -> Callable[[int], Opening]:
    """Gives each of `count` openings when asked for it, starting over when the book has fewer; the same for the same arguments.

    Without a book: random walks of `plies` plies from the start position, or in Chess960 the 960 start positions.
    Raises ValueError naming file and line, or OSError, now or later.
    """
    number, read = _book(path, plies, chess960, seed)
    if not number:
        raise ValueError(f"{path}: no openings")
    wanted = min(count, number)
    shuffled = order == RANDOM or (path is None and chess960)
    chosen = random.Random(seed).sample(range(number), wanted) if shuffled else range(wanted)
    read_once = cache(read)
    return lambda index: read_once(chosen[index % wanted])


def _book(path: Path | None, plies: int | None, chess960: bool, seed: int) -> tuple[int, Callable[[int], Opening]]:
    """How many openings there are, and how to read one of them."""
    if path is None and not chess960:
        if (plies or 0) > MOST_RANDOM_PLIES:
            raise ValueError(f"--plies {plies}: without a book at most {MOST_RANDOM_PLIES}")
        return (_WALKS, lambda index: _random_walk(index, plies, seed)) if plies else (1, lambda _: Opening(chess.STARTING_FEN))
    if path is None:
        return 960, lambda index: Opening(chess.Board.from_chess960_pos(index).shredder_fen(), name=f"Chess960 {index}")
    if path.suffix.lower() == ".pgn":
        offsets = list(_pgn_offsets(path))
        return len(offsets), lambda index: _pgn_opening(path, offsets[index], index, plies, chess960)
    if path.suffix.lower() == ".bin":
        return _polyglot_book(path, USUAL_PLIES if plies is None else plies, seed)
    lines = [
        (number, line)
        for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return len(lines), lambda index: _epd_opening(path, *lines[index], chess960)


def _epd_opening(path: Path, number: int, line: str, chess960: bool) -> Opening:
    """Reads a FEN, or an EPD whose clocks may stand in hmvc and fmvn."""
    try:
        board, operations = chess.Board.from_epd(with_clocks_as_operations(line), chess960=chess960)
        _check(board)
    except ValueError as error:
        raise ValueError(f"{path}:{number}: {error}") from error
    return Opening(board.fen(), name=str(operations.get("id") or f"{path.stem}:{number}"))


def _check(board: chess.Board) -> None:
    if not board.is_valid():
        hint = " (a Chess960 position?)" if board.status() & chess.STATUS_BAD_CASTLING_RIGHTS else ""
        raise ValueError(f"impossible position: {status_names(board)}{hint}")
    if ending := ending_on_board(board):
        raise ValueError(f"the game is over in this position ({ending.reason})")


def _pgn_offsets(path: Path) -> Iterator[int]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        while True:
            offset = file.tell()
            if not chess.pgn.skip_game(file):
                return
            yield offset


def _pgn_opening(path: Path, offset: int, index: int, plies: int | None, chess960: bool) -> Opening:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        file.seek(offset)
        game = chess.pgn.read_game(file)
    where = f"{path}: game {index + 1}"
    if game is None or game.errors:
        raise ValueError(f"{where}: {game.errors[0] if game else 'not readable'}")
    board = game.board()
    if type(board) is not chess.Board:
        raise ValueError(f"{where}: its variant is {board.uci_variant}")
    if board.has_chess960_castling_rights() and not chess960:
        raise ValueError(f"{where}: a Chess960 position, without --chess960")
    board.chess960 = chess960
    root = board.fen()
    moves = []
    for move in list(game.mainline_moves())[:plies]:
        moves.append(board.uci(move))
        board.push(move)
    try:
        _check(board)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    return Opening(root, tuple(moves), game.headers.get("Opening") or f"{path.stem}:{index + 1}")


def _polyglot_book(path: Path, plies: int, seed: int) -> tuple[int, Callable[[int], Opening]]:
    """Walks from the start position, moves drawn by their weights. Each index has its own random numbers."""
    with chess.polyglot.open_reader(path) as reader:
        if reader.get(chess.Board()) is None:
            raise ValueError(f"{path}: the book has no move for the start position")

    def walk(index: int) -> Opening:
        board = chess.Board()
        generator = random.Random(f"{seed}/{index}")
        with chess.polyglot.open_reader(path) as reader:
            while len(board.move_stack) < plies:
                try:
                    board.push(reader.weighted_choice(board, random=generator).move)
                except IndexError:
                    break
        return Opening(chess.STARTING_FEN, tuple(move.uci() for move in board.move_stack), f"{path.stem}:{index + 1}")

    return _WALKS, walk


def _random_walk(index: int, plies: int, seed: int) -> Opening:
    """Random moves from the start position that lose no piece and end quietly; each index has its own random numbers."""
    generator = random.Random(f"{seed}/{index}")
    while True:
        board = chess.Board()
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(generator.choice(list(board.legal_moves)))
        quiet = not any(board.is_capture(move) for move in board.legal_moves) and not board.is_check()
        if quiet and chess.popcount(board.occupied) == 32 and not board.is_game_over():
            return Opening(chess.STARTING_FEN, tuple(move.uci() for move in board.move_stack), f"random walk {index + 1}")
