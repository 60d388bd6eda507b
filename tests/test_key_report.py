"""`zobra keys`: the quick report, and the measurements on played positions beneath it."""

import re
import subprocess
import sys

import chess
import chess.polyglot
import numpy as np
import pytest

from zobra.engine import key_trials
from zobra.engine.layouts import POSITION
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.zobrist import compute_keys


@pytest.fixture(scope="module")
def report() -> str:
    command = [sys.executable, "-m", "zobra.uci", "keys", "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert done.stderr == "" and "\x1b" not in done.stdout
    return done.stdout


def test_the_numbers(report):
    assert "781 numbers, 781 of them distinct" in report and "rank over GF(2): 64 of 64" in report


def test_dependent_subsets(report):
    assert "of 1 to 4 numbers, searched exhaustively: none" in report
    assert "pg8 Pa1 nf2 Bg6 Bc7 Ra5 Qg3 Kd4 adds up to 0" in report and "size 7 is not searched" in report


def test_distances(report):
    assert "as published: two numbers differ in 14 to 52 bits; rank 64" in report
    assert re.search(r"in another basis: [12] to \d+ bits; rank 64", report)


def rows(report: str, title: str) -> dict[int, list[str]]:
    """The rows of the table under a heading, by their first number."""
    section = report.split(title)[1].split("\n\n")[0]
    cells = [re.split(r"\s{2,}", line.strip()) for line in section.splitlines() if re.match(r"\s*\d+\s{2,}", line)]
    return {int(first): [cell.replace(",", "") for cell in rest] for first, *rest in cells}


def test_collisions_of_cut_keys(report):
    found = rows(report, "Collisions of keys cut short")
    assert list(found) == [16, 24, 32, 48]
    assert float(found[16][0]) == pytest.approx(float(found[16][1]), rel=0.05)
    assert found[48][0] == "0"


def test_type_1_errors(report):
    found = rows(report, "Type-1 errors")
    assert list(found) == [8, 12, 16, 24, 32]
    assert float(found[8][0]) == pytest.approx(float(found[8][1]), rel=0.3)
    assert "Zobra compares all 64 bits" in report


def test_times(report):
    section = report.split("Time of a key")[1]
    whole, claim, together, update, other = (float(time) for time in re.findall(r"([\d.]+) ns", section))
    assert min(whole, together, update) > 0 and "from scratch" in section and "update over a quiet move" in section
    assert (claim, other) == (10, 1)


def test_a_typing_mistake_is_named():
    command = [sys.executable, "-m", "zobra.uci", "keys", "--quik"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2 and "--quik" in done.stderr and "Traceback" not in done.stderr


def test_collected_keys_are_those_of_a_legal_game():
    board = chess.Board()
    for plies in range(1, 150):
        player, keys = key_trials.new_player(11), np.zeros(plies, np.uint64)  # the same game, one ply longer
        key_trials.collect(player, keys)
        position = Position(player["position"])
        if board.is_checkmate() or board.is_stalemate():
            board.reset()
        played = [move for move in board.legal_moves if board_after(board, move).fen() == position.to_board().fen()]
        assert len(played) == 1
        board.push(played[0])
        assert int(keys[-1]) == position.key
        if not board.ep_square or board.has_legal_en_passant():
            assert int(keys[-1]) == chess.polyglot.zobrist_hash(board)


def board_after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The position after a move; a square for en passant is named when it can be used, as in ours."""
    after = board.copy(stack=False)
    after.push(move)
    after.ep_square = after.ep_square if after.has_legal_en_passant() else None
    return after


def test_distinct_keys_are_distinct_and_the_same_each_time():
    keys = key_trials.distinct_keys(5_000, 3)
    assert len(np.unique(keys)) == len(keys) == 5_000
    assert (keys == key_trials.distinct_keys(5_000, 3)).all() and (np.diff(keys.astype(np.float64)) < 0).any()
    assert len(np.intersect1d(keys, key_trials.distinct_keys(5_000, 4))) < 1_000


def test_timed_kernels_make_the_keys_they_say():
    trial = key_trials.new_trial(5)
    samples = trial["samples"][0]
    known = samples["position"]["key"].copy()
    key_trials.make_whole_keys(trial[0], TABLES_RECORD, 1)
    assert (samples["key"] == known).all()
    samples["position"]["key"] = 0
    key_trials.make_all_keys(trial[0], TABLES_RECORD, 1)
    assert (samples["position"]["key"] == known).all()
    key_trials.update_keys(trial[0], TABLES_RECORD, 1)
    piece_key = TABLES_RECORD["piece_key"]
    step = (
        piece_key[samples["piece"], samples["from_"]] ^ piece_key[samples["piece"], samples["to"]] ^ TABLES_RECORD["side_key"]
    )
    assert (samples["key"][1:] ^ samples["key"][:-1] == step[1:]).all()
    assert key_trials.nanoseconds(key_trials.update_keys, trial, repeats=1, rounds=1) > 0


def test_the_key_of_a_sample_is_that_of_its_position():
    record = key_trials.new_trial(9)["samples"][0]["position"][:20].copy()
    for position in record:
        again = np.zeros(1, POSITION)
        again[0] = position
        compute_keys(again[0], TABLES_RECORD)
        assert again[0]["key"] == position["key"]
