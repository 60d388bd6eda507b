"""Ratings on a ladder: fitted as they should be, and the list that is shipped."""

import json
import math
import random

import pytest

from tests.support.arena_runs import ENGINE, flat, run
from zobra.arena.commands import ladder as ladders
from zobra.arena.model.engines import EngineSpec, read_engine_file
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.ladder import (
    Ratings,
    Rung,
    fit,
    nearest_first,
    read_calibration,
    read_rungs,
    recalibrated,
    save_calibration,
)
from zobra.arena.model.results import Results
from zobra.arena.model.statistics import elo_of_score, score_of_elo
from zobra.arena.runner.processors import spare


def rung(name: str, rating: float, sigma: float = 1.0) -> Rung:
    return Rung(EngineSpec(name, (name,)), rating, sigma)


def results(games: list[tuple[str, str, str]]) -> Results:
    names = sorted({name for game in games for name in game[:2]})
    return Results(
        names,
        [
            GameRecord(i, i // 2, 1, white, black, {}, end, "mate")
            for i, (white, black, end) in enumerate(games)
        ],
    )


def test_against_one_sure_rung_the_rating_is_the_score():
    games = [("X", "R", "1-0")] * 75 + [("X", "R", "0-1")] * 25
    found = fit(results(games), [rung("R", 2000)])
    assert found["X"].rating == pytest.approx(2000 + elo_of_score(0.75), abs=2)
    sigma = (
        400 / math.log(10) / math.sqrt(100 * 0.75 * 0.25)
    )  # the information of 100 games at 75 %, in Elo
    assert found["X"].margin == pytest.approx(1.96 * sigma, rel=0.02)
    swept = fit(results([("X", "R", "1-0")] * 20), [rung("R", 2000)])
    assert 2300 < swept["X"].rating < 4500 and math.isfinite(swept["X"].margin)
    draws = fit(results([("X", "R", "1/2-1/2")] * 50 + [("X", "R", "1-0")] * 50), [rung("R", 2000)])
    assert draws["X"].rating == pytest.approx(found["X"].rating, abs=0.01)


def test_many_engines_find_their_places():
    true = {"X": 2200.0, "low": 2000.0, "middle": 2150.0, "high": 2400.0}
    generator, games = random.Random(1), []
    for name in ("low", "middle", "high"):
        for number in range(600):
            white, black = ("X", name) if number % 2 else (name, "X")
            won = generator.random() < score_of_elo(true[white] - true[black])
            games.append((white, black, "1-0" if won else "0-1"))
    found = fit(
        results(games), [rung("low", 2000), rung("middle", 2150), rung("high", 2000, sigma=1000)]
    )
    assert all(
        abs(found[name].rating - rating) < 1.5 * found[name].margin + 2
        for name, rating in true.items()
    )
    assert found["X"].margin < 30
    assert (
        found["high"].margin > found["X"].margin
    )  # a doubtful rung moves to where it plays, and stays the less certain one


def test_lists(tmp_path):
    rungs = read_rungs(ladders.SHIPPED)
    assert [one.rating for one in rungs] == sorted(one.rating for one in rungs)
    assert len({one.engine.name for one in rungs}) == len(rungs) >= 10
    assert all("Debian" in extra["source"] for _, extra in read_engine_file(ladders.SHIPPED))
    protocols = {one.engine.name: one.engine.protocol for one in rungs}
    assert protocols["Fairy-Max 5.0b"] == protocols["Phalanx 25"] == "xboard"
    path = tmp_path / "bad.toml"
    path.write_text('[[engine]]\nname = "x"\ncommand = "x"\nrating = "high"\n')
    with pytest.raises(ValueError, match=r"bad\.toml: engine x: rating"):
        read_rungs(path)


def test_the_list_reaches_up_to_stockfish_at_full_strength():
    strongest = read_rungs(ladders.SHIPPED)[-1].engine
    assert strongest.command == ("stockfish",)
    assert not {name.lower() for name in strongest.options} & {"uci_elo", "uci_limitstrength"}


def test_the_rung_that_is_likely_to_be_nearest_comes_first():
    rungs = [rung("a", 1500), rung("b", 2000), rung("c", 3000)]

    def order(**options) -> str:
        engine = EngineSpec("X", ("x",), options)
        return "".join(one.engine.name for one in nearest_first(rungs, engine))

    assert order() == order(UCI_Elo="1600") == "cba"
    assert order(UCI_LimitStrength="true", UCI_Elo="1600") == "abc"
    assert order(UCI_LimitStrength=True, UCI_Elo=2200) == "bac"
    assert order(UCI_LimitStrength="false", UCI_Elo="1600") == "cba"


def test_a_calibration_tells_differences_better_than_heights():
    games = [("a", "b", "1/2-1/2"), ("b", "a", "1/2-1/2")] * 300
    found = fit(results(games), [rung("a", 2000, 100), rung("b", 2000, 100)])
    height = 1.96 * 100 / math.sqrt(2)  # two opinions of the same height, 100 off each
    assert found["a"].margin == pytest.approx(height, rel=0.02)
    # an engine that meets both knows no better how high it stands, since both may be off together
    again = [("X", name, "1/2-1/2") for name in ("a", "b") for _ in range(5_000)] + [
        ("a", "b", "1/2-1/2")
    ]
    rungs = recalibrated([rung("a", 0), rung("b", 0)], found)
    assert [one.sigma for one in rungs] == [pytest.approx(height / 1.96, rel=0.02)] * 2
    kept = fit(results(again), rungs, found)
    assert kept["X"].margin == pytest.approx(height, rel=0.03)
    assert kept["X"].rating == pytest.approx(2000, abs=1)
    assert (
        fit(results(again), rungs)["X"].margin < 0.8 * height
    )  # as if they were two opinions once more


def test_calibrations_are_kept(tmp_path):
    path = tmp_path / "deep" / "ladder.json"
    assert read_calibration(path) is None
    pair = Ratings(["a", "b"], [1555.0, 1600.0], [[100.0, 90.0], [90.0, 121.0]])
    save_calibration(pair, "5+0.05", path)
    assert read_calibration(path) == ("5+0.05", pair)
    first, second = recalibrated([rung("a", 1500, 30), rung("c", 1600, 30)], pair)
    assert (first.rating, first.sigma, second) == (1555.0, pytest.approx(10), rung("c", 1600, 30))
    save_calibration(
        Ratings(["c", "b"], [1700.0, 1650.0], [[64.0, 1.0], [1.0, 49.0]]), "5+0.05", path
    )
    joined = Ratings(
        ["a", "c", "b"],
        [1555.0, 1700.0, 1650.0],
        [[100.0, 0.0, 0.0], [0.0, 64.0, 1.0], [0.0, 1.0, 49.0]],
    )
    assert read_calibration(path) == ("5+0.05", joined)
    save_calibration(pair.only({"b"}), "1+0.01", path)  # other ratings, at another time control
    assert read_calibration(path) == ("1+0.01", Ratings(["b"], [1600.0], [[121.0]]))
    for text in (
        "[]",
        '{"time_control": "1", "names": ["a"], "ratings": [1], "covariance": [[1, 2]]}',
        "{",
        '{"names": 1}',
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"ladder\.json: not a calibration"):
            read_calibration(path)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(ladders, "CALIBRATION", tmp_path / "kept.json")
    monkeypatch.setattr("os.getloadavg", lambda: (0.4, 0, 0))
    path, engines = (
        tmp_path / "rungs.toml",
        [("weak", f"{ENGINE} --illegal 2", 1000), ("same", ENGINE, 1200)],
    )
    lines = [
        '[[engine]]\nname = "{}"\ncommand = "{}"\nrating = {}\n'.format(*e)
        for e in (*engines, ("none", "nowhere", 1))
    ]
    path.write_text("".join(lines))
    arguments = ["--list", path, "--tc", "30", "-n", "2"]
    text = run("ladder", f"new={ENGINE} --last", *arguments, "--folder", tmp_path / "l")
    assert "left out: engine none: no program nowhere" in text and f"{spare()} game" in text
    rows = {
        line.split("│")[1].strip(): line.split("│")
        for line in text.splitlines()
        if line.startswith("│")
    }
    assert set(rows) == {"new", "weak", "same"} and rows["new"][4].strip() == "4"
    assert (
        int(rows["weak"][2]) < 1000 < int(rows["new"][2])
        and "weak lost 2 games by illegal move" in text
    )
    kept = json.loads((tmp_path / "l" / "ratings.json").read_text())
    assert {name: before for name, _, _, before in kept}["new"] is None and all(
        margin > 0 for _, _, margin, _ in kept
    )
    run("report", tmp_path / "l")
    page, conditions = (
        (tmp_path / "l" / "report.html").read_text(),
        json.loads((tmp_path / "l" / "run.json").read_text()),
    )
    assert "Rating list" in page and all(f"<td>{name}</td>" in page for name, *_ in kept)
    assert conditions["versions"]["new"] == "Scripted" and "processors" in conditions["machine"]
    assert conditions["machine"] in page and "<dd>Scripted; " in page
    run("ladder", "--calibrate", *arguments, "--folder", tmp_path / "c")
    kept = json.loads((tmp_path / "kept.json").read_text())
    rating = dict(zip(kept["names"], kept["ratings"], strict=True))
    assert kept["time_control"] == "30" and rating["weak"] < rating["same"]
    for control, remark in (
        ("30", "ratings as calibrated at 30"),
        ("20", "ratings as published: the calibration in"),
    ):
        text = run("ladder", "--list", path, "--tc", control, "--lowest", "5000", code=2)
        assert remark in text and "0 of 1 needed rungs installed" in flat(text)
    assert "1 of 2 needed rungs" in flat(
        run("ladder", "--calibrate", *arguments, "--lowest", "1100", code=2)
    )
