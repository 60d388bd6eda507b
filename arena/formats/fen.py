"""Positions in FEN as any program writes them, also with fewer fields than a FEN has."""

import chess

from zobra.engine.fen_reader import FenError, check_board, read_board


def read_fen(fen: str, chess960: bool = False) -> tuple[chess.Board, list[str]]:
    """Read a position, and return it with notices of what was dropped. Raise ValueError.

    It is a Chess960 position if `chess960`, or if its castling rights exist only there.
    """
    fields = fen.split()
    if len(fields) < 4:
        fields += ["w", "-", "-"][len(fields) - 1 :]
    board, notices = read_board(" ".join(fields))
    board.chess960 = chess960 or board.has_chess960_castling_rights()
    return board, notices


def check_possible(board: chess.Board, name: str = "") -> None:
    """Raise ValueError if chess cannot be played from a board; its message begins with `name`."""
    try:
        check_board(board)
    except FenError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from error
