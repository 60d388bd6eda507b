"""The programs that check matches: each kind of fault is found, and a sound match has none."""

import subprocess
import sys
from collections import Counter

import pytest

from tests.tools.conversation import Conversation
from tests.tools.judge import game_faults, read_games, transcript_faults

SOUND = [
    "> uci",
    "< id name Zobra 1",
    "< uciok",
    "> position startpos moves f2f3 e7e5",
    "> go nodes 9",
    "< info depth 1 multipv 1 score cp 3 lowerbound pv g2g4",
    "< info depth 1 multipv 1 score mate -1 nodes 9 pv g2g4 d8h4",
    "< bestmove g2g4 ponder d8h4",
    "> position startpos moves f2f3 e7e5 g2g4",
    "> go depth 2",
    "< info depth 1 score mate 1 pv d8h4",
    "< bestmove d8h4",
    "> position startpos moves f2f3 e7e5 g2g4 d8h4",
    "> go depth 2",
    "< info depth 0 score mate 0",
    "< bestmove (none)",
    "> quit",
    "# ended with 0",
]


@pytest.mark.parametrize(
    ("termination", "moves", "faults"),
    [
        ("normal", "1. f3 e5 2. g4 {-0.10/1 0.1s} Qh4# {+M1/3 0.1s}", []),
        ("time forfeit", "1. f3 e5", [("Zobra", "time")]),
        ("rules infraction", "1. f3", [("Zobra", "illegal move")]),
        ("normal", "1. f3 {+M5/3 0.1s} e5 2. g4 Qh4#", [("Zobra", "mate not given")]),
        ("normal", "1. f3 e5 2. Qh7", [("Zobra", "illegal move")]),
    ],
)
def test_games(tmp_path, termination, moves, faults):
    text = f'[White "Zobra"]\n[Black "Other"]\n[Result "0-1"]\n[Termination "{termination}"]\n\n{moves} 0-1\n'
    (tmp_path / "games.pgn").write_text(text)
    for path in (tmp_path, tmp_path / "games.pgn"):
        assert [fault[:2] for game, name in read_games(path) for fault in game_faults(game, name)] == faults


def faults_of(lines: list[str]) -> list[str]:
    conversation = Conversation()
    stamped = [line if line.startswith("#") else f"1.000 {line}" for line in lines]
    return [kind for line in stamped for kind, _ in conversation.take(line)]


def test_a_sound_conversation():
    assert faults_of(SOUND) == []


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("< bestmove d8h4", "< bestmove d8g5", ["bestmove"]),
        ("< bestmove d8h4", "< bestmove (none)", ["illegal move"]),
        ("< bestmove d8h4", "< bestmove d8h4\n1.000 < bestmove d8h4", ["bestmove"]),
        ("< bestmove d8h4", "< bestmove d8h4 ponder a2a3", ["illegal move"]),
        ("> go depth 2", "> d", ["bestmove", "bestmove"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score mate 1 pv d8h4 a2", ["illegal line", "false mate line"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score mate 2 pv d8h4", ["false mate line"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score cp 1 upperbound pv a7a9", ["illegal line", "bestmove"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score cp 1 lowerbound pv d8h4", []),
        ("< bestmove (none)", "< info string thinking", ["bestmove"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score mate 1 pv", ["illegal line"]),
        ("# ended with 0", "# ended with 7", ["exit status"]),
    ],
)
def test_faults_in_a_conversation(old, new, faults):
    lines = [part for line in SOUND for part in (new.split("\n1.000 ") if line == old else [line]) if part]
    if new == "< info string thinking":
        lines.remove("> quit")
    assert faults_of(lines) == faults


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [([], []), (["--illegal", "1"], ["illegal move", "bestmove"]), (["--crash", "1"], ["exit status", "bestmove"])],
)
def test_the_witness_records_a_conversation(tmp_path, arguments, faults):
    command = [sys.executable, "tests/tools/witness.py", str(tmp_path), sys.executable, "tests/scripted_engine.py", *arguments]
    # the scripted engine says that it would play e2e4, and plays the first move by name or worse
    talk = "uci\nisready\nposition startpos moves e2e4 e7e5\ngo movetime 1\n"
    done = subprocess.run(command, check=False, input=talk, capture_output=True, text=True, timeout=60)
    assert "uciok" in done.stdout
    counts: Counter[str] = Counter()
    found = [kind for _, kind, _ in transcript_faults(tmp_path, counts) if kind != "illegal line"]
    assert counts["searches"] == 1 and counts["processes"] == 1
    assert [kind for kind in found if kind != "bestmove" or faults] == faults
    assert done.returncode == (7 if "--crash" in arguments else 0)
