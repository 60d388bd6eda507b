"""Whole matches of scripted engines in worker processes."""

import asyncio
import json
import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
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
from zobra.arena.model.journal import Journal
from zobra.arena.model.openings import Opening
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET, ROUND_ROBIN, Settings, pairings
from zobra.arena.model.statistics import LOGISTIC, Sprt
from zobra.arena.runner.match import Match, check_engines
from zobra.arena.runner.player import EngineFailure
from zobra.arena.runner.pool import Playing
from zobra.arena.runner.processors import shares
from zobra.arena.runner.worker import EngineSet


def run(
    folder: Path, settings: Settings, observer: Observer | None = None
) -> tuple[Match, list[GameRecord]]:
    with closing(Journal(folder, settings)) as journal:
        outcome = Match(journal, settings.schedule())
        outcome.play(Playing(2), observer or Observer())
    with closing(Journal(folder, settings)) as journal:
        return outcome, sorted(journal.records, key=lambda record: record.index)


def match_settings(*engines: EngineSpec, rounds: int = 3, **more) -> Settings:
    more = {
        "time_control": "30",
        "rules": AdjudicationRules(move_limit=4),
        "plies": 4,
        "seed": 5,
    } | more
    return Settings(engines, rounds=rounds, **more)


def test_a_match_plays_its_schedule(tmp_path):
    settings = match_settings(scripted("A"), scripted("B", "--last"))
    outcome, records = run(tmp_path, settings)
    assert [
        record.belongs_to(pairing)
        for record, pairing in zip(records, settings.schedule(), strict=True)
    ] == [True] * 6
    assert [record.white for record in records] == ["A", "B"] * 3
    assert records[0].opening == records[1].opening != records[2].opening
    assert (outcome.results.games, outcome.total, outcome.interrupted, outcome.verdict) == (
        6,
        6,
        False,
        None,
    )
    assert outcome.results.trinomial("A") == [0, 6, 0] and outcome.results.pentanomial("A") == [
        0,
        0,
        3,
        0,
        0,
    ]


def test_one_match_with_every_kind_of_misbehaviour_comes_to_its_last_game(tmp_path):
    faults = {"crash": "disconnect", "hang": "stall", "illegal": "illegal move", "late": "time"}
    bad = [scripted(name, f"--{name}", "2", "--late-ms", "2500") for name in faults]
    settings = match_settings(
        scripted("good"), *bad, rounds=1, tournament=GAUNTLET, time_control="2", stall_seconds=3
    )
    outcome, records = run(tmp_path, settings)
    assert [record.index for record in records] == list(range(8)) and outcome.total == 8
    assert outcome.results.faults == {(name, reason): 2 for name, reason in faults.items()}
    assert outcome.results.trinomial("good") == [0, 0, 8]
    details = {reason: record.detail for record in records for reason in [record.reason]}
    assert (
        details["disconnect"] == "exit code 7; it said: the reason of the crash"
        and details["illegal move"] == "e1e8"
    )
    assert "ms over" in details["time"] and "stop not obeyed" in details["stall"]


def test_an_engine_that_died_between_two_games_loses_one_and_is_started_again():
    settings = match_settings(scripted("A"), scripted("B"))

    async def reasons() -> list[str]:
        engines, found = EngineSet(settings), []
        try:
            for number, pairing in enumerate(settings.schedule()[:3]):
                if number == 1:
                    await engines._players["B"].kill()
                record = await engines.play(
                    replace(pairing, options={"A": {"Hash": 2}, "B": {"Hash": 2}})
                )
                found.append(record.reason)
        finally:
            await engines.kill()
        return found

    assert asyncio.run(reasons()) == ["move limit", "disconnect", "move limit"]


def test_round_robin_and_gauntlet():
    openings = [Opening(chess.STARTING_FEN), Opening(chess.STARTING_FEN, ("e2e4",))]
    games = list(pairings("ABC", ROUND_ROBIN, openings))
    assert [game.index for game in games] == list(range(12))
    assert [(game.white + game.black) for game in games[:6]] == ["AB", "BA", "AC", "CA", "BC", "CB"]
    assert [game.round for game in games] == [1] * 6 + [2] * 6
    assert all(games[2 * pair].opening == games[2 * pair + 1].opening for pair in range(6))
    gauntlet = list(pairings("ABC", GAUNTLET, openings))
    assert [(game.white + game.black) for game in gauntlet[:4]] == ["AB", "BA", "AC", "CA"] and len(
        gauntlet
    ) == 8


