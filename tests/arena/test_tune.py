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

from tests.support.arena_runs import ENGINE, Observer, flat, scripted
from tests.support.arena_runs import run as run_command
from zobra.arena.commands.tune import values_table
from zobra.arena.model.journal import Journal
from zobra.arena.model.settings import Settings
from zobra.arena.model.spsa import Gains, Tunable
from zobra.arena.model.tune_plan import Plan
from zobra.arena.pages.tuning_plot import draw_course
from zobra.arena.runner.pool import PoolOptions
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


def rows(path: Path) -> list[list[str]]:
    with path.open() as file:
        return list(csv.reader(file))


def test_a_missing_library_of_plots_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("zobra.arena.commands.tune.draw_course", lambda *_: False)
    arguments = [f"{ENGINE} --best 75", "-p", "Strength=30,0,100,10,0.12", "--tc", "30", "-n", "2"]
    text = run(*arguments, "--folder", tmp_path / "t")
    assert "no plot, as matplotlib is missing (pip install matplotlib)" in text


def test_it_finds_the_better_value(tmp_path):
    folder = tmp_path / "t"
    arguments = [f"{ENGINE} --best 75", "-p", "Strength=30,0,100,10,0.12"]
    arguments += ["--tc", "30", "-n", "60", "--seed", "3", "--folder", folder]
    text = run(*arguments, "-c", "2")
    values = rows(folder / "values.csv")
    assert values[:2] == [["iteration", "Strength"], ["0", "30.0000"]]
    assert len(values) == 32
    found = float(values[-1][1])
    assert 45 < found <= 100
    assert f" {found:.1f} " in text
    assert "60 of 60 games" in text
    assert " ± " in text
    assert f"default = {round(found)}\n" in (folder / "tuned.toml").read_text()
    assert "</svg>" in (folder / "values.svg").read_text()

    # Nothing is left to play; the same values come out of the journal
    again = run("--folder", folder)
    assert "is finished: all games are played" in again
    assert f" {found:.1f} " in again
    assert rows(folder / "values.csv") == values

    run_command("report", folder)
    assert (folder / "report.html").stat().st_size > 1000
    assert "holds a tuning run" in run_command("match", "--folder", folder, code=2)
    assert "holds another run" in run(*arguments, "--stability", "0.2", code=2)


def test_an_interrupted_run_goes_on(tmp_path):
    engines = tuple(scripted(side, "--best", "75") for side in SIDES)
    settings = Settings(engines, "30", rounds=12, plies=4, seed=5)
    tunables = (Tunable("Strength", 30, 0, 100, 10, 0.1), Tunable("Hash", 32, 1, 64, 8))
    plan = Plan(tunables, Gains(6), pairs=2)

    def play(observer: Observer) -> Tuning:
        with closing(Journal(tmp_path, settings)) as journal:
            tuning = Tuning(journal, plan)
            tuning.play(PoolOptions(), observer)
        assert len(rows(tmp_path / "values.csv")) == len(tuning.course) + 1
        return tuning

    observers = [Observer(stop_after=9), Observer(), Observer()]
    first, second, third = map(play, observers)
    assert [len(observer.seen) for observer in observers] == [9, 15, 0]
    assert [one.interrupted for one in (first, second, third)] == [True, False, False]
    assert len(first.course) == 3
    assert len(second.course) == 7
    assert second.course[:3] == first.course
    assert second.course == third.course

    assert draw_course(third, tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text().count('<g id="axes_') == 2
    with closing(Journal(tmp_path, settings)) as journal:
        games = sorted((record.index, record.white) for record in journal.records)
    assert games == list(enumerate(SIDES * 12))


def test_a_finished_run_is_extended(tmp_path):
    folder = tmp_path / "t"
    arguments = [f"{ENGINE} --best 75", "-p", "Strength=30,0,100,10,0.1", "--tc", "30"]
    arguments += ["--seed", "3", "--pairs", "2", "--folder", folder]
    run(*arguments, "-n", "8")
    before = (folder / "values.csv").read_text()
    plan = (folder / "tune.json").read_text()
    assert "must be a multiple of 4" in run("--folder", folder, "-n", "10", code=2)
    assert "a match can be extended, but not shortened" in flat(run(*arguments, "-n", "4", code=2))

    assert "16 of 16 games" in run("--folder", folder, "-n", "16")
    after = (folder / "values.csv").read_text()
    assert after.startswith(before) and len(after.splitlines()) == 6
    assert (folder / "tune.json").read_text() == plan
    assert "20 of 20 games" in run(*arguments, "-n", "20")
    assert "is finished" in run(*arguments, "-n", "20")
    assert (folder / "values.csv").read_text().startswith(after)


def test_a_match_is_no_run_of_tuning(tmp_path):
    Journal(tmp_path, Settings((scripted("A"), scripted("B")), "30", 1)).close()
    plan = Plan((Tunable("Hash", 32, 1, 64, 8),), Gains(6))
    with pytest.raises(ValueError, match="holds a match, not a tuning run"):
        plan.keep(tmp_path)


def test_an_engine_that_takes_no_positions_is_refused_a_book_of_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    command = json.dumps([sys.executable, "-c", XBOARD_WITHOUT_POSITIONS])
    Path("x.toml").write_text(f'name = "x"\nprotocol = "xboard"\ncommand = {command}\n')
    arguments = ["x.toml", "-p", "Speed", "-n", "4", "--openings", "book.epd", "--folder", "run"]
    assert "cannot be given positions" in flat(run(*arguments, code=2))
    assert not Path("run").exists()


def test_names_are_whole_on_80_columns():
    names = ["null_move_verification_depth", "history_pruning_margin_base"]
    tunables = tuple(Tunable(name, 1000, 0, 20000, 100) for name in names)
    tuning = SimpleNamespace(
        plan=Plan(tunables, Gains(6)),
        values=dict.fromkeys(names, 1003.0),
        signs=[[1, -1], [-1, -1]],
        scores=[0.5, 0.75],
    )
    output = io.StringIO()
    Console(file=output, width=80).print(values_table(tuning))
    text = output.getvalue()
    assert all(name in text for name in names)
    assert max(map(len, text.splitlines())) <= 80
