"""Whole matches of scripted engines in worker processes."""

import asyncio
import os
import signal
import sys
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path

import chess
import pytest

from tests.support.arena_runs import (
    ENGINE,
    Observer,
    any_alive,
    finished,
    scripted,
    start,
    wait_until,
)
from tests.support.arena_runs import run as run_command
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.journal import Journal, read_game
from zobra.arena.model.openings import Opening
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET, ROUND_ROBIN, Settings, pairings
from zobra.arena.model.statistics import LOGISTIC, Sprt
from zobra.arena.runner.match import Match, check_engines
from zobra.arena.runner.player import EngineFailure
from zobra.arena.runner.pool import PoolOptions
from zobra.arena.runner.processors import shares
from zobra.arena.runner.worker import EngineSet


def run(
    folder: Path, settings: Settings, observer: Observer | None = None
) -> tuple[Match, list[GameRecord]]:
    with closing(Journal(folder, settings)) as journal:
        match = Match(journal, settings.schedule())
        match.play(PoolOptions(2), observer or Observer())
    with closing(Journal(folder, settings)) as journal:
        return match, sorted(journal.records, key=lambda record: record.index)


def match_settings(*engines: EngineSpec, rounds: int = 3, **more) -> Settings:
    usual = {"time_control": "30", "rules": AdjudicationRules(move_limit=4), "plies": 4, "seed": 5}
    return Settings(engines, rounds=rounds, **usual | more)


def test_a_match_plays_its_schedule(tmp_path):
    settings = match_settings(scripted("A"), scripted("B", "--last"))
    match, records = run(tmp_path, settings)
    for record, pairing in zip(records, settings.schedule(), strict=True):
        assert record.belongs_to(pairing)
    assert [record.white for record in records] == ["A", "B"] * 3
    assert records[0].opening == records[1].opening != records[2].opening
    assert (match.results.games, match.total) == (6, 6)
    assert not match.interrupted
    assert match.verdict is None
    assert match.results.trinomial("A") == [0, 6, 0]
    assert match.results.pentanomial("A") == [0, 0, 3, 0, 0]


def test_one_match_with_every_kind_of_misbehaviour_comes_to_its_last_game(tmp_path):
    faults = {"crash": "disconnect", "hang": "stall", "illegal": "illegal move", "late": "time"}
    bad = [scripted(name, f"--{name}", "2", "--late-ms", "2500") for name in faults]
    how = {"rounds": 1, "tournament": GAUNTLET, "time_control": "2", "stall_seconds": 3}
    match, records = run(tmp_path, match_settings(scripted("good"), *bad, **how))
    assert match.total == 8
    assert [record.index for record in records] == list(range(8))
    assert match.results.faults == {(name, reason): 2 for name, reason in faults.items()}
    assert match.results.trinomial("good") == [0, 0, 8]
    details = {record.reason: record.detail for record in records}
    assert details["disconnect"] == "exit code 7; it said: the reason of the crash"
    assert details["illegal move"] == "e1e8"
    assert "ms over" in details["time"]
    assert "stop not obeyed" in details["stall"]


@pytest.mark.skipif(os.name == "nt", reason="kills the engine by a POSIX signal")
def test_an_engine_that_died_between_two_games_loses_one_and_is_started_again(tmp_path):
    settings = match_settings(scripted("A"), scripted("B", "--pids", str(tmp_path)))

    async def reasons() -> list[str]:
        engines = EngineSet(settings)
        found = []
        try:
            for number, pairing in enumerate(settings.schedule()[:3]):
                if number == 1:
                    (pid,) = tmp_path.iterdir()
                    os.kill(int(pid.name), signal.SIGKILL)
                options = {"A": {"Hash": 2}, "B": {"Hash": 2}}
                record = await engines.play(replace(pairing, options=options))
                found.append(record.reason)
        finally:
            await engines.kill()
        return found

    assert asyncio.run(reasons()) == ["move limit", "disconnect", "move limit"]


def test_round_robin_and_gauntlet():
    openings = [Opening(chess.STARTING_FEN), Opening(chess.STARTING_FEN, ("e2e4",))]
    games = list(pairings("ABC", ROUND_ROBIN, openings))
    assert [game.index for game in games] == list(range(12))
    assert [game.white + game.black for game in games[:6]] == ["AB", "BA", "AC", "CA", "BC", "CB"]
    assert [game.round for game in games] == [1] * 6 + [2] * 6
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.opening == second.opening
    gauntlet = list(pairings("ABC", GAUNTLET, openings))
    assert [game.white + game.black for game in gauntlet] == ["AB", "BA", "AC", "CA"] * 2


