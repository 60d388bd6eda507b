"""The network before the first: what it is worth, by plain arithmetic and by the kernels."""

import chess
import numpy as np
import pytest

from tests.support.playouts import playouts
from zobra.engine.network import load_network
from zobra.engine.position import Position
from zobra.search.evaluation import evaluate_position
from zobra.train.first_network import TEMPO, VALUES, first_network, square_value

NETWORK = load_network(first_network())


def value(board: chess.Board) -> int:
    return evaluate_position(Position.from_board(board), NETWORK)


def counted(board: chess.Board) -> int:
    """The sum of the values of pieces and squares without the kings, for the side to move."""
    total = 0
    for square, piece in board.piece_map().items():
        if piece.piece_type == chess.KING:
            continue
        seen = square if piece.color == chess.WHITE else square ^ 56
        worth = square_value(piece.piece_type - 1, seen)
        total += worth if piece.color == board.turn else -worth
    return total


def test_the_start_is_worth_the_move():
    assert value(chess.Board()) == TEMPO


@pytest.mark.parametrize("kind", range(chess.PAWN, chess.KING))
def test_a_piece_more_is_worth_its_value(kind):
    board = chess.Board("4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1")
    before = value(board)
    board.set_piece_at(chess.D3, chess.Piece(kind, chess.WHITE))
    assert value(board) - before == pytest.approx(VALUES[kind - 1], abs=60)


def test_it_is_nearly_a_sum_of_values():
    """The difference is rounding, and the kings."""
    errors = []
    for board, position in playouts(12, seed=9):
        expected = counted(board)
        if abs(expected) < 1_000:
            errors.append(evaluate_position(position, NETWORK) - expected - TEMPO)
    assert len(errors) > 300
    assert np.abs(errors).mean() < 25


@pytest.mark.parametrize(
    ("fen", "goes_out"),
    [(chess.STARTING_FEN, False), ("4k3/5ppp/8/8/8/8/PPP5/4K3 w - - 0 1", True)],
)
def test_kings_stay_at_home_until_the_endgame(fen, goes_out):
    board = chess.Board(fen)
    at_home = value(board)
    board.remove_piece_at(chess.E1)
    board.set_piece_at(chess.E4, chess.Piece(chess.KING, chess.WHITE))
    assert (value(board) > at_home) == goes_out
