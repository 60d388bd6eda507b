"""Runs that are interrupted at bad moments: nothing of them stays behind but what was to be
kept.
"""

import errno
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import MagicMock, Mock

import chess
import pytest

from tests.support.arena_runs import ENGINE, any_alive, run, scripted, start, wait_until
from zobra.arena.model import journal as journals
from zobra.arena.model.journal import Journal
from zobra.arena.model.ladder import read_calibration
from zobra.arena.model.settings import Settings
from zobra.arena.model.suite_results import load
from zobra.arena.model.tune_plan import Plan
from zobra.arena.runner import player, pool
from zobra.arena.runner.match import Match
from zobra.arena.runner.pool import Playing

HERE = Path(__file__).parent
PAIR = [f"A={ENGINE}", f"B={ENGINE}", "--tc", "30", "-n", "2"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for engines in /proc")


def interrupted(command: list, ready: Callable[[], bool], *signals: int) -> str:
    """Starts a command of the arena, sends it the signals once it is ready, and gives what it
    printed when it ended.
    """
    process = start(*command)
    wait_until(lambda: ready() or process.poll() is not None)
    for number in signals:
        process.send_signal(number)
        time.sleep(0.02)
    out, err = process.communicate(timeout=60)
    # a second Ctrl-C may come when all is done and the process is about to end; a shell shows 130
    # for both
    assert process.returncode in (130, -signal.SIGINT) and err == "" and "interrupted" in out
    return out


@pytest.mark.parametrize(
    "signals", [(signal.SIGHUP,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)], ids=str
)
@pytest.mark.parametrize("moment", ["check", "game"])
def test_stubborn_engines_end_with_their_match(tmp_path, moment, signals):
    pids, folder = tmp_path / "pids", tmp_path / "m"
    pids.mkdir()
    slow = "--no-uciok" if moment == "check" else "--hang 2"
    engines = [f"{name}={ENGINE} --stubborn --pids {pids} {slow}" for name in "AB"]
    ready = (
        (lambda: len(list(pids.iterdir())) >= 4)
        if moment == "check"
        else (folder / "journal.jsonl").exists
    )
    interrupted(["match", *engines, "--tc", "30", "--folder", folder], ready, *signals)
    wait_until(lambda: not any_alive(pids), 20)


def test_ctrl_c_while_a_worker_starts_is_not_lost(tmp_path, monkeypatch):
    started = pool.WorkerProcess
    monkeypatch.setattr(
        pool,
        "WorkerProcess",
        lambda *worker: (started(*worker), os.kill(os.getpid(), signal.SIGINT))[0],
    )
    settings = Settings((scripted("A"), scripted("B")), "30", 1)
    with closing(Journal(tmp_path, settings)) as journal:
        match = Match(journal, settings.schedule())
        match.play(Playing(), MagicMock())
    assert match.interrupted


@pytest.mark.parametrize(
    "signals", [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)], ids=str
)
def test_an_interrupted_suite_keeps_its_results_and_resumes(tmp_path, signals):
    suite, output, pids = tmp_path / "s.epd", tmp_path / "s.json", tmp_path / "pids"
    suite.write_text(
        "".join(
            f'{chess.Board().epd()} bm a3; id "{number}"; c0 "a3=10";\n' for number in range(40)
        )
    )
    pids.mkdir()
    log = tmp_path / "log"
    command = [
        "suite",
        suite,
        "-e",
        f"A={ENGINE} --stubborn --late 1 --late-ms 100 --pids {pids} --log {log}",
        "--nodes",
        "9",
    ]
    ready = lambda: log.exists() and log.read_text().count("go nodes") > 3  # noqa: E731
    out = interrupted([*command, "--json", output], ready, *signals)
    assert "the same command resumes after" in out
    wait_until(lambda: not any_alive(pids), 20)
    kept = load(output).engines[0].answered
    assert 3 <= len(kept) < 40
    assert (
        f"{len(kept)} of {len(kept)} (100.0%)" in out
        and f"{10 * len(kept)} of {10 * len(kept)} (100.0%)" in out
    )
    text = run(*command, "--json", output)
    assert f"resuming after {len(kept)} of 40 positions" in text and load(output).finished


def test_the_conversation_is_kept(tmp_path):
    log = tmp_path / "log.txt"
    run("match", *PAIR, "--move-limit", "5", "--folder", tmp_path / "m", "--log", log)
    lines = log.read_text().splitlines()
    assert any(" A > go wtime" in line for line in lines) and any(
        " B < bestmove" in line for line in lines
    )
    assert all(len(line.split()[0]) == len("2026-01-01T00:00:00.000") for line in lines)