def test_an_sprt_stops_the_match(tmp_path):
    engines = [scripted("A"), scripted("B", "--illegal", "1")]
    settings = match_settings(*engines, rounds=500, sprt=Sprt(0, 200, model=LOGISTIC))
    match, records = run(tmp_path, settings)
    assert match.verdict == "H1"
    assert match.llr >= settings.sprt.limits[1]
    assert len(records) < 100
    observer = Observer()
    again, _ = run(tmp_path, settings, observer)
    assert again.verdict == "H1"
    assert observer.seen == []


def test_an_interrupted_match_goes_on(tmp_path):
    settings = match_settings(scripted("A"), scripted("B"), rounds=6)
    match, records = run(tmp_path, settings, Observer(stop_after=5))
    assert match.interrupted
    assert len(records) == 5
    observer = Observer()
    match, records = run(tmp_path, settings, observer)
    assert not match.interrupted
    assert len(observer.seen) == 7
    assert [record.index for record in records] == list(range(12))

    path = tmp_path / "journal.jsonl"
    path.write_text(path.read_text().replace('"index":1,', '"index":70,'))
    with pytest.raises(ValueError, match="game 70 is not the scheduled one"):
        run(tmp_path, settings)


def test_engines_are_checked_before():
    for how in ({}, {"chess960": True, "plies": None}):
        settings = match_settings(scripted("A"), **how)
        check_engines(settings, [pairing.opening for pairing in settings.schedule()])
    settings = match_settings(scripted("A"), EngineSpec("B", ("nowhere",)))
    with pytest.raises(EngineFailure, match="no program nowhere"):
        check_engines(settings, [])


def kill_midway(command: list[str], folder: Path, games: int) -> None:
    """Run the command, and kill it with SIGKILL once so many games are kept."""
    journal = folder / "journal.jsonl"
    process = start(*command)
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= games)
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for engines in /proc")
def test_a_killed_match_resumes(tmp_path):
    folder = tmp_path / "match"
    pids = tmp_path / "pids"
    pids.mkdir()
    command = ["match", f"A={ENGINE} --pids {pids}", f"B={ENGINE} --pids {pids} --last"]
    command += ["--tc", "30", "-n", "36", "-c", "2", "--seed", "7", "--plies", "6"]
    command += ["--move-limit", "6", "--folder", str(folder)]
    kill_midway(command, folder, 12)
    kept = (folder / "journal.jsonl").read_bytes()
    wait_until(lambda: not any_alive(pids))  # the engines of a killed match end too
    kill_midway(command, folder, 24)
    assert (folder / "journal.jsonl").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    run_command(*command)

    settings = Journal.settings_in(folder)
    lines = (folder / "journal.jsonl").read_text().splitlines()
    games = [read_game(line, "", settings) for line in lines]
    games.sort(key=lambda game: game.index)
    for game, pairing in zip(games, settings.schedule(), strict=True):
        assert game.belongs_to(pairing)
    assert (folder / "games.pgn").read_text().count("[Event ") == 36


def test_rare_crashes_are_part_of_the_strength():
    results = Results("AB")
    for index in range(20):
        reason = "disconnect" if index in (18, 19) else "mate"
        results.add(finished(index, "1-0" if index % 2 == 0 else "0-1", reason=reason))
    assert (results.crashes("B"), results.crashing()) == (2, "")
    results.add(finished(20, "1-0", reason="stall"))
    assert (results.crashes("B"), results.crashing()) == (3, "B")


def test_results_count_pairs():
    results = Results("AB")
    # A scores 2, 1/2, 1 (twice, differently) and 0 in its pairs; the last pair is still open
    pairs = [["1-0", "0-1"], ["1/2-1/2", "1-0"], ["1-0", "1-0"], ["1/2-1/2", "1/2-1/2"]]
    pairs += [["0-1", "1-0"], ["1-0"]]
    for index, result in enumerate(chain(*pairs)):
        reason = "stalemate" if result == "1/2-1/2" else "time"
        is_complete = results.add(finished(index, result, reason=reason))
        assert is_complete == (index % 2 == 1)
    assert results.pentanomial("A") == [1, 1, 2, 0, 1]
    assert results.pentanomial("B") == [1, 0, 2, 1, 1]
    assert results.trinomial("A") == [4, 3, 4]
    assert results.faults == {("A", "time"): 4, ("B", "time"): 4}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin processes")
def test_processors_are_shared_out():
    available = sorted(os.sched_getaffinity(0))
    (share,) = shares(1, 1)
    assert sorted(share) == available
    assert sorted(shares(len(available), 1)) == [[processor] for processor in available]
    assert shares(len(available), 2) == [[]] * len(available)
