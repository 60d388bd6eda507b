"""Searches through `zobra.api`: analysis, pondering, games, options, and boards changed by hand."""

import gc
import logging
import threading
import time

import chess
import chess.engine
import chess.polyglot
import pytest
from chess.engine import INFO_ALL, Info, Limit, Opponent

from zobra.api import Engine, EngineError, evaluate, position

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
LIMIT = Limit(depth=3)


@pytest.fixture(scope="module")
def engine():
    with Engine(hash=1) as engine:
        yield engine


def wait_for(condition, seconds=60):
    """Return True as soon as a condition holds, False if it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


# Analysis


def test_infos_come_while_the_search_runs(engine):
    board = chess.Board(KIWIPETE)
    with engine.analysis(board) as analysis:
        depths = [analysis.get()["depth"] for _ in range(5)]
        assert depths == sorted(depths) and depths[-1] >= 3
        assert not analysis._stream.finished
    best = analysis.wait()
    assert best.move in board.legal_moves
    board.push(best.move)
    assert best.ponder in board.legal_moves


def test_what_was_found_can_be_read_after_the_end(engine):
    analysis = engine.analysis(chess.Board(), Limit(depth=4), multipv=2)
    analysis.wait()
    assert not analysis.would_block() and not analysis.empty()
    infos = list(analysis)
    assert [info["multipv"] for info in infos[-2:]] == [1, 2]
    assert infos[-2:] == analysis.multipv and analysis.info == infos[-2]
    assert analysis.empty() and not analysis.would_block() and analysis.next() is None
    with pytest.raises(chess.engine.AnalysisComplete):
        analysis.get()


def test_a_command_ends_a_search_and_an_old_analysis_ends_no_other(engine):
    first = engine.analysis(chess.Board())
    second = engine.analysis(chess.Board(KIWIPETE))
    assert first.wait().move in chess.Board().legal_moves
    first.stop()
    assert second.next() and second.next() and not second._stream.finished
    engine.ping()
    assert second.wait().move in chess.Board(KIWIPETE).legal_moves


def test_nothing_is_left_to_wait_for_before_the_first_info(engine):
    analysis = engine.analysis(chess.Board("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"))
    assert analysis.get()["score"] == chess.engine.PovScore(chess.engine.Cp(0), chess.BLACK)
    assert analysis.empty() and analysis.would_block()  # an infinite search waits for its stop
    analysis.stop()
    assert analysis.wait().move is None and not analysis.would_block()


@pytest.mark.parametrize(
    ("selected", "present", "absent"),
    [
        (Info.BASIC, {"depth", "nodes", "wdl"}, {"score", "pv"}),
        (Info.SCORE, {"score", "depth"}, {"pv"}),
        (Info.PV, {"pv", "depth"}, {"score"}),
        (Info.SCORE | Info.PV, {"pv", "score"}, set()),
    ],
)
def test_infos_are_selected(engine, selected, present, absent):
    for info in (
        engine.analyse(chess.Board(), LIMIT, info=selected),
        engine.play(chess.Board(), LIMIT, info=selected).info,
    ):
        assert present <= info.keys() and not absent & info.keys()


def test_without_a_selection_play_has_no_info(engine):
    assert engine.play(chess.Board(), LIMIT).info == {}
    assert engine.analyse(chess.Board(), LIMIT, info=Info.NONE) == {}


# Games


def test_a_ponderhit_goes_on_with_the_search(engine):
    """The search on the opponent's time has no clock of its own before the hit."""
    board = chess.Board()
    played = engine.play(board, Limit(nodes=2000), ponder=True)
    board.push(played.move)
    board.push(played.ponder)
    expected = engine._ponder
    assert expected.board == board
    hit = engine.play(board, Limit(nodes=2000), ponder=True, info=INFO_ALL)
    assert hit.move in board.legal_moves and hit.info == expected.search.stream.lines[0]


@pytest.mark.parametrize(
    "changed", [{"game": "another"}, {"options": {"Skill Level": 3}}, {"ponder": False}, {}]
)
def test_a_search_for_another_move_is_given_up(engine, changed):
    board = chess.Board()
    played = engine.play(board, Limit(nodes=2000), ponder=True)
    board.push(played.move)
    moves = [move for move in board.legal_moves if changed or move != played.ponder]
    board.push(played.ponder if changed else moves[0])
    given_up = engine._ponder.search.stream
    missed = engine.play(board, Limit(nodes=500), **({"ponder": True} | changed), info=INFO_ALL)
    assert missed.move in board.legal_moves and missed.info != given_up.lines[0]
    engine.ping()


def test_pondering_ends_with_the_next_command(engine):
    engine.play(chess.Board(), Limit(nodes=500), ponder=True)
    search = engine._ponder.search
    engine.configure({"Move Overhead": 10})
    assert search.stream.finished and engine._ponder is None


def test_another_game_begins_without_what_was_learned(engine):
    def nodes(**arguments):
        board = chess.Board(KIWIPETE)
        return engine.play(board, Limit(depth=8), info=INFO_ALL, **arguments).info["nodes"]

    first = nodes(game=1)
    assert nodes(game=1) != first
    assert nodes(game=2) == first
    opponent = Opponent("Deep Thought", "none", 2500, True)
    assert nodes(game=2, opponent=opponent) == first
    assert nodes(game=2, opponent=opponent) != first
    assert nodes(game=2) == first
    engine.new_game()
    assert nodes(game=2) == first


def test_what_uci_engines_are_told_of_opponents_and_results(engine):
    engine.send_opponent_information(opponent=Opponent("Bob", None, None, False), engine_rating=9)
    assert engine._engine.options["UCI_Opponent"] == "none none human Bob"
    engine.send_opponent_information()
    engine.send_game_result(chess.Board(), winner=chess.WHITE, game_ending="resignation")
    engine.configure({"UCI_Opponent": ""})


