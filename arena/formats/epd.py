"""Lines of EPD (Extended Position Description), and of FEN with operations behind it."""

import re
from typing import Any

import chess

_CLOCKS = re.compile(
    r"^((?:\S+\s+){4})([0-9]+);*\s+([0-9]+);*(?!\S)[\s;]*"
)  # the two of a FEN, behind its other fields


class _Chess960Board(chess.Board):
    """A board that reads every FEN as Chess960, also where python-chess makes a second board from
    the EPD's fields.
    """

    def __init__(self, fen: str | None = chess.STARTING_FEN, *, chess960: bool = True) -> None:
        super().__init__(fen, chess960=chess960)


def read_epd(line: str) -> tuple[chess.Board, dict[str, Any]]:
    """The position of an EPD line, or of a FEN with operations behind it, and these operations.

    Castling rights that only Chess960 knows make it a Chess960 position. Raises ValueError.
    """
    epd = _CLOCKS.sub(r"\1hmvc \2; fmvn \3; ", line.strip())  # EPD keeps the clocks in operations
    board, operations = _Chess960Board.from_epd(epd, chess960=True)
    board.chess960 = board.has_chess960_castling_rights()
    check_possible(board)
    return board, operations


def check_possible(board: chess.Board, name: str = "") -> None:
    """Raises ValueError for an impossible position, saying what is wrong in python-chess' words;
    `name` goes before them.
    """
    if status := board.status():
        names = ", ".join(
            str(flag.name).lower().replace("_", " ") for flag in chess.Status if flag & status
        )
        raise ValueError(f"{name + ': ' if name else ''}impossible position ({names})")
