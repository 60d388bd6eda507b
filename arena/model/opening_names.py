"""ECO codes and names of openings, by the positions that their moves lead to."""

from functools import cache
from importlib.resources import files

import chess

_LONGEST_LINE = (
    20  # plies of data/openings.tsv: ECO code, name and moves of the common openings, a line each
)


@cache
def _known_positions() -> dict[str, tuple[str, str]]:
    """ECO code and name by position (the first four fields of a FEN)."""
    found = {}
    for line in (
        files("zobra.arena.model")
        .joinpath("data/openings.tsv")
        .read_text(encoding="utf-8")
        .splitlines()
    ):
        code, name, moves = line.split("\t")
        board = chess.Board()
        for san in moves.split():
            board.push_san(san)
        found[board.epd()] = (code, name)
    return found


def opening_name(board: chess.Board, moves: list[chess.Move]) -> tuple[str, str]:
    """ECO code and name of the last position with a name, after moves from this board; empty where
    there is none.
    """
    board, found = board.copy(stack=False), ("", "")
    for move in moves[:_LONGEST_LINE]:
        board.push(move)
        found = _known_positions().get(board.epd(), found)
    return found
