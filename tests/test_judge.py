"""The judge of finished matches sees each kind of fault, and finds none where there is none."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.conversation import Conversation
from benchmarks.judge import judge_transcripts, read_games

ROOT = Path(__file__).resolve().parents[1]
MATE = [["f2f3", 0, None, 1, 9, 1], ["e7e5", 20, None, 1, 9, 1], ["g2g4", -10, None, 1, 9, 1], ["d8h4", None, 1, 1, 9, 1]]
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


def journal(folder: Path, **changes: object) -> Path:
    """A match folder with one game."""
    record = {
        "index": 0,
        "pair": 0,
        "round": 1,
        "white": "Zobra",
        "black": "Other",
        "opening": {"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "name": "", "root": "", "moves": []},
        "result": "0-1",
        "reason": "mate",
        "moves": MATE,
    }
    (folder / "run.json").write_text('{"chess960": false}')
    (folder / "journal.jsonl").write_text(json.dumps(record | changes) + "\n")
    return folder


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, []),
        ({"reason": "time"}, [("Zobra", "time")]),
        ({"reason": "disconnect", "result": "1-0"}, [("Other", "disconnect")]),
        ({"reason": "threefold repetition", "result": "1/2-1/2"}, [("Other", "mate not given")]),
        ({"reason": "draw adjudication", "result": "1/2-1/2"}, []),
        ({"moves": [*MATE[:2], ["g2g5", 0, None, 1, 9, 1]], "reason": "resignation"}, [("Zobra", "illegal move")]),
    ],
)
def test_journals(tmp_path, changes, faults):
    (game,) = read_games(journal(tmp_path, **changes))
    assert [fault[:2] for fault in game.faults()] == faults


@pytest.mark.parametrize(
    ("termination", "moves", "faults"),
    [
        ("normal", "1. f3 e5 2. g4 {-0.10/1 0.1s} Qh4# {+M1/3 0.1s}", []),
        ("time forfeit", "1. f3 e5", [("Zobra", "time")]),
        ("rules infraction", "1. f3", [("Zobra", "illegal move")]),
        ("abandoned", "1. f3", [("Zobra", "disconnect")]),
        ("normal", "1. f3 {+M5/3 0.1s} e5 2. g4 Qh4#", [("Zobra", "mate not given")]),
        ("normal", "1. f3 e5 2. Qh7", [("Zobra", "illegal move")]),
    ],
)
def test_games_of_other_tools(tmp_path, termination, moves, faults):
    path = tmp_path / "games.pgn"
    path.write_text(f'[White "Zobra"]\n[Black "Other"]\n[Result "0-1"]\n[Termination "{termination}"]\n\n{moves} 0-1\n')
    (game,) = read_games(path)
    assert [fault[:2] for fault in game.faults()] == faults


def faults_of(lines: list[str]) -> list[str]:
    conversation = Conversation()
    stamped = [line if line.startswith("#") else f"1.000 {line}" for line in lines]
    return [kind for line in stamped for kind, _ in conversation.take(line)]


def test_a_journal_that_is_being_written(tmp_path):
    path = journal(tmp_path) / "journal.jsonl"
    path.write_text(path.read_text() + path.read_text()[:40])
    assert len(list(read_games(path))) == 1


def test_a_sound_conversation():
    assert faults_of(SOUND) == []


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("< bestmove d8h4", "< bestmove d8g5", ["bestmove"]),
        ("< bestmove d8h4", "< bestmove d8d1", ["illegal move", "bestmove"]),
        ("< bestmove d8h4", "< bestmove (none)", ["illegal move"]),
        ("< bestmove d8h4", "< bestmove d8h4\n1.000 < bestmove d8h4", ["bestmove"]),
        ("< bestmove d8h4", "< bestmove d8h4 ponder a2a3", ["illegal move"]),
        ("> go depth 2", "> d", ["bestmove", "bestmove"]),
        (
            "< info depth 1 score mate 1 pv d8h4",
            "< info depth 1 score mate 1 pv d8h4 a2a3",
            ["illegal line", "false mate line"],
        ),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score mate 2 pv d8h4", ["false mate line"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score cp 1 upperbound pv a7a9", ["illegal line", "bestmove"]),
        ("< info depth 1 score mate 1 pv d8h4", "< info depth 1 score cp 1 lowerbound pv d8h4", []),
        ("< bestmove (none)", "< info string thinking", ["bestmove"]),
        ("< bestmove (none)", "< bestmove", ["illegal move"]),
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
def test_the_witness_writes_down_what_passes(tmp_path, arguments, faults):
    command = [sys.executable, "benchmarks/witness.py", str(tmp_path), sys.executable, "tests/scripted_engine.py", *arguments]
    # the scripted engine says that it would play e2e4, and plays the first move by name or worse
    talk = "uci\nisready\nposition startpos moves e2e4 e7e5\ngo movetime 1\n"
    done = subprocess.run(command, check=False, input=talk, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert "uciok" in done.stdout
    counts: Counter[str] = Counter()
    found = [kind for _, kind, _ in judge_transcripts(tmp_path, counts) if kind != "illegal line"]
    assert counts["searches"] == 1 and counts["processes"] == 1
    assert [kind for kind in found if kind != "bestmove" or faults] == faults
    assert done.returncode == (7 if "--crash" in arguments else 0)
