"""Damaged or exchanged files of a run are refused with a message that names them."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from tests.support.arena_runs import ENGINE, finished, run, scripted
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.adjudication import AdjudicationRules
from zobra.arena.model.journal import Journal, read_game
from zobra.arena.model.ladder import Ratings, read_calibration, save_calibration
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Settings
from zobra.arena.model.spsa import Gains, Tunable
from zobra.arena.model.statistics import Sprt
from zobra.arena.model.suite_positions import read_position
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome, SuiteResult, load
from zobra.arena.model.tune_plan import Plan

SETTINGS = Settings(
    (scripted("A", options={"Hash": 2}), scripted("B")),
    "30",
    rounds=1,
    plies=4,
    rules=AdjudicationRules(draw=(40, 4, 10)),
    sprt=Sprt(0, 5),
)
WRONG_VALUES = (None, -1, 10**30, 1e308, "x\x1b\n", [], {}, True)


def write_match(folder: Path) -> None:
    move = PlayedMove(chess.Move.from_uci("e2e4"), 20, None, 9, 1000, 5.0)
    game = replace(
        finished(0, "1-0"), opening=Opening(chess.STARTING_FEN).entry(False), moves=[move]
    )
    with closing(Journal(folder, SETTINGS)) as journal:
        journal.add(game)


def write_suite_results(path: Path) -> None:
    position = read_position('4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; c8 "10"; c9 "e2e4";', "a.epd", 1)
    effort = Effort(1, 2, 3)
    outcome = Outcome("e2e4", True, "", 10, 25, None, ("e2e4",), effort, effort)
    result = SuiteResult(["a.epd"], {"time_ms": 5, "nodes": None, "depth": None}, 1, [position])
    result.engines.append(EngineResult("e", ["engine"], {"Hash": 8}, [outcome]))
    result.save(path)


def read_match(folder: Path) -> None:
    """Read the folder of a match as a resumed match and its report do."""
    settings = Journal.settings_in(folder)
    Journal.conditions_in(folder)
    with suppress(OSError, ValueError):  # of the book, not of the folder
        settings.schedule()
    line = (folder / "journal.jsonl").read_text()
    read_game(line, "journal.jsonl:1", settings).pgn_text(settings)


@pytest.fixture
def folder(tmp_path):
    """A folder with every file that commands of the arena keep and read again."""
    write_match(tmp_path)
    write_suite_results(tmp_path / "suite.json")
    save_calibration(Ratings(["a", "b"], [1, 2], [[1, 0], [0, 1]]), "1", tmp_path / "ladder.json")
    plan = Plan((Tunable("Hash", 16, 1, 64, 4),), Gains(6), pairs=2)
    (tmp_path / "tuning").mkdir()
    plan.keep(tmp_path / "tuning")
    return tmp_path


READERS = {
    "run.json": read_match,
    "journal.jsonl": read_match,
    "suite.json": lambda folder: load(folder / "suite.json"),
    "ladder.json": lambda folder: read_calibration(folder / "ladder.json"),
    "tuning/tune.json": lambda folder: Plan.read(folder / "tuning"),
}


def damaged(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value, in each of which one part is something else."""
    yield from WRONG_VALUES
    if isinstance(value, dict):
        parts = list(value)
    elif isinstance(value, list):
        parts = list(range(len(value)))
    else:
        return
    for part in parts:
        for wrong in damaged(value[part]):
            copy = value.copy()
            copy[part] = wrong
            yield copy


@pytest.mark.parametrize("name", READERS)
def test_a_wrong_value_anywhere_is_accepted_or_refused_in_words(folder, name):
    path = folder / name
    refused = 0
    for content in damaged(json.loads(path.read_text())):
        path.write_text(json.dumps(content))
        try:
            READERS[name](folder)
        except ValueError as error:
            refused += 1
            # The journal is no match for other names in run.json
            assert path.name in str(error) or "journal.jsonl" in str(error)
            assert str(error).isprintable()
    assert refused > 50


def test_an_infinite_number_is_refused(folder):
    path = folder / "ladder.json"
    content = json.loads(path.read_text())
    content["ratings"][0] = 1e308
    path.write_text(json.dumps(content).replace("1e+308", "1e309"))
    with pytest.raises(ValueError, match="ratings is not finite"):
        read_calibration(path)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("size", [0, 1, -1])
def test_a_file_that_is_cut_short_is_refused(folder, name, size):
    path = folder / name
    path.write_bytes(path.read_bytes().rstrip()[:size])
    with pytest.raises(ValueError, match=path.name):
        READERS[name](folder)


@pytest.mark.parametrize("name", ["games.pgn", "journal.jsonl", "run.json"])
def test_symbolic_links_in_a_folder_are_not_written_through(tmp_path, name):
    folder = tmp_path / "m"
    write_match(folder)
    outside = tmp_path / "outside"
    if name == "games.pgn":
        outside.write_text("mine")
    else:
        outside.write_bytes((folder / name).read_bytes())
    before = outside.read_bytes()
    (folder / name).unlink()
    (folder / name).symlink_to(outside)
    try:
        write_match(folder)
    except ValueError as error:
        assert "symbolic link" in str(error)
    assert outside.read_bytes() == before


def test_long_lines_are_quoted_in_part(tmp_path):
    book = tmp_path / "book.epd"
    book.write_text("x" * 5_000_000)
    for command in (["match", ENGINE, ENGINE, "--openings"], ["suite"]):
        assert len(run(*command, book, code=2)) < 1500
