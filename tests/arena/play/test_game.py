"""The game between a person and an engine, without any engine."""

import io

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.adjudication import DRAW
from zobra.arena.model.clock import TimeControl
from zobra.arena.play.game import Game

SECOND = TimeControl(movetime=1000)


def new_game(fen=chess.STARTING_FEN, human=chess.WHITE, control=SECOND, chess960=False) -> Game:
    return Game(chess.Board(fen, chess960=chess960), human, control, "Material", 1500)


def play_all(game: Game, *moves: str) -> Game:
    for text in moves:
        if game.human_to_move:
            game.play(game.read_move(text), 100)
        else:
            game.add(PlayedMove(game.read_move(text), score=20, depth=3, clock_ms=None))
    return game


@pytest.mark.parametrize(
    ("text", "uci"),
    [
        ("e4", "e2e4"),
        ("E4", "e2e4"),
        ("e2e4", "e2e4"),
        ("E2E4", "e2e4"),
        ("Nf3", "g1f3"),
        ("nf3", "g1f3"),
        ("NF3!?", "g1f3"),
        (" g1 f3 ", "g1f3"),
        ("Ng1-f3", "g1f3"),
    ],
)
def test_moves_are_read_in_any_usual_spelling(text, uci):
    assert new_game().read_move(text).uci() == uci


@pytest.mark.parametrize("text", ["O-O", "0-0", "o-o", "oo", "OO", "e1g1", "e1h1", "0-0!"])
def test_castling_is_read_in_any_usual_spelling(text):
    game = new_game("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1")
    game.play(game.read_move(text), 0)
    assert game.board.piece_at(chess.G1) == chess.Piece(chess.KING, chess.WHITE)


def test_long_castling_and_castling_in_chess960():
    game = new_game("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    assert game.read_move("0-0-0").uci() == "e1c1"
    game = new_game("4k3/8/8/8/8/8/8/RK6 w A - 0 1", chess960=True)
    assert game.read_move("ooo").uci() == "b1a1"


def test_a_pawn_goes_before_a_bishop_where_the_case_leaves_it_open():
    both = new_game("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1")
    assert both.read_move("bxc3").uci() == "b2c3"
    assert both.read_move("Bxc3").uci() == "d2c3"
    bishop = new_game("4k3/8/8/8/8/2p5/3B4/4K3 w - - 0 1")
    assert bishop.read_move("bxc3").uci() == "d2c3"


@pytest.mark.parametrize(("text", "uci"), [("e8=N", "e7e8n"), ("e8q", "e7e8q"), ("E8=Q", "e7e8q")])
def test_promotions_name_their_piece(text, uci):
    game = new_game("8/4P3/8/8/8/8/k7/4K3 w - - 0 1")
    assert game.read_move(text).uci() == uci


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no move"),
        ("!", "no move"),
        ("hello", "hello is not a move"),
        ("e5", "e5 is not legal here"),
        ("e2e5", "e2e5 is not legal here"),
        ("Ke2", "Ke2 is not legal here"),
        ("O-O", "O-O is not legal here"),
        ("0000", "not"),
        ("--", "not"),
        ("Z0", "not"),
        ("\x1b[2J", r"\\x1b"),
    ],
)
def test_what_is_no_move_is_refused_in_words(text, problem):
    with pytest.raises(ValueError, match=problem):
        new_game().read_move(text)


