"""Endgame tables and positions for tests: random won positions, and a defender that resists as long as the tables say."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest

DATA = Path(__file__).parent.parent / "../shared/data"
TABLES = DATA / "syzygy"
needs_tables = pytest.mark.skipif(not TABLES.is_dir(), reason="no endgame tables at ../shared/data/syzygy")


def won_boards(men: str, source: random.Random, prober: chess.syzygy.Tablebase) -> Iterator[chess.Board]:
    """Positions of these men (letters as in FEN) that White, to move, wins: without end."""
    while True:
        board = chess.Board(None)
        for square, letter in zip(source.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and not board.is_game_over() and prober.probe_wdl(board) == 2:
            yield board


def best_defence(board: chess.Board, prober: chess.syzygy.Tablebase) -> chess.Move:
    """The move that gets furthest: a draw, or the longest way to the next capture or pawn move."""

    def worth(move: chess.Move) -> tuple[int, int]:
        board.push(move)
        wdl, dtz = prober.probe_wdl(board), prober.probe_dtz(board)
        board.pop()
        return -wdl, dtz

    return max(board.legal_moves, key=worth)
