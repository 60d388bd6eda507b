"""The game in the terminal."""

import re

import chess
import pytest

from tests.support.arena_runs import wait_until
from tests.support.play_sessions import LEVELS, QUICK, first_move, material
from zobra.arena.play.background import Background
from zobra.arena.play.new_game import NewGame
from zobra.arena.play.session import Session
from zobra.arena.play.terminal import Terminal, board_lines


def played(tmp_path, *lines: str, spec=None, wishes=None) -> tuple[str, Session]:
    """Return what the terminal prints when these lines are typed, and its session."""
    printed = []
    typed = iter(lines)

    def ask(prompt: str) -> str:
        printed.append(prompt)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    session = Session(spec or first_move(), tmp_path)
    with Background() as background:
        background.wait_for(session.start(wishes or NewGame(time=QUICK)))
        try:
            Terminal(session, background, printed.append, ask).run()
        finally:
            background.wait_for(session.close())
    return "\n".join(printed), session


def test_moves_are_typed_and_the_engine_answers(tmp_path):
    text, session = played(tmp_path, "e4", "g1f3", "quit", "never read")
    assert "You play white against Scripted." in text
    assert text.count("Scripted plays ") == 2
    assert "White 1. > " in text
    assert "White 3. > " in text
    assert len(session.game.moves) == 4
    assert session.file.exists()


def test_what_is_no_move_is_refused_and_asked_again(tmp_path):
    text, session = played(tmp_path, "", "hello", "e5", "hint me", "\x1b", "e4")
    assert "hello is not a move: type one as Nf3 or g1f3" in text
    assert "e5 is not legal here" in text
    assert len(session.game.moves) == 2


def test_undo_hint_and_the_other_words(tmp_path):
    fen = "rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4"
    words = ("hint", "undo", "Nxd5", "undo", "moves", "fen", "flip", "board", "help", "draw")
    wishes = NewGame(elo=None, time=QUICK, fen=fen)
    text, session = played(tmp_path, *words, spec=material(), wishes=wishes)
    assert "hint: Nxd5 (" in text
    assert "there is no move to take back" in text
    assert fen in text
    assert "Type a move as Nf3 or g1f3, or a word:" in text
    assert "Material declines the draw" in text
    assert not session.game.moves


def test_a_game_ends_and_another_begins(tmp_path):
    lines = ("resign", "e4", "new black", "new 960 0", "new 960", "new 4k3/8/8/8/8/8/4P3/4K3 w - -")
    text, session = played(tmp_path, *lines)
    assert "Scripted wins by resignation (0-1)" in text
    assert "new, undo or quit> " in text
    assert "the game is over: Scripted wins by resignation" in text
    assert "You play black against Scripted." in text
    assert session.number == 5
    assert session.game.start.piece_at(chess.E2)


@pytest.mark.parametrize("line", ["new 960 1000", "new hello", "new 8/8/8/8/8/8/8/8 w - - 0 1"])
def test_a_game_that_cannot_begin_is_refused(tmp_path, line):
    _, session = played(tmp_path, line, "e4")
    assert session.number == 1
    assert len(session.game.moves) == 2


def test_an_engine_that_fails_is_told(tmp_path):
    text, session = played(tmp_path, "a4", "retry", "undo", spec=first_move("--crash", "1"))
    assert "Scripted has died (exit code 7" in text
    assert 'Type "retry" to start it again.' in text
    assert not session.game.moves


def test_the_clocks_stand_in_the_prompt_and_beside_the_reply(tmp_path):
    text, _ = played(tmp_path, "e4", wishes=NewGame(time="600+0"))
    assert "White 1. 10:00 > " in text
    assert re.search(r"Scripted plays \S+ \(its clock: 10:00\)", text)


def test_a_flag_that_falls_is_told_while_a_line_is_typed(tmp_path):
    printed = []

    def ask(prompt: str) -> str:
        if "White 1." in prompt:
            return "e4"
        assert prompt.startswith("White 2.")
        wait_until(lambda: "Scripted wins on time (0-1)" in printed)
        raise EOFError

    session = Session(first_move(), tmp_path)
    with Background() as background:
        background.wait_for(session.start(NewGame(time="0.3+0")))
        try:
            Terminal(session, background, printed.append, ask).run()
        finally:
            background.wait_for(session.close())
    assert printed.count("Scripted wins on time (0-1)") == 1


def test_a_game_that_goes_on_is_ended_only_after_a_question(tmp_path):
    text, session = played(tmp_path, "e4", "resign", "n", "new", "", "resign", "y")
    assert text.count("Resign this game? [y/N] ") == 2
    assert "End this game? [y/N] " in text
    assert session.number == 1
    assert session.game.ending_text == "Scripted wins by resignation"


def test_level_and_clock_are_chosen_by_words(tmp_path):
    lines = ("elo 1200", "tc 300+3", "elo strong", "elo full")
    text, session = played(tmp_path, *lines, spec=first_move(*LEVELS))
    assert "You play white against Scripted at 1200 Elo." in text
    assert "White 1. 5:00 > " in text
    assert "level strong: must be a number or 'full'" in text
    assert session.wishes.elo is None
    assert session.wishes.time == "300+3"


@pytest.mark.parametrize(
    "wishes",
    [
        NewGame(time=QUICK, chess960=True),
        NewGame(time=QUICK, chess960=True, number=0),
        NewGame(time=QUICK, fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
    ],
)
def test_a_game_at_another_level_or_clock_has_the_same_start(tmp_path, wishes):
    lines = ("fen", "elo 1200", "fen", "tc 300+3", "fen")
    text, session = played(tmp_path, *lines, spec=first_move(*LEVELS), wishes=wishes)
    assert session.number == 3
    assert session.game.start.chess960 == wishes.chess960
    assert text.splitlines().count(session.game.start.fen()) == 3


def test_a_new_game_begins_from_the_usual_position(tmp_path):
    _, session = played(tmp_path, "new", wishes=NewGame(time=QUICK, chess960=True, number=0))
    assert session.number == 2
    assert session.game.start == chess.Board()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("tc soon", "time control"),
        ("tc 0", "0 is not allowed"),
        ("tc 100000", "more than 24 hours"),
        ("elo 999", "plays at 1000 to 2600, or full"),
    ],
)
def test_bad_settings_are_refused_before_the_question(tmp_path, line, problem):
    text, session = played(tmp_path, "e4", line, spec=first_move(*LEVELS))
    assert problem in text
    assert "End this game?" not in text
    assert session.number == 1


def test_the_board_is_drawn_for_both_sides_with_the_last_move():
    board = chess.Board()
    board.push_san("e4")
    lines = board_lines(board, chess.WHITE, in_unicode=True)
    assert lines[0].startswith("8  ♜  ♞ ")
    assert lines[4] == "4  ·  ·  ·  · [♙] ·  ·  · "
    assert lines[6] == "2  ♙  ♙  ♙  ♙ [·] ♙  ♙  ♙ "
    assert lines[8] == "   a  b  c  d  e  f  g  h "
    lines = board_lines(board, chess.BLACK, in_unicode=False)
    assert lines[0].startswith("1  R  N  B  K ")
    assert lines[3] == "4  .  .  . [P] .  .  .  . "
