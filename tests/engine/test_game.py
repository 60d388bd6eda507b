"""A game so far: which earlier positions it remembers, judged by python-chess' own count of
repetitions.
"""

import random

import chess

from tests.support.games import play
from zobra.engine.fen import parse_fen
from zobra.engine.position import Game


def test_irreversible_moves_clear_the_keys():
    fen = "r3k2r/7p/8/4n3/8/5N2/4P3/R3K2R w KQkq - 0 1"
    there = ("f3d4", "e5g4", "d4f3", "g4e5")
    assert len(play(fen, *there).keys) == 4
    # A capture, a pawn's move, a castling right given up, castling
    for text in ("f3e5", "e2e3", "a1b1", "e1g1"):
        assert play(fen, *there, text).keys == []
    assert len(play(fen, *there, "f3d4").keys) == 5


def test_repetitions_match_python_chess():
    """The keys remembered hold the present one as often as python-chess finds the position earlier
    in the game.
    """
    source = random.Random(2)
    repeated = 0
    for number in range(12):
        board = chess.Board("4k2r/8/8/3n4/8/8/4P3/R3K3 w Qk - 0 1") if number % 2 else chess.Board()
        game = Game(parse_fen(board.fen()))
        while board.legal_moves and board.ply() < 120:
            quiet = [move for move in board.legal_moves if not board.is_zeroing(move)]
            move = source.choice(quiet or list(board.legal_moves))
            if len(board.move_stack) > 1 and source.random() < 0.5:
                last = board.move_stack[-2]
                retreat = chess.Move(last.to_square, last.from_square)
                move = retreat if retreat in board.legal_moves else move
            game.push(game.position.parse_move(move.uci()))
            board.push(move)
            earlier = game.keys.count(game.position.key)
            assert board.is_repetition(earlier + 1), board.fen()
            assert not board.is_repetition(earlier + 2), board.fen()
            repeated += earlier > 0
    assert repeated > 50
