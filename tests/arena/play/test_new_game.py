"""The settings of a new game against an engine."""

import chess
import pytest

from zobra.arena.formats.files import typed
from zobra.arena.play.new_game import NewGame


def test_the_usual_game_is_white_at_a_level_with_a_second_a_move():
    wishes = NewGame()
    assert wishes.human() == chess.WHITE
    assert wishes.start() == chess.Board()
    assert wishes.control().movetime == 1000
    assert wishes.elo == 1500


def test_colours():
    assert NewGame("black").human() == chess.BLACK
    assert {NewGame("random").human() for _ in range(60)} == {chess.WHITE, chess.BLACK}


def test_a_chess960_position_is_the_one_of_its_number_or_any():
    assert NewGame(chess960=True, number=518).start().board_fen() == chess.STARTING_BOARD_FEN
    assert NewGame(chess960=True, number=518).start().chess960
    positions = {NewGame(chess960=True).start().chess960_pos() for _ in range(20)}
    assert len(positions) > 1
    assert None not in positions


def test_a_fen_is_the_position_and_may_be_one_of_chess960():
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    assert NewGame(fen=fen).start().chess960
    assert NewGame(fen=" 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1 ").start().piece_at(chess.E2)


@pytest.mark.parametrize(
    ("wishes", "problem"),
    [
        ({"color": "green"}, "must be white, black or random"),
        ({"number": 960}, "must be from 0 to 959"),
        ({"number": -1}, "must be from 0 to 959"),
        ({"fen": "x" * 201}, "too long"),
        ({"time": "9" * 201}, "too long"),
        ({"elo": -5}, "level"),
        ({"elo": 10**30}, "level"),
        ({"elo": "strong"}, "elo must be"),
        ({"chess960": 1}, "chess960 must be"),
    ],
)
def test_wishes_that_cannot_be_are_refused(wishes, problem):
    with pytest.raises(ValueError, match=problem):
        typed(NewGame, wishes)


@pytest.mark.parametrize(
    ("fen", "problem"),
    [
        ("hello", "8 ranks, this one 1"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1 x", "4 to 6 fields .*, this one 7"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", r"the game is over in this position \(stalemate\)"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", r"the game is over in this position \(mate\)"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "insufficient material"),
        ("4k3/4r3/8/8/8/8/8/4K3 b - - 0 1", "White is in check, but Black is to move"),
    ],
)
def test_positions_that_cannot_be_played_are_refused(fen, problem):
    with pytest.raises(ValueError, match=problem):
        NewGame(fen=fen).start()


@pytest.mark.parametrize("time", ["", "soon", "0+0", "9" * 199, "100000+0", "movetime=90000000"])
def test_times_that_cannot_be_are_refused(time):
    with pytest.raises(ValueError, match="time control"):
        NewGame(time=time).control()
