"""Runs that are interrupted at bad moments, and engines and output that fail: what was played is
kept, and nothing else stays behind.
"""

import errno
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from unittest.mock import MagicMock, Mock

import chess
import pytest

from tests.support.arena_runs import ENGINE, any_alive, run, scripted, start, wait_until
from zobra.arena.model import journal as journals
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Settings
from zobra.arena.model.suite_results import load
from zobra.arena.runner import player, pool
from zobra.arena.runner.match import Match
from zobra.arena.runner.pool import PoolOptions

PAIR = [f"A={ENGINE}", f"B={ENGINE}", "--tc", "30", "-n", "2"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for engines in /proc")


def interrupted(command: list, ready: Callable[[], bool], *signals: int) -> str:
    """Start a command of the arena, send it the signals once it is ready, and return its output."""
    process = start(*command)
    wait_until(lambda: ready() or process.poll() is not None)
    for number in signals:
        process.send_signal(number)
        time.sleep(0.02)
    out, err = process.communicate(timeout=60)
    # The second Ctrl-C may kill a process that is about to end; a shell shows 130 for both
    assert process.returncode in (130, -signal.SIGINT)
    assert err == ""
    assert "interrupted" in out
    return out


@pytest.mark.parametrize(
    ("moment", "signals"),
    [
        ("check", (signal.SIGINT,)),
        ("game", (getattr(signal, "SIGHUP", signal.SIGTERM),)),  # Windows has none
        ("game", (signal.SIGTERM,)),
        ("game", (signal.SIGINT, signal.SIGINT)),
    ],
    ids=str,
)
def test_stubborn_engines_end_with_their_match(tmp_path, moment, signals):
    """The engines, and the children of each, ignore signals and the end of their input."""
    pids = tmp_path / "pids"
    pids.mkdir()
    folder = tmp_path / "m"
    slow = "--no-uciok" if moment == "check" else "--hang 2"
    engines = [f"{name}={ENGINE} --stubborn --pids {pids} {slow}" for name in "AB"]

    def ready() -> bool:
        if moment == "check":
            return len(list(pids.iterdir())) >= 4
        return (folder / "journal.jsonl").exists()

    interrupted(["match", *engines, "--tc", "30", "--folder", folder], ready, *signals)
    wait_until(lambda: not any_alive(pids), 20)


def test_ctrl_c_while_a_worker_starts_is_not_lost(tmp_path, monkeypatch):
    worker_process = pool.WorkerProcess

    def start_interrupted(*arguments):
        worker = worker_process(*arguments)
        os.kill(os.getpid(), signal.SIGINT)
        return worker

    monkeypatch.setattr(pool, "WorkerProcess", start_interrupted)
    settings = Settings((scripted("A"), scripted("B")), "30", 1)
    with closing(Journal(tmp_path, settings)) as journal:
        match = Match(journal, settings.schedule())
        match.play(PoolOptions(), MagicMock())
    assert match.interrupted


@pytest.mark.parametrize(
    "signals", [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)], ids=str
)
def test_an_interrupted_suite_keeps_its_results_and_resumes(tmp_path, signals):
    suite = tmp_path / "s.epd"
    output = tmp_path / "s.json"
    pids = tmp_path / "pids"
    pids.mkdir()
    log = tmp_path / "log"
    epd = chess.Board().epd()
    suite.write_text("".join(f'{epd} bm a3; id "{n}"; c0 "a3=10";\n' for n in range(15)))
    engine = f"A={ENGINE} --stubborn --late 1 --late-ms 100 --pids {pids} --log {log}"
    command = ["suite", suite, "-e", engine, "--nodes", "9", "--json", output]

    def ready() -> bool:
        return log.exists() and log.read_text().count("go nodes") > 3

    out = interrupted(command, ready, *signals)
    assert "the same command resumes" in out
    wait_until(lambda: not any_alive(pids), 20)
    kept = len(load(output).engines[0].answered)
    assert 3 <= kept < 15
    assert f"{kept} of {kept} (100.0%)" in out
    assert f"{10 * kept} of {10 * kept} (100.0%)" in out  # points
    assert f"resuming after {kept} of 15 positions" in run(*command)
    assert load(output).finished


def test_the_conversation_is_kept(tmp_path):
    log = tmp_path / "log.txt"
    run("match", *PAIR, "--move-limit", "5", "--folder", tmp_path / "m", "--log", log)
    lines = log.read_text().splitlines()
    assert any(" A > go wtime" in line for line in lines)
    assert any(" B < bestmove" in line for line in lines)
    assert all(len(line.split()[0]) == len("2026-01-01T00:00:00.000") for line in lines)


def test_a_full_disk_names_the_file_and_keeps_the_standings(tmp_path, monkeypatch):
    full = Mock(write=Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    full.name = "journal.jsonl"
    monkeypatch.setattr(journals, "_open_to_append", lambda _: full)
    text = run("match", *PAIR, "--folder", tmp_path / "m", code=2)
    assert "journal.jsonl: No space left" in text
    assert "0 of 2 games in" in text


@pytest.mark.parametrize("answer", [r"bestmove \xff\xfe", r"bestmove e2e4\xff"])
def test_a_move_that_is_no_text_is_illegal(tmp_path, answer):
    bad = f"B={ENGINE} --answer '{answer}'"
    text = run("match", PAIR[0], bad, *PAIR[2:], "--folder", tmp_path / "m")
    assert "B lost 2 games by illegal move" in text
    assert r"\xff" in text


def test_the_commands_of_a_folder_are_shown_before_they_start(tmp_path):
    """Somebody else may have written the folder, and its commands are run."""
    options = {"Log": "x" * 900, "B": "end"}  # no text is so long that it would hide the rest
    first = EngineSpec("A", ("no-such-program", "--fast"), options, directory=str(tmp_path))
    engines = (first, scripted("B"))
    Journal(tmp_path, Settings(engines, "30", 1)).close()
    command = ["match", "--folder", tmp_path]
    assert f"A: no-such-program --fast, in {tmp_path}, with Log={'x' * 900}, with B=end" in run(
        *command, code=2
    )
    assert "A: no-such-program --fast" not in run(*command, "--trust", code=2)


def test_control_characters_are_shown_escaped_and_split_no_game(tmp_path):
    name = 'A\n\n[Event "x"]\n\n1. e4 *\x1b[31m'
    engine = tmp_path / "e.toml"
    engine.write_text(f"name = {json.dumps(name)}\ncommand = {json.dumps(ENGINE)}\n")
    text = run("match", engine, *PAIR[1:], "--move-limit", "5", "--folder", tmp_path / "m")
    assert r"A\n\n" in text
    assert "\x1b" not in text
    assert (tmp_path / "m" / "games.pgn").read_text().count("\n[Event ") == 1


def test_a_program_that_speaks_no_uci_is_reported_soon(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "GREETING_TIME", 0.3)
    text = run("match", "A=cat", PAIR[1], "--folder", tmp_path / "m", code=2)
    assert "A: no word of uci in 0.3 s" in text
