"""The static evaluation: symmetric, incremental, tapered; and material with which nobody can win."""

import json
from pathlib import Path

import chess
import numpy as np
import pytest

from tests.search_oracles import random_boards
from zobra.engine.evaluate import TEMPO, is_insufficient, static_evaluation
from zobra.engine.piece_square import KIND_NAMES, WEIGHTS_FILE
from zobra.engine.position import Position
from zobra.engine.scores import pack, unpack

INSUFFICIENT_FILE = Path(__file__).resolve().parents[2] / "shared/data/endgames/insufficient_material.jsonl"
PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
WEIGHTS = json.loads(WEIGHTS_FILE.read_text())


def evaluation(board: chess.Board) -> int:
    return int(static_evaluation(Position.from_board(board).record))


def weigh(board: chess.Board, part: str) -> int:
    """Sum of one half of the weights, from White's side."""
    total = 0
    for square, piece in board.piece_map().items():
        table = np.array(WEIGHTS[part][KIND_NAMES[piece.piece_type - 1]]).ravel()
        total += int(table[square]) if piece.color else -int(table[square ^ 56])
    return total


def weigh_with_phase(board: chess.Board) -> int:
    phase = min(24, sum(PHASES.get(piece.piece_type, 0) for piece in board.piece_map().values()))
    white = weigh(board, "middlegame") * phase + weigh(board, "endgame") * (24 - phase)
    return (white if board.turn else -white) // 24 + int(TEMPO)


def test_both_colours_are_valued_alike():
    for board in random_boards(31, 12):
        assert evaluation(board) == evaluation(board.mirror()), board.fen()


def test_agrees_with_the_weights_of_the_file():
    for board in random_boards(32, 8, 200):
        assert evaluation(board) == weigh_with_phase(board), board.fen()


def test_sum_is_kept_up_to_date_by_every_move():
    position = Position.from_board(chess.Board())
    kinds = set()
    for board in random_boards(33, 20, 160):
        move = board.peek()
        if len(board.move_stack) == 1:
            position = Position.from_board(chess.Board())
        number = position.parse_move(move.uci())
        kinds.add(number >> 12)
        position = position.after(number)
        assert position.record["piece_square"] == Position.from_board(board).record["piece_square"]
    assert kinds >= {0, 1, 2, 3, 7}  # plain moves, double pushes, castling, en passant, queens


def test_opening_and_ending_are_the_ends_of_the_taper():
    full = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3")
    assert evaluation(full) == weigh(full, "middlegame") + TEMPO
    bare = chess.Board("8/5p2/4k3/3p4/3P4/2PK4/8/8 w - - 0 1")
    assert evaluation(bare) == weigh(bare, "endgame") + TEMPO
    assert weigh(bare, "middlegame") != weigh(bare, "endgame")


def test_more_than_all_pieces_count_as_all():
    board = chess.Board("rnbqkbnr/8/8/8/8/8/QQQQ4/RNBQKBNR w KQkq - 0 1")
    assert evaluation(board) == weigh(board, "middlegame") + TEMPO


@pytest.mark.parametrize("pair", [(0, 0), (1, -1), (-1, 1), (-30_000, -30_000), (30_000, -1), (-2, 30_000)])
def test_packed_scores(pair):
    assert unpack(pack(*pair)) == pair
    assert unpack(pack(*pair) + pack(-7, 9)) == (pair[0] - 7, pair[1] + 9)
    assert unpack(-pack(*pair)) == (-pair[0], -pair[1])


def insufficient(board: chess.Board) -> bool:
    return bool(is_insufficient(Position.from_board(board).record))


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


@pytest.mark.skipif(not INSUFFICIENT_FILE.exists(), reason="../shared/data/endgames/insufficient_material.jsonl is not there")
def test_insufficient_material_list():
    lines = [json.loads(line) for line in INSUFFICIENT_FILE.read_text().splitlines()]
    assert lines
    for line in lines:
        if line["valid"]:
            assert insufficient(chess.Board(line["fen"])) == line["insufficient"], line["name"]
