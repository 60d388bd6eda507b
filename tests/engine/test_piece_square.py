"""The evaluation by pieces and squares: symmetric, tapered, and that of its file."""

import json

import chess
import numpy as np

from tests.support.search_oracles import random_boards
from zobra.engine.piece_square import KIND_NAMES, TEMPO, WEIGHTS_FILE, static_evaluation
from zobra.engine.position import TABLES_RECORD, Position

PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
WEIGHTS = json.loads(WEIGHTS_FILE.read_text())


def evaluation(board: chess.Board) -> int:
    return int(static_evaluation(Position.from_board(board).record, TABLES_RECORD))


def weigh(board: chess.Board, part: str) -> int:
    """Sum of one half of the weights, from White's side."""
    total = 0
    for square, piece in board.piece_map().items():
        table = np.array(WEIGHTS[part][KIND_NAMES[piece.piece_type - 1]]).ravel()
        total += int(table[square]) if piece.color else -int(table[square ^ 56])
    return total


ENDS = [  # all pieces, more than all of them, none
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3",
    "rnbqkbnr/8/8/8/8/8/QQQQ4/RNBQKBNR w KQkq - 0 1",
    "8/5p2/4k3/3p4/3P4/2PK4/8/8 w - - 0 1",
]


def test_agrees_with_the_weights_of_the_file_for_both_colours():
    for board in (*map(chess.Board, ENDS), *random_boards(32, 8, 200)):
        phase = min(
            24, sum(PHASES.get(piece.piece_type, 0) for piece in board.piece_map().values())
        )
        white = weigh(board, "middlegame") * phase + weigh(board, "endgame") * (24 - phase)
        expected = (white if board.turn else -white) // 24 + int(TEMPO)
        assert evaluation(board) == evaluation(board.mirror()) == expected, board.fen()
