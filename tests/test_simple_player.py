"""The simple player of a cold start: legal everywhere, blind to nothing that a beginner sees."""

import random
import time

import chess
import pytest

from tests.playouts import playouts
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD
from zobra.uci import commands
from zobra.uci.commands import Go
from zobra.uci.simple_player import SimplePlayer, evaluate
from zobra.uci.simple_search import SimpleSearch, parse_move


def think(board: chess.Board, depth: int, choices=None):
    thoughts = []
    player = SimplePlayer(board, lambda nodes: False)
    best = player.think(choices or list(board.legal_moves), range(1, depth + 1), lambda thought: bool(thoughts.append(thought)))
    assert best == thoughts[-1]
    return best.line, thoughts


def test_its_evaluation_is_the_engines():
    for board, position in playouts(20, seed=5):
        assert evaluate(board) == int(static_evaluation(position.record, TABLES_RECORD)), board.fen()


def test_lines_are_legal_and_leave_the_board_alone():
    boards = [board.copy() for board, _ in playouts(20, seed=6) if any(board.legal_moves)]
    for board in random.Random(1).sample(boards, 40):
        before = board.fen()
        line, thoughts = think(board, 2)
        assert board.fen() == before and line
        for move in line:
            assert move in board.legal_moves
            board.push(move)
        assert [thought.depth for thought in thoughts] == [1, 2]


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8"),
        ("7k/R7/8/8/8/8/8/1R5K w - - 0 1", "b1b8"),
        ("4K2k/r7/1r6/8/8/8/8/8 b - - 0 1", "b6b8"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f8"),  # and not a stalemate
    ],
)
def test_sees_a_mate(fen, best):
    line, thoughts = think(chess.Board(fen), 3)
    assert line[0].uci() == best and thoughts[-1].mate == 1


def test_takes_what_hangs_and_leaves_what_is_protected():
    assert think(chess.Board("k7/8/8/3q4/8/4N3/8/K7 w - - 0 1"), 1)[0][0].uci() == "e3d5"
    for depth in (1, 2, 3):
        assert think(chess.Board("k7/8/2p5/3p4/8/4N3/8/K7 w - - 0 1"), depth)[0][0].uci() != "e3d5"


@pytest.mark.parametrize("fen", ["8/8/8/3k4/8/3K4/3R4/8 w - - 99 80", "8/8/8/3k4/8/3K4/3n4/8 w - - 0 1"])
def test_knows_a_draw_by_fifty_moves_and_by_material(fen):
    assert think(chess.Board(fen), 2)[1][-1].score == 0


def test_a_repetition_saves_the_loser():
    lost = chess.Board("6k1/6pp/8/8/8/1q6/2r5/K6Q w - - 0 1")
    for text in ("h1a8", "g8f7", "a8h1", "f7g8"):
        lost.push_uci(text)
    _, thoughts = think(lost, 1, [chess.Move.from_uci("h1a8")])
    assert thoughts[-1].score == 0


def go(text: str, fen: str = chess.STARTING_FEN, chess960: bool = False) -> SimpleSearch:
    command = commands.parse(text)
    assert isinstance(command, Go)
    return SimpleSearch(command, chess.Board(fen, chess960=True), 0, chess960)


def answer(capfd, search: SimpleSearch, patience: float = 20.0) -> str:
    """The bestmove, of which there has to be just one."""
    search.thread.join(patience)
    assert not search.thread.is_alive()
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("bestmove")] == lines[-1:]
    assert " score " in lines[-2] and f" pv {lines[-1].split()[1]}" in lines[-2]
    return lines[-1]


@pytest.mark.parametrize(
    "text",
    ["depth 2", "nodes 1", "nodes 300", "movetime 1", "movetime 60", "wtime 0 btime -2", "wtime 900 btime 900 winc 10", "depth",
     "depth 0", "movetime 50 searchmoves a2a3", "mate 1 movetime 100", "depth 1 searchmoves 0000 e2e5"],
)  # fmt: skip
def test_every_limit_ends_in_one_legal_move(capfd, text):
    best = answer(capfd, go(f"go {text}")).split()[1]
    assert chess.Move.from_uci(best) in chess.Board().legal_moves
    if "a2a3" in text:
        assert best == "a2a3"


@pytest.mark.parametrize(
    ("fen", "said"),
    [("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"), ("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1", "checkmate")],
)
def test_where_the_game_is_over_it_says_so(capfd, fen, said):
    search = go("go movetime 50", fen)
    search.thread.join()
    lines = capfd.readouterr().out.splitlines()
    assert lines[-2:] == [f"info string {said}", "bestmove (none)"]


@pytest.mark.parametrize("text", ["infinite", "ponder movetime 1", "ponder wtime 10 btime 10", "infinite depth 1"])
def test_endless_searches_wait_for_stop(capfd, text):
    search = go(f"go {text}", "8/8/8/3k4/8/3K4/3R4/8 w - - 99 80")
    time.sleep(0.3)
    assert search.thread.is_alive()
    search.stop()
    assert answer(capfd, search) != "bestmove (none)"


def test_ponderhit_starts_the_clock(capfd):
    search = go("go ponder movetime 100")
    search.thread.join(0.4)
    assert search.thread.is_alive()
    search.ponderhit()
    answer(capfd, search)


def test_castling_is_written_as_wanted(capfd):
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert answer(capfd, go("go depth 1 searchmoves e1g1", fen)).split()[1] == "e1g1"
    assert answer(capfd, go("go depth 1 searchmoves e1g1", fen, chess960=True)).split()[1] == "e1h1"


def test_moves_are_read_as_the_engine_reads_them():
    for board, position in playouts(6, seed=8):
        for move in list(board.legal_moves):
            assert parse_move(board, move.uci().upper()) == move
        for text in ("0000", "", "e2e9", "e1e8q", "P@e4", "a1a1"):
            for parse in (position.parse_move, lambda text, board=board: parse_move(board, text)):
                with pytest.raises(ValueError, match="is not a legal move here"):
                    parse(text)


def test_what_is_given_up_says_nothing(capfd):
    search = go("go infinite")
    assert search.give_up() == Go(infinite=True)
    search.thread.join()
    assert "bestmove" not in capfd.readouterr().out
    timed = go("go movetime 50")
    assert timed.is_bound() and timed.give_up() is None  # a clock is running: who began ends it
    assert answer(capfd, timed) and not timed.is_bound()
    pondering = go("go ponder movetime 50")
    assert not pondering.is_bound()
    pondering.ponderhit()
    assert pondering.is_bound()
    answer(capfd, pondering)


def test_what_is_given_up_ponders_only_until_its_move_is_played():
    for was_played in (False, True):
        search = go("go ponder depth 30")
        if was_played:
            search.ponderhit()
        assert search.give_up() == Go({"depth": 30}, ponder=not was_played)
        search.thread.join()
