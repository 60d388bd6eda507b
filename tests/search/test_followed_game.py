"""Following a game from `position` line to `position` line."""

import chess
import pytest

from zobra.engine.fen import write_fen
from zobra.engine.position import Game, Position
from zobra.search.followed_game import FollowedGame

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


@pytest.fixture
def followed():
    return FollowedGame()


def fen_after(*moves: str) -> str:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return board.fen(en_passant="legal")


def test_a_line_that_goes_on_costs_its_new_moves_only(followed, monkeypatch):
    followed.follow(None, SHUFFLE * 100)
    parsed = []
    parse_move = Position.parse_move

    def note(position: Position, text: str) -> int:
        parsed.append(text)
        return parse_move(position, text)

    monkeypatch.setattr(Position, "parse_move", note)
    followed.follow(None, (*SHUFFLE * 100, "e2e4", "e7e5"))
    assert parsed == ["e2e4", "e7e5"]
    assert write_fen(followed.game.position).split()[0] == fen_after("e2e4", "e7e5").split()[0]


def test_keys_of_the_game_are_kept_for_repetitions(followed):
    followed.follow(None, SHUFFLE)
    followed.follow(None, SHUFFLE * 2)
    assert followed.game.keys.count(followed.game.position.key) == 2


@pytest.mark.parametrize(
    "moves",
    [("d2d4",), ("e2e4", "c7c5"), (), ("e2e4", "e7e5", "g1f3")],
    ids=["other", "branch", "start", "on"],
)
def test_any_next_line_is_followed(followed, moves):
    followed.follow(None, ("e2e4", "e7e5"))
    followed.follow(None, moves)
    assert write_fen(followed.game.position) == fen_after(*moves)


@pytest.mark.parametrize(
    ("fen", "moves", "complaint"),
    [
        ("8/8/8/8/8/8/8/k7 w - -", (), "in fen: White has no king"),
        (None, ("e2e4", "e7e5", "e1e3"), "in move 3: 'e1e3'"),
    ],
)
def test_a_line_that_cannot_be_read_changes_nothing(followed, fen, moves, complaint):
    """More of them are in test_robustness.py."""
    followed.follow(None, ("e2e4",))
    with pytest.raises(ValueError, match=complaint):
        followed.follow(fen, moves)
    assert not followed.readable
    assert write_fen(followed.game.position) == fen_after("e2e4")
    followed.follow(None, ("e2e4", "c7c5"))
    assert followed.readable
    assert write_fen(followed.game.position) == fen_after("e2e4", "c7c5")


def test_a_position_that_was_set_up_is_a_new_game(followed):
    followed.follow(None, ("e2e4",))
    followed.set_up(Game(followed.game.position))
    assert followed.game.keys == []
    followed.follow(fen_after("e2e4"), ("e7e5",))
    assert write_fen(followed.game.position) == fen_after("e2e4", "e7e5")