def test_an_ambiguous_move_names_those_that_it_may_be():
    game = new_game("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    with pytest.raises(ValueError, match=r"Nd2 is ambiguous: (Nbd2 or Nfd2|Nfd2 or Nbd2)"):
        game.read_move("Nd2")


def test_a_promotion_without_its_piece_asks_for_it():
    game = new_game("8/4P3/8/8/8/8/k7/4K3 w - - 0 1")
    with pytest.raises(ValueError, match="e8 needs a piece: e8=Q"):
        game.read_move("e8")
    with pytest.raises(ValueError, match="e7e8 needs a piece: e7e8q"):
        game.read_move("e7e8")
    with pytest.raises(ValueError, match="e7e7 is not legal here"):
        game.read_move("e7e7")


@given(st.text(max_size=12))
def test_any_text_is_a_legal_move_or_is_refused(text):
    game = new_game("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    try:
        move = game.read_move(text)
    except ValueError as error:
        assert str(error).isprintable()
    else:
        assert game.board.is_legal(move)


def test_only_the_person_plays_and_only_legal_moves():
    game = new_game(human=chess.BLACK)
    with pytest.raises(ValueError, match="not your turn"):
        game.play(chess.Move.from_uci("e2e4"), 0)
    play_all(game, "e4")
    with pytest.raises(ValueError, match="not legal"):
        game.play(chess.Move.from_uci("e7e4"), 0)
    play_all(game, "e5")
    assert [played.move.uci() for played in game.moves] == ["e2e4", "e7e5"]


@pytest.mark.parametrize(
    ("fen", "move", "result", "text"),
    [
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf8", "1-0", "You win by checkmate"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "Qf7", DRAW, "Draw by stalemate"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "Qe1", DRAW, "Draw by fifty-move rule"),
        ("7k/8/8/8/8/8/6n1/7K w - - 0 1", "Kxg2", DRAW, "Draw by insufficient material"),
    ],
)
def test_the_board_ends_the_game(fen, move, result, text):
    game = play_all(new_game(fen), move)
    assert game.ending.result == result
    assert game.ending_text == text
    assert not game.human_to_move
    assert not game.engine_to_move
    with pytest.raises(ValueError, match="the game is over"):
        game.play(chess.Move.from_uci("h8g8"), 0)


def test_the_engine_wins_by_checkmate_and_positions_repeat():
    game = play_all(new_game(), "f3", "e5", "g4", "Qh4")
    assert game.ending_text == "Material wins by checkmate"
    game = play_all(new_game(), *["Nf3", "Nf6", "Ng1", "Ng8"] * 2)
    assert game.ending_text == "Draw by threefold repetition"


def test_take_back_goes_to_the_last_turn_of_the_person():
    game = new_game()
    assert not game.can_take_back
    with pytest.raises(ValueError, match="no move to take back"):
        game.take_back()
    play_all(game, "e4", "e5", "Nf3")
    game.take_back()  # while the engine thinks
    assert len(game.moves) == 2
    assert game.human_to_move
    game.take_back()
    assert not game.moves
    assert game.board == chess.Board()

    game = play_all(new_game(human=chess.BLACK), "e4")
    assert not game.can_take_back
    play_all(game, "e5", "Nf3")
    game.take_back()
    assert [played.move.uci() for played in game.moves] == ["e2e4"]


def test_take_back_undoes_the_end_of_a_game():
    game = play_all(new_game(), "f3", "e5", "g4", "Qh4")
    game.take_back()
    assert game.ending is None
    assert game.human_to_move
    assert len(game.moves) == 2
    game.lose(chess.WHITE, "resignation")
    assert game.ending_text == "Material wins by resignation"
    game.take_back()
    assert game.ending is None
    assert not game.moves


def test_clocks_run_for_both_and_go_back():
    game = new_game(control=TimeControl.parse("60+2"))
    game.play(game.read_move("e4"), 10_000)
    assert game.clocks()[chess.WHITE].remaining_ms == 52_000
    game.add(PlayedMove(game.read_move("e5"), milliseconds=1000, clock_ms=61_000))
    assert game.clocks()[chess.BLACK].remaining_ms == 61_000
    game.play(game.read_move("Nf3"), 20_000)
    assert game.clocks()[chess.WHITE].remaining_ms == 34_000
    game.take_back()
    assert game.clocks()[chess.WHITE].remaining_ms == 52_000
    game.take_back()
    assert game.clocks()[chess.WHITE].remaining_ms == 60_000
    assert game.clocks()[chess.BLACK].remaining_ms == 60_000


def test_clocks_get_time_for_each_so_many_moves():
    game = new_game(control=TimeControl.parse("2/10"))
    play_all(game, "e4")
    assert game.clocks()[chess.WHITE].moves_to_go == 1
    game.add(PlayedMove(game.read_move("e5"), clock_ms=9_000))
    play_all(game, "d4")
    assert game.clocks()[chess.WHITE].moves_to_go == 2
    assert game.clocks()[chess.WHITE].remaining_ms == pytest.approx(19_800)


def test_a_move_after_the_time_loses_but_not_to_a_bare_king():
    game = new_game(control=TimeControl.parse("10+0"))
    game.play(game.read_move("e4"), 11_000)
    assert game.ending_text == "Material wins on time"
    assert not game.moves
    assert game.clocks()[chess.WHITE].remaining_ms == 0
    assert game.clocks()[chess.BLACK].remaining_ms == 10_000
    game = new_game("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", control=TimeControl.parse("10+0"))
    game.lose(chess.WHITE, "time")
    assert game.ending_text == "Draw by time against insufficient material"


def test_without_a_clock_the_person_has_all_the_time():
    game = new_game()
    game.play(game.read_move("e4"), 10**9)
    assert game.ending is None
    assert game.clocks()[chess.WHITE].remaining_ms is None
    assert game.clocks()[chess.BLACK].allowance_ms() > 1000


def test_pgn_has_names_result_clocks_and_what_the_engine_said():
    game = new_game(control=TimeControl.parse("60+0"))
    game.opponent = "Material (1500)"
    game.play(game.read_move("f3"), 10_000)
    game.add(PlayedMove(game.read_move("e5"), score=55, depth=9, milliseconds=70, clock_ms=59_930))
    game.play(game.read_move("g4"), 5_000)
    game.add(PlayedMove(game.read_move("Qh4"), mate=1, depth=9, milliseconds=70, clock_ms=59_860))
    text = write_game(game.to_pgn())
    read = chess.pgn.read_game(io.StringIO(text))
    assert not read.errors
    assert read.headers["White"] == "Player"
    assert "Orientation" not in read.headers
    assert read.headers["Black"] == "Material (1500)"  # so that reports keep the levels apart
    assert read.headers["BlackElo"] == "1500"
    assert read.headers["Result"] == "0-1"
    assert read.headers["TimeControl"] == "60"
    assert read.headers["Termination"] == "normal"
    nodes = list(read.mainline())
    assert [node.clock() for node in nodes] == [50, 59.93, 45, 59.86]
    assert "+0.55/9" in nodes[1].comment
    assert "Material (1500) wins by checkmate" in nodes[-1].comment
    assert read.end().board().is_checkmate()


def test_pgn_shows_the_board_from_the_side_of_the_person():
    game = play_all(new_game(human=chess.BLACK), "e4")
    assert game.to_pgn().headers["Orientation"] == "black"


def test_pgn_of_an_unfinished_game_from_a_position_of_chess960():
    start = chess.Board.from_chess960_pos(0)
    game = Game(start, chess.WHITE, SECOND, "Material")
    game.play(game.read_move("e4"), 100)
    read = chess.pgn.read_game(io.StringIO(write_game(game.to_pgn())))
    assert read.headers["Result"] == "*"
    assert read.headers["Termination"] == "unterminated"
    assert read.headers["Variant"] == "Chess960"
    assert "BlackElo" not in read.headers
    assert read.board() == start
    assert len(list(read.mainline())) == 1
