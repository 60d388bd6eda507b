"""Positions from FEN and back."""

import chess

from zobra.engine.fen_reader import read_board
from zobra.engine.position import Position

START = chess.STARTING_FEN


def read_fen(text: str) -> tuple[Position, list[str]]:
    """Return the position of a FEN, and notices of what was dropped. Raise FenError."""
    board, notices = read_board(text)
    return Position.from_board(board), notices


def parse_fen(text: str) -> Position:
    """Return the position of a FEN. Raise FenError that names what is wrong with it."""
    return read_fen(text)[0]


def write_fen(position: Position, shredder: bool = False) -> str:
    """Return the FEN of a position.

    Castling rights are written as KQkq, with the file of a rook where that is ambiguous (X-FEN), or
    all as files with `shredder` (Shredder-FEN).
    """
    return position.to_board(chess960=True).fen(shredder=shredder)
