"""`zobra keys`: the quick report, and the measurements on played positions beneath it."""

import re
import subprocess
import sys

import chess
import numpy as np
import pytest

from zobra.engine import random_games
from zobra.engine.fen import START, parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import CONSTANTS_RECORD, Position


def rows(report: str, title: str) -> dict[int, list[str]]:
    """Return the rows of the table under a heading, by their first number."""
    section = report.split(title)[1].split("\n\n")[0]
    found = {}
    for line in section.splitlines():
        if re.match(r"\s*\d+\s{2,}", line):
            first, *rest = re.split(r"\s{2,}", line.replace(",", "").strip())
            found[int(first)] = rest
    return found


def test_the_quick_report():
    command = [sys.executable, "-m", "zobra.cli", "keys", "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    report = done.stdout
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in report
    assert "781 numbers, 781 of them distinct" in report
    assert "rank over GF(2): 64 of 64" in report
    assert "of 1 to 4 numbers, searched exhaustively: none" in report
    assert "pg8 Pa1 nf2 Bg6 Bc7 Ra5 Qg3 Kd4 adds up to 0" in report
    assert "size 7 is not searched" in report
    pairs = rows(report, "Collisions of truncated keys")
    assert list(pairs) == [16, 24, 32, 48]
    assert pairs[48][0] == "0"
    assert float(pairs[16][0]) == pytest.approx(float(pairs[16][1]), rel=0.05)
    matches = rows(report, "Type-1 errors")
    assert list(matches) == [8, 12, 16, 24, 32]
    assert float(matches[8][0]) == pytest.approx(float(matches[8][1]), rel=0.3)


def test_the_keys_are_those_of_legal_games():
    games = np.zeros(1, random_games.GAMES)
    games["start"] = parse_fen(START).record
    games["random"] = 11
    random_games.play_games(games[0], CONSTANTS_RECORD)
    board = chess.Board()
    for key in games["keys"][0, :300].tolist():
        if board.is_game_over() or board.ply() == random_games.LONGEST_GAME:
            board.reset()
        position = Position.from_board(board)
        (move,) = [one for one in position.legal_moves() if position.after(one).key == key]
        board.push_uci(move_text(move))


def test_distinct_keys_are_distinct_and_the_same_each_time():
    keys = random_games.distinct_keys(20_000, 3)
    assert len(np.unique(keys)) == len(keys) == 20_000
    assert (keys == random_games.distinct_keys(20_000, 3)).all()
    assert (np.diff(keys.astype(np.float64)) < 0).any()
    assert len(np.intersect1d(keys, random_games.distinct_keys(20_000, 4))) < 4_000
