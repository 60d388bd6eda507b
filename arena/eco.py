"""Names of openings by the moves of a game: data/openings.tsv has ECO code, name and moves of the common ones, a line each."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import chess

_LONGEST = 20  # plies; the table has no longer line


@cache
def known_positions() -> dict[str, tuple[str, str]]:
    """ECO code and name by position (the first four fields of a FEN)."""
    found = {}
    for line in files("zobra.arena").joinpath("data/openings.tsv").read_text(encoding="utf-8").splitlines():
        code, name, moves = line.split("\t")
        board = chess.Board()
        for san in moves.split():
            board.push_san(san)
        found[board.epd()] = (code, name)
    return found


def opening_name(board: chess.Board, moves: Iterable[chess.Move]) -> tuple[str, str]:
    """ECO code and name of the last position with a name, after moves from this board; empty where there is none."""
    board, found = board.copy(stack=False), ("", "")
    for _, move in zip(range(_LONGEST), moves, strict=False):
        board.push(move)
        found = known_positions().get(board.epd(), found)
    return found
