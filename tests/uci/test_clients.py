"""Zobra as python-chess sees it: playing, pondering, and analysing."""

import shutil
import subprocess
import sys

import chess
import chess.engine
import pytest

from tests.support.searches import KIWIPETE


@pytest.fixture(scope="module")
def player():
    with chess.engine.SimpleEngine.popen_uci(
        [sys.executable, "-m", "zobra.uci"], timeout=120
    ) as engine:
        yield engine


def test_a_game_with_pondering(player):
    """Replies are the expected ones and others in turn, so that ponderhits and misses both
    occur.
    """
    board = chess.Board()
    hits = 0
    played = None
    limit = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.02, black_inc=0.02)
    while board.ply() < 24 and not board.is_game_over():
        if board.turn == chess.WHITE:
            played = player.play(board, limit, ponder=True, game="pondering")
            move = played.move
        elif played.ponder is not None and board.fullmove_number % 3 != 1:
            move = played.ponder
            hits += 1
        else:
            move = next(iter(board.legal_moves))
        assert move in board.legal_moves
        board.push(move)
    assert hits >= 4


def test_a_game_of_chess960(player):
    board = chess.Board.from_chess960_pos(777)
    while board.ply() < 60 and not board.is_game_over(claim_draw=True):
        limit = chess.engine.Limit(white_clock=5, black_clock=5, nodes=2000)
        board.push(player.play(board, limit, game="chess960").move)
    assert board.ply() > 8


def test_chances_as_python_chess_reads_them(player):
    player.configure({"UCI_ShowWDL": True})
    info = player.analyse(chess.Board(KIWIPETE), chess.engine.Limit(depth=5))
    player.configure({"UCI_ShowWDL": False})
    assert info["wdl"].relative.total() == 1000


def test_the_current_move_is_reported_after_a_second(engine):
    engine.send(f"position fen {KIWIPETE}", "go infinite")
    line = engine.expect("info depth ", 60)[-1]
    while " currmove " not in line:
        line = engine.expect("info depth ", 60)[-1]
    _, _, _, name, move, count, number = line.split()
    assert (name, count) == ("currmove", "currmovenumber")
    assert chess.Move.from_uci(move) in chess.Board(KIWIPETE).legal_moves
    assert int(number) >= 1
    lines = engine.ask("stop", answer="bestmove")
    assert " pv " in lines[-2]  # the last info line is one with a line


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["fastchess", "cutechess-cli"])
def test_two_games_by_a_match_tool(tool, tmp_path):
    program = shutil.which(tool)
    if program is None:
        pytest.skip(f"{tool} is not on the path")
    script = tmp_path / "zobra"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} -m zobra.uci\n", encoding="utf-8")
    script.chmod(0o755)
    games = tmp_path / "games.pgn"
    output = [f"file={games}"] if tool == "fastchess" else [str(games)]
    subprocess.run(
        [
            program,
            *("-engine", f"cmd={script}", "name=A", "-engine", f"cmd={script}", "name=B"),
            *("-each", "proto=uci", "tc=2+0.02", "option.Hash=16"),
            *("-rounds", "1", "-games", "2", "-repeat", "-pgnout", *output),
        ],
        check=True,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        timeout=300,
    )
    played = games.read_text(encoding="utf-8")
    assert played.count("[Result ") == 2
    assert "time forfeit" not in played
    assert "illegal" not in played
