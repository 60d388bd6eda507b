"""What the page is told."""

import json

import chess
import chess.engine
import pytest

from tests.support.play_sessions import QUICK, first_move
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.play.game import Game
from zobra.arena.play.new_game import NewGame
from zobra.arena.play.session import Session
from zobra.arena.play.view import evaluation_view, score_text, state_view
from zobra.arena.runner.analysis import EngineLine


@pytest.fixture
def session(tmp_path):
    """A session whose engine is not started."""
    return Session(first_move(), tmp_path)


def set_game(session, wishes: NewGame, *moves: str) -> Game:
    session.wishes = wishes
    session.game = Game(wishes.start(), wishes.human(), wishes.control(), "Engine")
    for text in moves:
        move = session.game.read_move(text)
        if session.game.human_to_move:
            session.game.play(move, 0)
        else:
            session.game.add(PlayedMove(move, clock_ms=session.game.control.base_ms))
    return session.game


def test_the_state_is_json_with_moves_targets_and_positions(session):
    set_game(session, NewGame(time=QUICK), "e4", "d5")
    view = json.loads(json.dumps(state_view(session)))
    assert [move["san"] for move in view["moves"]] == ["e4", "d5"]
    assert view["moves"][1]["fen"] == session.game.board.board_fen()
    assert view["human"] == view["turn"] == "white"
    assert view["yourTurn"]
    assert sorted(view["targets"]["e4"]) == ["d5", "e5"]
    assert view["clocks"] is None
    assert view["ending"] is None
    assert view["promotions"] == []


def test_promotions_are_named_once_each(session):
    set_game(session, NewGame(fen="3r3k/4P3/8/8/8/8/8/K7 w - - 0 1"))
    view = state_view(session)
    assert view["promotions"] == ["e7d8", "e7e8"]
    assert sorted(view["targets"]["e7"]) == ["d8", "e8"]


def test_castling_of_chess960_goes_to_the_rook(session):
    set_game(session, NewGame(fen="4k3/8/8/8/8/8/8/RK6 w A - 0 1", chess960=True))
    assert "a1" in state_view(session)["targets"]["b1"]


def test_nothing_can_be_moved_when_the_engine_thinks_or_the_game_is_over(session):
    set_game(session, NewGame(), "e4")
    assert state_view(session)["targets"] == {}
    set_game(session, NewGame(), "f3", "e5", "g4", "Qh4#")
    view = state_view(session)
    assert view["targets"] == {}
    assert view["ending"] == {"result": "0-1", "text": "Engine wins by checkmate"}


def test_a_game_from_a_position_of_black(session):
    fen = "4k3/4p3/8/8/8/8/4P3/4K3 b - - 0 10"
    set_game(session, NewGame("black", fen=fen), "e5")
    view = state_view(session)
    assert view["firstPly"] == 19
    assert view["startFen"].startswith("4k3/4p3")


def test_clocks_run_from_the_second_move_of_the_person(session):
    set_game(session, NewGame(time="60+0"))
    assert state_view(session)["clocks"] == {"white": 60000, "black": 60000, "running": None}
    set_game(session, NewGame(time="60+0"), "e4", "e5")
    session.turn_began -= 10
    clocks = state_view(session)["clocks"]
    assert clocks["running"] == "white"
    assert clocks["white"] == pytest.approx(50_000, abs=2_000)
    assert clocks["black"] == 60_000


def test_scores_are_from_the_view_of_white():
    cp = chess.engine.Cp
    assert score_text(chess.engine.PovScore(cp(31), chess.WHITE)) == "+0.31"
    assert score_text(chess.engine.PovScore(cp(31), chess.BLACK)) == "−0.31"
    assert score_text(chess.engine.PovScore(chess.engine.Mate(3), chess.BLACK)) == "#-3"


def test_the_evaluation_has_its_lines_in_san(session):
    game = set_game(session, NewGame(), "e4", "e5")
    assert evaluation_view(session) is None
    session.evaluates = True
    assert evaluation_view(session) is None
    moves = [chess.Move.from_uci(uci) for uci in ("g1f3", "b8c6")]
    score = chess.engine.PovScore(chess.engine.Cp(40), chess.WHITE)
    session.advice = [EngineLine(score, 12, moves)]
    session.advised_ply = 2
    view = evaluation_view(session)
    assert view["lines"] == [{"score": "+0.40", "moves": "2. Nf3 Nc6"}]
    assert view["depth"] == 12
    assert view["ply"] == 2
    assert 0.5 < view["chance"] < 0.7
    game.take_back()
    assert evaluation_view(session) is None