def test_a_full_disk_names_the_file_and_keeps_the_standings(tmp_path, monkeypatch):
    full = Mock(write=Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    full.name = "journal.jsonl"
    monkeypatch.setattr(journals, "_open_to_append", lambda _: full)
    text = run("match", *PAIR, "--folder", tmp_path / "m", code=2)
    assert "journal.jsonl: No space left" in text and "0 of 2 games in" in text


@pytest.mark.parametrize("answer", [r"bestmove \xff\xfe", r"bestmove e2e4\xff"])
def test_a_move_that_is_no_text_is_illegal(tmp_path, answer):
    text = run(
        "match", PAIR[0], f"B={ENGINE} --answer '{answer}'", *PAIR[2:], "--folder", tmp_path / "m"
    )
    assert "B lost 2 games by illegal move" in text and r"\xff" in text


@pytest.mark.parametrize("name", ["games.pgn", "journal.jsonl", "run.json"])
def test_symbolic_links_in_a_folder_are_not_written_through(tmp_path, name):
    folder, outside = tmp_path / "m", tmp_path / "outside"
    shutil.copytree(HERE / "data/before/match", folder)
    (folder / name).unlink(missing_ok=True)
    outside.write_text(
        (HERE / "data/before/match" / name).read_text() if name != "games.pgn" else "mine"
    )
    before = outside.read_text()
    (folder / name).symlink_to(outside)
    try:
        journal = Journal(folder, Journal.settings_in(folder))
        journal.add(journal.records[0])
        journal.close()
    except ValueError as error:
        assert "symbolic link" in str(error)
    assert outside.read_text() == before


def test_the_commands_of_a_folder_are_shown_before_they_start(tmp_path):
    shutil.copytree(HERE / "data/before/match", tmp_path / "m")
    run_json = tmp_path / "m" / "run.json"
    run_json.write_text(run_json.read_text().replace('"python3"', '"no-such-program"'))
    assert "A: no-such-program scripted_engine.py" in run(
        "match", "--folder", tmp_path / "m", code=2
    )
    assert "A: no-such-program scripted" not in run(
        "match", "--folder", tmp_path / "m", "--trust", code=2
    )


def test_control_characters_are_shown_escaped_and_split_no_game(tmp_path):
    name = 'A\n\n[Event "x"]\n\n1. e4 *\x1b[31m'
    (tmp_path / "e.toml").write_text(f"name = {json.dumps(name)}\ncommand = {json.dumps(ENGINE)}\n")
    text = run(
        "match", tmp_path / "e.toml", *PAIR[1:], "--move-limit", "5", "--folder", tmp_path / "m"
    )
    assert r"A\n\n" in text and "\x1b" not in text
    assert (tmp_path / "m" / "games.pgn").read_text().count("\n[Event ") == 1


def test_long_lines_are_quoted_in_part(tmp_path):
    (tmp_path / "book.epd").write_text("x" * 5_000_000)
    for command in (["match", *PAIR, "--openings"], ["suite"]):
        assert len(run(*command, tmp_path / "book.epd", code=2)) < 1500


def mutated(source: random.Random, value):
    """The value with one thing in it replaced by something else."""
    if isinstance(value, dict | list) and value and source.random() < 0.9:
        key = (
            source.choice(list(value)) if isinstance(value, dict) else source.randrange(len(value))
        )
        changed = value.copy()
        changed[key] = mutated(source, value[key])
        return changed
    return source.choice(
        [None, -1, 0, 1e308, 10**30, "", "x\x1b\n", [], {}, True, [[]], {"a": None}, "e2e4", -0.5]
    )


@pytest.mark.parametrize(
    "seed",
    [*range(300), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(300, 10_000))],
)
def test_damaged_files_are_refused_in_words(tmp_path, seed):
    source = random.Random(seed)
    name = source.choice(
        ["match/run.json", "match/journal.jsonl", "tune/tune.json", "suite.json", "ladder.json"]
    )
    folder = shutil.copytree(HERE / "data/before", tmp_path / "d")
    (folder / "ladder.json").write_text(
        '{"time_control": "1", "names": ["a", "b"], "ratings": [1, 2], "covariance": [[1, '
        "0], [0, 1]]}"
    )
    lines = (
        (folder / name).read_text().splitlines()
        if name.endswith("jsonl")
        else [(folder / name).read_text()]
    )
    lines[0] = json.dumps(mutated(source, json.loads(lines[0])))
    (folder / name).write_text("\n".join(lines) + "\n")
    try:
        settings = Journal.settings_in(folder / "match")
        with suppress(OSError, ValueError):  # of the book, not of the folder
            settings.schedule()
        Journal(folder / "match", settings).close()
        Journal.conditions_in(folder / "match")
        Plan.read(folder / "tune")
        load(folder / "suite.json")
        read_calibration(folder / "ladder.json")
    except ValueError as error:
        start_of_name = name.partition("/")[
            0
        ]  # the journal misses names that were changed in run.json
        assert start_of_name in str(error).replace(str(folder) + "/", "")
        assert str(error).isprintable()


def test_a_program_that_speaks_no_uci_is_reported_soon(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "GREETING_TIME", 0.3)
    assert "A: no word of uci in 0.3 s" in run(
        "match", "A=cat", PAIR[1], "--folder", tmp_path / "m", code=2
    )