def test_a_clock_of_one_side_is_a_clock(engine):
    for limit in (Limit(black_clock=0.5), Limit(white_clock=-1, white_inc=-1, remaining_moves=0)):
        assert engine.play(chess.Board(), limit).move in chess.Board().legal_moves


# Options


def test_options_of_one_search_are_taken_back(engine, tmp_path):
    book = tmp_path / "book.bin"
    key = chess.polyglot.zobrist_hash(chess.Board())
    move = chess.E2 << 6 | chess.E4
    book.write_bytes(key.to_bytes(8, "big") + move.to_bytes(2, "big") + b"\0\1\0\0\0\0")
    by_book = {"ownbook": "true", "BookFile": str(book)}
    for _ in range(2):
        played = engine.play(chess.Board(), LIMIT, info=INFO_ALL, options=by_book)
        assert played.move.uci() == "e2e4" and played.info["depth"] == 0
        assert engine.play(chess.Board(), LIMIT, info=INFO_ALL).info["depth"] == 3
        assert engine.analyse(chess.Board(), LIMIT, options=by_book)["depth"] == 3
    engine.configure(by_book)
    assert engine.play(chess.Board(), LIMIT, info=INFO_ALL).info["depth"] == 0
    engine.configure({"OwnBook": False, "BookFile": ""})


def test_options_are_those_of_uci(engine):
    assert engine.options["skill level"].max == 20
    assert engine.options["Clear Hash"].type == "button"
    assert engine.id["name"].startswith("Zobra ")
    engine.configure({"Clear Hash": None, "Skill Level": "20", "OwnBook": "false"})


# Boards


def change_turn(board):
    board.turn = not board.turn


def change_rights(board):
    board.castling_rights = chess.BB_EMPTY


def change_clock(board):
    board.halfmove_clock += 7


@pytest.mark.parametrize("change", [change_turn, change_rights, change_clock])
def test_a_board_that_was_changed_by_hand_is_refused(engine, change):
    board = chess.Board()
    board.push_uci("g1f3")
    board.push_uci("g8f6")
    assert engine.play(board, LIMIT).move in board.legal_moves
    change(board)
    with pytest.raises(EngineError, match="the one that its moves lead to"):
        engine.play(board, LIMIT)
    with pytest.raises(ValueError, match="the one that its moves lead to"):
        engine.analysis(board)
    board.clear_stack()
    assert engine.play(board, LIMIT).move in board.legal_moves


def test_null_moves_are_moves(engine):
    board = chess.Board()
    board.push(chess.Move.null())
    board.push_uci("e7e5")
    assert engine.play(board, LIMIT).move in board.legal_moves


@pytest.mark.parametrize(
    ("fen", "ep", "clean", "notice"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", None, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "on a1 "),
        ("4k3/8/8/8/8/8/8/3K4 w K - 0 1", None, "4k3/8/8/8/8/8/8/3K4 w - - 0 1", "on h1 "),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - e6 0 1", "e6", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "e6 is"),
    ],
)
def test_what_cannot_be_is_dropped_with_a_notice(engine, caplog, fen, ep, clean, notice):
    """As the UCI conversation does."""
    board = chess.Board(fen)
    assert board.status() & (chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE)
    before = board.fen()
    with caplog.at_level(logging.WARNING, "zobra.api"):
        assert position(board).key == position(chess.Board(clean)).key
    assert len(caplog.messages) == 1 and notice in caplog.messages[0]
    assert engine.play(board, LIMIT).move in chess.Board(clean).legal_moves
    assert evaluate([board])[0] == evaluate([chess.Board(clean)])[0]
    board.push(next(iter(chess.Board(clean).legal_moves)))
    assert engine.play(board, LIMIT).move
    board.pop()
    assert board.fen() == before


def test_chess960_castling_between_neighbours(engine):
    """b1c1 is a move of the king, b1a1 castles, both with the king on c1 afterwards."""
    board = chess.Board("4k3/8/8/8/8/8/8/RK6 w Q - 0 1", chess960=True)
    for text in ("b1c1", "b1a1"):
        move = chess.Move.from_uci(text)
        assert engine.play(board, LIMIT, root_moves=[move]).move == move
        after = board.copy()
        after.push(move)
        assert engine.play(after, LIMIT).move in after.legal_moves


# The end


def test_a_closed_engine_says_so():
    engine = Engine(hash=1)
    analysis = engine.analysis(chess.Board())
    engine.quit()
    assert analysis.wait().move and engine.returncode.result(timeout=0) == 0
    engine.close()
    for call in (engine.quit, engine.ping, lambda: engine.play(chess.Board(), LIMIT)):
        with pytest.raises(chess.engine.EngineTerminatedError):
            call()


def test_a_forgotten_engine_ends_its_search():
    infos = Engine(hash=1).analysis(chess.Board(), Limit(depth=3))
    assert len(list(infos)) >= 3  # an analysis keeps its engine

    earlier = set(threading.enumerate())
    endless = Engine(hash=1).analysis(chess.Board())
    assert endless.get()
    threads = [each for each in set(threading.enumerate()) - earlier if each.name == "engine"]
    assert len(threads) == 1
    del endless
    gc.collect()
    assert wait_for(lambda: not threads[0].is_alive())


def test_threads_may_share_an_engine(engine):
    found = []

    def play():
        for _ in range(5):
            found.append(engine.play(chess.Board(), Limit(nodes=3000)).move)

    players = [threading.Thread(target=play) for _ in range(3)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert len(found) == 15 and all(move in chess.Board().legal_moves for move in found)
