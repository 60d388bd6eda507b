"""Repetition and the fifty moves: exact, across the history of the game and along a line of the search."""

import random

import chess
import pytest

from tests.search_kernels import PLAIN, Workbench, call
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.search.draw import is_repetition
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher
from zobra.search.worker import MAX_KEYS

STARTS = [
    "7k/8/8/8/8/8/r7/1R5K w - - 0 1",
    "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1",  # castling rights are lost on the way
    "4k3/p7/8/1P6/8/8/8/4K3 b - - 0 1",  # en passant once
    "4k2n/8/8/8/8/8/8/N3K3 w - - 0 1",
]


def random_game(source: random.Random, start: str, plies: int) -> list[chess.Move]:
    """Moves of a game that likes to go back to where it was."""
    board, moves = chess.Board(start), []
    for _ in range(plies):
        legal = list(board.legal_moves)
        if not legal:
            break
        back = chess.Move(moves[-2].to_square, moves[-2].from_square) if len(moves) > 1 else None
        moves.append(back if back in legal and source.random() < 0.6 else source.choice(legal))
        board.push(moves[-1])
    return moves


@pytest.mark.parametrize("start", STARTS)
def test_a_third_time_in_the_game(start):
    """At the root it takes three times in all, as python-chess counts."""
    source = random.Random(start)
    repeated = 0
    for _ in range(4):
        board, game = chess.Board(start), Game(parse_fen(start))
        for move in random_game(source, start, 50):
            board.push(move)
            game.push(game.position.parse_move(move.uci()))
            bench = Workbench(game.position, keys=game.keys)
            assert bool(call(is_repetition, bench, 0)) == board.is_repetition(3), board.fen()
            repeated += board.is_repetition(3)
    assert repeated > 5


def test_a_null_move_is_no_way_back():
    position = parse_fen(STARTS[0])
    bench = Workbench(position)
    for ply in range(1, 5):
        move = 0 if ply % 2 else position.parse_move("h8g7" if ply == 2 else "g7h8")
        position = position.after(move)
        bench.this["stack"][ply]["position"] = position.record
        bench.this["keys"][ply] = position.key
    assert not call(is_repetition, bench, 4)


def test_a_game_longer_than_the_keys_kept():
    """Only the latest keys are handed over, and the repetition among them is still seen."""
    game = Game(parse_fen(STARTS[0]))
    searcher = Searcher(1, parameters=PLAIN)
    for ply in range(MAX_KEYS + 200):
        game.push(game.position.parse_move(("b1b3", "a2a3", "b3b1", "a3a2")[ply % 4]))
    assert len(game.keys) > MAX_KEYS
    result = searcher.search(game, Limits(depth=3), lambda report: None)
    assert result.best in game.position.legal_moves()
    assert call(is_repetition, ply=0, worker=searcher._this)


SHUFFLE = ["g1h1", "c3d3", "h1g1", "d3c3", "g1h1", "c3d3", "h1g1", "d3c3"]  # king against king and queen, back and forth


def shuffled(plies: int) -> Game:
    game = Game(parse_fen("8/8/8/8/8/2k5/1q6/6K1 w - - 0 1"))
    for text in SHUFFLE[:plies]:
        game.push(game.position.parse_move(text))
    return game


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_losing_side_seeks_the_repetition_and_the_winning_one_avoids_it(depth):
    found = {}
    for plies in (7, 8):
        reports: list[Report] = []
        result = Searcher(1).search(shuffled(plies), Limits(depth=depth), reports.append)
        found[plies] = move_text(result.best), reports[-1].score
    assert found[8] == ("g1h1", 0)
    assert found[7][0] != "d3c3" and found[7][1] > 300
