"""ECO codes and names of openings, by the positions that their moves lead to."""

from functools import cache
from importlib.resources import files

import chess

# Each line is the ECO code, the name and the moves of a common opening
_OPENINGS = files("zobra.arena.model").joinpath("data/openings.tsv")
_LONGEST_LINE = 20  # plies


@cache
def _known_positions() -> dict[str, tuple[str, str]]:
    """Return ECO code and name by position (the first four fields of a FEN)."""
    found = {}
    for line in _OPENINGS.read_text(encoding="utf-8").splitlines():
        code, name, moves = line.split("\t")
        board = chess.Board()
        for san in moves.split():
            board.push_san(san)
        found[board.epd()] = (code, name)
    return found


def opening_name(board: chess.Board, moves: list[chess.Move]) -> tuple[str, str]:
    """Return the ECO code and name of the last named position that the moves from a board reach.

    Both are empty if no position has a name.
    """
    board = board.copy(stack=False)
    found = ("", "")
    for move in moves[:_LONGEST_LINE]:
        board.push(move)
        found = _known_positions().get(board.epd(), found)
    return found