def test_an_sprt_stops_the_match(tmp_path):
    settings = match_settings(
        scripted("A"),
        scripted("B", "--illegal", "1"),
        rounds=500,
        sprt=Sprt(0, 200, model=LOGISTIC),
    )
    outcome, records = run(tmp_path, settings)
    assert (
        outcome.verdict == "H1"
        and outcome.llr is not None
        and outcome.llr >= settings.sprt.limits[1]
    )
    assert len(records) < 100
    again, _ = run(tmp_path, settings, observer := Observer())
    assert (again.verdict, observer.seen) == ("H1", [])


def test_an_interrupted_match_goes_on(tmp_path):
    settings = match_settings(scripted("A"), scripted("B"), rounds=6)
    outcome, records = run(tmp_path, settings, Observer(stop_after=5))
    assert outcome.interrupted and len(records) == 5
    outcome, records = run(tmp_path, settings, observer := Observer())
    assert not outcome.interrupted and len(observer.seen) == 7
    assert [record.index for record in records] == list(range(12))
    path = tmp_path / "journal.jsonl"
    path.write_text(path.read_text().replace('"index":1,', '"index":70,'))
    with pytest.raises(ValueError, match="game 70 is not the scheduled one"):
        run(tmp_path, settings)


def test_engines_are_checked_before():
    for settings in (
        match_settings(scripted("A")),
        match_settings(scripted("A"), chess960=True, plies=None),
    ):
        check_engines(settings, [pairing.opening for pairing in settings.schedule()])
    settings = match_settings(scripted("A"), EngineSpec("B", ("nowhere",)))
    with pytest.raises(EngineFailure, match="no program nowhere"):
        check_engines(settings, [])


def kill_midway(command: list[str], folder: Path, games: int) -> None:
    """Runs the command and kills it with SIGKILL once so many games are kept."""
    journal, process = folder / "journal.jsonl", start(*command)
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= games)
    assert process.poll() is None
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for engines in /proc")
@pytest.mark.parametrize("games", [36, pytest.param(200, marks=pytest.mark.slow)])
def test_a_killed_match_resumes(tmp_path, games):
    folder, pids = tmp_path / "match", tmp_path / "pids"
    pids.mkdir()
    engines = [
        f"{name}={ENGINE} --pids {pids} {more}" for name, more in (("A", ""), ("B", "--last"))
    ]
    command = ["match", *engines, "--tc", "30", "-n", str(games), "-c", "2", "--seed", "7"]
    command += ["--plies", "6", "--move-limit", "6", "--folder", str(folder)]
    kill_midway(command, folder, games // 3)
    kept = (folder / "journal.jsonl").read_bytes()
    wait_until(lambda: not any_alive(pids))  # the engines of a killed match end too
    kill_midway(command, folder, 2 * games // 3)
    assert (folder / "journal.jsonl").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    run_command(*command)
    records = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert sorted(record["index"] for record in records) == list(range(games))
    settings = Journal.settings_in(folder)
    schedule = settings.schedule()
    assert all(
        GameRecord.from_json(record, settings).belongs_to(schedule[record["index"]])
        for record in records
    )
    with (folder / "games.pgn").open() as pgn:
        assert sum(1 for _ in iter(lambda: chess.pgn.read_headers(pgn), None)) == games


def test_results_count_pairs():
    results = Results("AB")
    # A scores 2, 1/2, 1 (twice differently) and 0 in its pairs; the last pair is still open
    played = [
        "1-0",
        "0-1",
        "1/2-1/2",
        "1-0",
        "1-0",
        "1-0",
        "1/2-1/2",
        "1/2-1/2",
        "0-1",
        "1-0",
        "1-0",
    ]
    for index, result in enumerate(played):
        completed = results.add(
            finished(index, result, reason="time" if "0" in result else "stalemate")
        )
        assert completed == (index % 2 == 1)
    assert results.pentanomial("A") == [1, 1, 2, 0, 1] and results.pentanomial("B") == [
        1,
        0,
        2,
        1,
        1,
    ]
    assert results.trinomial("A") == [4, 3, 4]
    assert results.faults[("B", "time")] == 4 and results.faults[("A", "time")] == 4


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin processes")
def test_processors_are_shared_out():
    available = sorted(os.sched_getaffinity(0))
    shared = shares(1, 1)
    assert sorted(shared[0]) == available
    each = shares(len(available), 1)
    assert sorted(processor for share in each for processor in share) == available and all(
        len(share) == 1 for share in each
    )
    assert shares(len(available), 2) == [[]] * len(available)
