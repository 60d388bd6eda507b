"""Material with which nobody can win."""

import chess
import numpy as np

from tests.search_kernels import call
from zobra.engine.material import is_insufficient_material
from zobra.engine.position import Position


def insufficient(board: chess.Board) -> bool:
    return bool(call(is_insufficient_material, position=Position.from_board(board).record))


def test_insufficient_material_against_python_chess():
    source = np.random.default_rng(34)
    answers = []
    for _ in range(3_000):
        board = chess.Board(None)
        squares = source.permutation(64)[: source.integers(2, 6)]
        board.set_piece_at(int(squares[0]), chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(int(squares[1]), chess.Piece(chess.KING, chess.BLACK))
        for square in squares[2:]:
            kind = int(source.choice([2, 3, 3, 3, 4, 5, 1] if 8 <= square < 56 else [2, 3, 3, 3]))
            board.set_piece_at(int(square), chess.Piece(kind, bool(source.integers(2))))
        answers.append(board.is_insufficient_material())
        assert insufficient(board) == answers[-1], board.fen()
    assert 300 < sum(answers) < 2_700
