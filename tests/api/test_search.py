"""Searches through `zobra.api`: analysis, pondering, games, options, and boards changed by hand."""

import gc
import logging
import threading
import weakref

import chess
import chess.engine
import chess.polyglot
import pytest
from chess.engine import INFO_ALL, Info, Limit, Opponent

from tests.support.searches import KIWIPETE
from zobra.api import Engine, EngineError, evaluate, position

LIMIT = Limit(depth=3)


@pytest.fixture(scope="module")
def engine():
    with Engine(hash=1) as engine:
        yield engine


# Analysis


def test_infos_arrive_during_the_search(engine):
    board = chess.Board(KIWIPETE)
    with engine.analysis(board) as analysis:
        depths = [analysis.get()["depth"] for _ in range(5)]
        assert depths == sorted(depths)
        assert depths[-1] >= 3
    best = analysis.wait()
    assert best.move in board.legal_moves
    board.push(best.move)
    assert best.ponder in board.legal_moves


def test_infos_can_be_read_after_the_end(engine):
    analysis = engine.analysis(chess.Board(), Limit(depth=4), multipv=2)
    analysis.wait()
    assert not analysis.would_block()
    assert not analysis.empty()
    infos = list(analysis)
    assert [info["multipv"] for info in infos[-2:]] == [1, 2]
    assert infos[-2:] == analysis.multipv
    for info in infos:
        info.clear()  # they are the caller's
    assert analysis.info["depth"] == 4
    assert analysis.empty()
    assert not analysis.would_block()
    assert analysis.next() is None
    with pytest.raises(chess.engine.AnalysisComplete):
        analysis.get()


def test_a_command_ends_a_search_and_an_old_analysis_ends_no_other(engine):
    first = engine.analysis(chess.Board())
    second = engine.analysis(chess.Board(KIWIPETE))
    assert first.wait().move in chess.Board().legal_moves
    first.stop()
    for _ in range(3):
        while not second.empty():
            second.get()
        assert second.next()  # it goes on
    engine.ping()
    assert second.wait().move in chess.Board(KIWIPETE).legal_moves


def test_a_game_that_is_over_has_an_info_at_once(engine):
    analysis = engine.analysis(chess.Board("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"))
    assert analysis.get()["score"] == chess.engine.PovScore(chess.engine.Cp(0), chess.BLACK)
    assert analysis.empty()
    assert analysis.would_block()  # an infinite search waits for its stop
    analysis.stop()
    assert analysis.wait().move is None
    assert not analysis.would_block()


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
        assert present <= info.keys()
        assert not absent & info.keys()


def test_without_a_selection_play_has_no_info(engine):
    assert engine.play(chess.Board(), LIMIT).info == {}
    assert engine.analyse(chess.Board(), LIMIT, info=Info.NONE) == {}


# Games


def play_and_ponder(engine: Engine, is_expected: bool = True) -> chess.Board:
    """Return the board after a move and a reply, while the engine ponders for 2,000 nodes."""
    board = chess.Board()
    played = engine.play(board, Limit(nodes=2_000), ponder=True)
    board.push(played.move)
    others = [move for move in board.legal_moves if move != played.ponder]
    board.push(played.ponder if is_expected else others[0])
    return board


def nodes_of_play(engine: Engine, board: chess.Board, **arguments) -> int:
    played = engine.play(board, Limit(nodes=300), info=INFO_ALL, **arguments)
    assert played.move in board.legal_moves
    return played.info["nodes"]


def test_a_ponderhit_goes_on_with_the_search(engine):
    board = play_and_ponder(engine)
    assert nodes_of_play(engine, board, ponder=True) == 2_000


@pytest.mark.parametrize(
    "changed", [{"game": "another"}, {"options": {"Skill Level": 3}}, {"ponder": False}]
)
def test_a_search_under_other_terms_is_given_up(engine, changed):
    board = play_and_ponder(engine)
    assert nodes_of_play(engine, board, **{"ponder": True} | changed) == 300
    engine.ping()


def test_a_search_for_another_move_is_given_up(engine):
    board = play_and_ponder(engine, is_expected=False)
    assert nodes_of_play(engine, board, ponder=True) == 300


def test_pondering_ends_with_the_next_command(engine):
    board = play_and_ponder(engine)
    engine.configure({"Move Overhead": 10})
    assert nodes_of_play(engine, board, ponder=True) == 300


def test_another_game_begins_without_what_was_learned(engine):
    def nodes(**arguments):
        board = chess.Board(KIWIPETE)
        return engine.play(board, Limit(depth=8), info=INFO_ALL, **arguments).info["nodes"]

    opponent = Opponent("Deep Thought", "none", 2500, True)
    first = nodes(game=1)
    assert nodes(game=1) != first
    assert nodes(game=2) == first
    assert nodes(game=2, opponent=opponent) == first
    assert nodes(game=2, opponent=opponent) != first
    engine.new_game()
    assert nodes(game=2, opponent=opponent) == first
    assert nodes(game=2) == first


def test_opponent_and_result(engine):
    engine.send_opponent_information(opponent=Opponent("Bob", None, None, False), engine_rating=9)
    assert engine._engine.options["UCI_Opponent"] == "none none human Bob"
    engine.send_opponent_information()
    engine.send_game_result(chess.Board(), winner=chess.WHITE, game_ending="resignation")
    engine.configure({"UCI_Opponent": ""})


def test_a_clock_of_one_side_is_enough(engine):
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
        assert played.move.uci() == "e2e4"
        assert played.info["depth"] == 0
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
def test_impossible_rights_are_dropped_with_a_warning(engine, caplog, fen, ep, clean, notice):
    """As the UCI conversation does."""
    board = chess.Board(fen)
    assert board.status() & (chess.STATUS_BAD_CASTLING_RIGHTS | chess.STATUS_INVALID_EP_SQUARE)
    before = board.fen()
    with caplog.at_level(logging.WARNING, "zobra.api"):
        assert position(board).key == position(chess.Board(clean)).key
    (message,) = caplog.messages
    assert notice in message
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


def test_a_closed_engine_raises():
    engine = Engine(hash=1)
    analysis = engine.analysis(chess.Board())
    engine.quit()
    assert analysis.wait().move
    assert engine.returncode.result(timeout=0) == 0
    engine.close()
    for call in (engine.quit, engine.ping, lambda: engine.play(chess.Board(), LIMIT)):
        with pytest.raises(chess.engine.EngineTerminatedError):
            call()


def test_the_end_of_an_engine_is_that_of_its_threads_and_its_table():
    earlier = set(threading.enumerate())
    with Engine(hash=1, threads=3) as engine:
        engine.play(chess.Board(), LIMIT)
        threads = set(threading.enumerate()) - earlier
        table = weakref.ref(engine._engine._player.searcher.tt)
    for thread in threads:
        thread.join(60)
    assert len(threads) == 4  # of the jobs, two helpers, and one for the current move
    gc.collect()
    assert table() is None


def test_a_forgotten_engine_ends_its_search():
    infos = Engine(hash=1).analysis(chess.Board(), Limit(depth=3))
    assert len(list(infos)) >= 3  # an analysis keeps its engine

    earlier = set(threading.enumerate())
    endless = Engine(hash=1).analysis(chess.Board())
    assert endless.get()
    (thread,) = [each for each in set(threading.enumerate()) - earlier if each.name == "engine"]
    del endless
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


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
    assert len(found) == 15
    assert all(move in chess.Board().legal_moves for move in found)
