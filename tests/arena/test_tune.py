"""Tuning whole engines: it finds the better values, goes on after an interruption, and says what is
wrong.
"""

import csv
import io
import json
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from tests.support.arena_runs import ENGINE, SCRIPTED, Observer, flat
from tests.support.arena_runs import run as run_command
from zobra.arena.commands.tune import values_table
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Settings
from zobra.arena.model.spsa import Gains, Tunable
from zobra.arena.model.tune_plan import Plan
from zobra.arena.pages.tuning_plot import draw_course
from zobra.arena.runner.pool import Playing
from zobra.arena.runner.tuning import SIDES, Tuning

XBOARD_WITHOUT_POSITIONS = """
for line in iter(input, "quit"):
    if line.startswith("protover"):
        features = "ping=1 setboard=0 colors=0 sigint=0 sigterm=0"
        print("feature", features, 'option="Speed -spin 5 1 10"', "done=1", flush=True)
    elif line.startswith("ping"):
        print("pong" + line[4:], flush=True)
"""
run = partial(run_command, "tune")


def test_it_finds_the_better_value(tmp_path):
    folder = tmp_path / "t"
    arguments = [
        f"{ENGINE} --best 75",
        "-p",
        "Strength=30,0,100,10,0.12",
        "--tc",
        "30",
        "-n",
        "60",
        "--seed",
        "3",
    ]
    text = run(*arguments, "--folder", folder, "-c", "2")
    rows = list(csv.reader((folder / "values.csv").open()))
    assert rows[0] == ["iteration", "Strength"] and rows[1] == ["0", "30.0000"] and len(rows) == 32
    assert 45 < (found := float(rows[-1][1])) <= 100
    assert f" {found:.1f} " in text and "60 of 60 games" in text and " ± " in text
    assert f"default = {round(found)}\n" in (folder / "tuned.toml").read_text()
    assert "</svg>" in (folder / "values.svg").read_text()
    again = run(
        "--folder", folder
    )  # nothing is left to play; the same values come out of the journal
    assert "is finished: all games are played" in again and f" {found:.1f} " in again
    assert rows == list(csv.reader((folder / "values.csv").open()))
    assert "holds a run of tuning" in run_command("match", "--folder", folder, code=2)
    assert "holds another run" in run(*arguments, "--stability", "0.2", "--folder", folder, code=2)


def test_an_interrupted_run_goes_on(tmp_path):
    engines = tuple(EngineSpec(side, (*SCRIPTED, "--best", "75")) for side in SIDES)
    settings = Settings(engines, "30", rounds=12, plies=4, seed=5)
    plan = Plan(
        (Tunable("Strength", 30, 0, 100, 10, 0.1), Tunable("Hash", 32, 1, 64, 8)), Gains(6), pairs=2
    )
    courses, observers = [], [Observer(stop_after=9), Observer(), Observer()]
    for observer in observers:
        with closing(Journal(tmp_path, settings)) as journal:
            tuning = Tuning(journal, plan)
            tuning.play(Playing(), observer)
        assert tuning.interrupted == (observer.stop_after is not None)
        courses.append(tuning.course)
        assert len(list(csv.reader((tmp_path / "values.csv").open()))) == len(tuning.course) + 1
    assert [len(each.seen) for each in observers] == [9, 15, 0] and [
        len(course) for course in courses
    ] == [3, 7, 7]
    assert courses[1][:3] == courses[0] and courses[1] == courses[2]
    assert (
        draw_course(tuning, tmp_path / "x.svg")
        and (tmp_path / "x.svg").read_text().count('<g id="axes_') == 2
    )
    with closing(Journal(tmp_path, settings)) as journal:
        assert sorted((record.index, record.white) for record in journal.records) == list(
            enumerate(("plus", "minus") * 12)
        )
    with pytest.raises(ValueError, match="game 20 is not the scheduled one"):
        Tuning(journal, Plan(plan.tunables, Gains(5), pairs=2))


def test_an_engine_that_takes_no_positions_is_refused_a_book_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    command = json.dumps([sys.executable, "-c", XBOARD_WITHOUT_POSITIONS])
    Path("x.toml").write_text(f'name = "x"\nprotocol = "xboard"\ncommand = {command}\n')
    text = run(
        "x.toml", "-p", "Speed", "-n", "4", "--openings", "book.epd", "--folder", "run", code=2
    )
    assert "cannot be given positions" in flat(text) and not Path("run").exists()


def test_names_are_whole_on_80_columns():
    names = ["null_move_verification_depth", "history_pruning_margin_base"]
    tunables = [Tunable(name, 1000, 0, 20000, 100) for name in names]
    tuning = SimpleNamespace(
        plan=Plan(tuple(tunables), Gains(6)),
        values=dict.fromkeys(names, 1003.0),
        signs=[[1, -1], [-1, -1]],
        scores=[0.5, 0.75],
    )
    output = io.StringIO()
    Console(file=output, width=80).print(values_table(tuning))
    assert all(name in output.getvalue() for name in names)
    assert max(map(len, output.getvalue().splitlines())) <= 80
