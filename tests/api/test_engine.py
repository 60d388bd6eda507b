"""The engine from Python: the page that shows it, and what it refuses."""

import doctest
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from functools import partial

import chess
import chess.engine
import chess.variant
import numpy as np
import pytest
from chess.engine import Limit

from tests.support.paths import ROOT
from tests.support.playouts import playouts
from zobra.api import Engine, evaluate, parse_fen, perft, position
from zobra.engine.network import BATCH
from zobra.search.searcher import Searcher
from zobra.search.wdl import normalised

LIMIT = Limit(depth=1)
ONE_KING = "8/8/8/8/8/8/8/K7 w - - 0 1"
PAGE = ROOT / "docs" / "python.md"


@pytest.fixture(scope="module")
def engine():
    return Engine(hash=1)


def test_the_examples_of_the_page_on_python():
    """As `python -m doctest docs/python.md` checks it."""
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 20
    assert found.failed == 0


def test_evaluate_matches_the_engine():
    searcher = Searcher(1)
    boards = []
    expected = []
    for board, ours in playouts(8, 3):
        boards.append(board.copy(stack=False))
        expected.append(normalised(searcher.evaluate(ours) * (1 if board.turn else -1)))
    assert len(boards) > BATCH > 500
    assert np.array_equal(evaluate(boards), expected)
    assert np.array_equal(evaluate(map(position, boards)), expected)
    assert evaluate([]).shape == (0,)


def test_the_moves_of_a_board_count_for_repetition(engine):
    board = chess.Board("6k1/8/8/8/8/8/q7/6K1 w - - 0 1")  # lost, but for a third repetition
    for text in ["g1f1", "a2b2", "f1g1", "b2a2", "g1f1", "a2b2", "f1g1", "b2a2", "g1f1", "a2b2"]:
        board.push_uci(text)
    limit = Limit(depth=4)
    assert engine.analyse(board, limit)["score"].white() == chess.engine.Cp(0)
    without_moves = chess.Board(board.fen())
    assert engine.analyse(without_moves, limit)["score"].white() < chess.engine.Cp(-300)


def test_castling_is_written_as_the_board_does(engine):
    for chess960, text in ((False, "e1g1"), (True, "e1h1")):
        board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1", chess960=chess960)
        played = engine.play(board, LIMIT, root_moves=[chess.Move.from_uci(text)])
        assert played.move.uci() == text
        assert played.move in board.legal_moves


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", chess.engine.Cp(0)),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", chess.engine.Mate(0)),
    ],
)
def test_a_game_that_is_over_has_no_move(engine, fen, score):
    played = engine.play(chess.Board(fen), LIMIT, info=chess.engine.INFO_ALL)
    assert played.move is None
    over = {"score": chess.engine.PovScore(score, chess.BLACK), "pv": [], "depth": 0}
    assert played.info == over


def test_even_the_shortest_search_answers(engine):
    played = engine.play(chess.Board(), Limit(nodes=1), info=chess.engine.INFO_ALL)
    assert played.info["pv"] == [played.move]
    assert played.info["nodes"] == 1


@pytest.mark.parametrize(
    ("search", "fault"),
    [
        ({"board": chess.Board(None)}, "the board is empty"),
        ({"board": chess.variant.AtomicBoard()}, "not atomic"),
        ({"limit": Limit(depth=0)}, "number from 1 to"),
        ({"limit": Limit(nodes=2**70)}, "number from 1 to"),
        ({"limit": Limit(white_clock=float("inf"))}, "seconds, not inf"),
        ({"limit": Limit()}, "needs a limit"),
        ({"root_moves": [chess.Move(0, 1)]}, "'a1b1' is not a legal move"),
        ({"root_moves": []}, "root_moves is empty"),
        ({"options": {"BookFile": "none.bin"}}, "no such file"),
    ],
)
@pytest.mark.parametrize("method", ["play", "analyse"])
def test_invalid_searches_are_refused(engine, method, search, fault):
    arguments = {"board": chess.Board(), "limit": LIMIT} | search
    with pytest.raises(ValueError, match=fault):
        getattr(engine, method)(**arguments)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (
            lambda engine: engine.analyse(chess.Board(), LIMIT, multipv=0),
            "MultiPV is a number from 1",
        ),
        (lambda engine: Engine(threads=0), "at least 1, not 32 and 0"),
        (lambda engine: evaluate([chess.Board(ONE_KING)]), "Black has no king"),
        (lambda engine: perft(parse_fen(chess.STARTING_FEN), 33), "from 0 to 32, not 33"),
        (lambda engine: perft(chess.Board(), -1), "from 0 to 32, not -1"),
        (lambda engine: engine.configure({"Skill": 3}), "no option 'Skill'"),
        (lambda engine: engine.configure({"Hash": "many"}), "takes int, not 'many'"),
        (lambda engine: engine.configure({"multipv": 3}), "MultiPV is set by the arguments"),
        (lambda engine: engine.configure({"Debug Log File": "x"}), "is for UCI only"),
    ],
)
def test_invalid_calls_are_refused(engine, call, fault):
    with pytest.raises(ValueError, match=fault):
        call(engine)


@pytest.mark.parametrize("end", ["stop", "interrupt"])
def test_a_search_can_be_stopped_or_interrupted(engine, end):
    interrupt = partial(signal.raise_signal, signal.SIGINT)
    threading.Timer(0.3, engine.stop if end == "stop" else interrupt).start()
    begin = time.monotonic()
    with nullcontext() if end == "stop" else pytest.raises(KeyboardInterrupt):
        assert engine.analyse(chess.Board(), Limit(time=60))["pv"]
    assert time.monotonic() - begin < 30


def test_a_second_start_needs_no_numba(engine):
    code = "import sys; from zobra.api import Engine; Engine(hash=1); print('numba' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
