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
    """Return the results of games: White, Black and how the game ended."""
    records = []
    for index, (white, black, end) in enumerate(games):
        records.append(GameRecord(index, index // 2, 1, white, black, {}, end, "mate"))
    return Results(sorted({name for game in games for name in game[:2]}), records)


WIN = ("X", "R", "1-0")
DRAW = ("X", "R", "1/2-1/2")
LOSS = ("X", "R", "0-1")


def test_against_one_sure_rung_the_rating_is_the_score():
    sure = [rung("R", 2000)]
    found = fit(results(75 * [WIN] + 25 * [LOSS]), sure)["X"]
    assert found.rating == pytest.approx(2000 + elo_of_score(0.75), abs=2)
    information = 100 * 0.75 * 0.25 * (math.log(10) / 400) ** 2
    assert found.margin == pytest.approx(1.96 / math.sqrt(information), rel=0.02)
    drawn = fit(results(50 * [DRAW] + 50 * [WIN]), sure)["X"]
    assert drawn.rating == pytest.approx(found.rating, abs=0.01)
    swept = fit(results(20 * [WIN]), sure)["X"]
    assert 2300 < swept.rating < 4500
    assert math.isfinite(swept.margin)


def test_many_engines_find_their_places():
    true = {"X": 2200.0, "low": 2000.0, "middle": 2150.0, "high": 2400.0}
    generator = random.Random(1)
    games = []
    for name in ("low", "middle", "high"):
        for number in range(600):
            white, black = ("X", name) if number % 2 else (name, "X")
            won = generator.random() < score_of_elo(true[white] - true[black])
            games.append((white, black, "1-0" if won else "0-1"))
    rungs = [rung("low", 2000), rung("middle", 2150), rung("high", 2000, sigma=1000)]
    found = fit(results(games), rungs)
    for name, rating in true.items():
        assert abs(found[name].rating - rating) < 1.5 * found[name].margin + 2
    assert found["X"].margin < 30
    # A doubtful rung moves to where it plays, and stays the less certain one
    assert found["high"].margin > found["X"].margin


def test_the_list_that_is_shipped():
    rungs = read_rungs(ladders.SHIPPED)
    ratings = [one.rating for one in rungs]
    assert ratings == sorted(ratings)
    assert len({one.engine.name for one in rungs}) == len(rungs) >= 10
    assert all("Debian" in extra["source"] for _, extra in read_engine_file(ladders.SHIPPED))
    protocols = {one.engine.name: one.engine.protocol for one in rungs}
    assert protocols["Fairy-Max 5.0b"] == protocols["Phalanx 25"] == "xboard"
    # The strongest is Stockfish at full strength
    strongest = rungs[-1].engine
    assert strongest.command == ("stockfish",)
    assert not {name.lower() for name in strongest.options} & {"uci_elo", "uci_limitstrength"}


@pytest.mark.parametrize("more", [("-o", "Hash=1"), ("stockfish",)])
def test_a_calibration_takes_no_engine_and_no_options(more):
    text = flat(run("ladder", "--calibrate", *more, code=2))
    assert "it takes no ENGINE and no -o" in text


def test_a_list_with_an_error_is_refused(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('[[engine]]\nname = "x"\ncommand = "x"\nrating = "high"\n')
    with pytest.raises(ValueError, match=r"bad\.toml: engine x: rating"):
        read_rungs(path)


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
    rungs = recalibrated([rung("a", 0), rung("b", 0)], found)
    for one in rungs:
        assert one.sigma == pytest.approx(height / 1.96, rel=0.02)

    # An engine that meets both knows no better how high it stands, since both may be off together
    games = [("X", name, "1/2-1/2") for name in ("a", "b") for _ in range(5_000)]
    games.append(("a", "b", "1/2-1/2"))
    calibrated = fit(results(games), rungs, found)["X"]
    assert calibrated.margin == pytest.approx(height, rel=0.03)
    assert calibrated.rating == pytest.approx(2000, abs=1)
    # Without the calibration, as if they were two opinions once more
    assert fit(results(games), rungs)["X"].margin < 0.8 * height


def test_calibrations_are_kept(tmp_path):
    path = tmp_path / "deep" / "ladder.json"
    assert read_calibration(path) is None
    first = Ratings(["a", "b"], [1555.0, 1600.0], [[100.0, 90.0], [90.0, 121.0]])
    save_calibration(first, "5+0.05", path)
    assert read_calibration(path) == ("5+0.05", first)

    # Beside an earlier one at the same time control; what is rated in both is the later one
    second = Ratings(["c", "b"], [1700.0, 1650.0], [[64.0, 1.0], [1.0, 49.0]])
    save_calibration(second, "5+0.05", path)
    names = ["a", "c", "b"]
    covariance = [[100.0, 0.0, 0.0], [0.0, 64.0, 1.0], [0.0, 1.0, 49.0]]
    joined = Ratings(names, [1555.0, 1700.0, 1650.0], covariance)
    assert read_calibration(path) == ("5+0.05", joined)

    # Another time control has other ratings
    save_calibration(first.only({"b"}), "1+0.01", path)
    assert read_calibration(path) == ("1+0.01", Ratings(["b"], [1600.0], [[121.0]]))


def test_rungs_get_the_ratings_of_a_calibration():
    found = Ratings(["a", "b"], [1555.0, 1600.0], [[100.0, 90.0], [90.0, 121.0]])
    known, unknown = recalibrated([rung("a", 1500, 30), rung("c", 1600, 30)], found)
    assert (known.rating, known.sigma) == (1555.0, pytest.approx(10))
    assert unknown == rung("c", 1600, 30)


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """Arguments for a ladder of two engines and one that is not installed."""
    monkeypatch.setattr(ladders, "CALIBRATION", tmp_path / "kept.json")
    monkeypatch.setattr("os.getloadavg", lambda: (0.4, 0, 0), raising=False)
    rungs = tmp_path / "rungs.toml"
    text = ""
    for name, command, rating in (
        ("weak", f"{ENGINE} --illegal 2", 1000),
        ("same", ENGINE, 1200),
        ("none", "nowhere", 1),
    ):
        text += f'[[engine]]\nname = "{name}"\ncommand = "{command}"\nrating = {rating}\n'
    rungs.write_text(text)
    return ["--list", rungs, "--tc", "30", "-n", "2"]


def test_an_engine_is_rated(tmp_path, arguments):
    folder = tmp_path / "l"
    text = run("ladder", f"new={ENGINE} --last", *arguments, "--folder", folder)
    assert "left out: engine none: no program nowhere" in text
    assert f"{spare()} game" in text
    assert "weak lost 2 games by illegal move" in text
    table = [line.split("│") for line in text.splitlines() if line.startswith("│")]
    rows = {cells[1].strip(): cells for cells in table}
    assert set(rows) == {"new", "weak", "same"}
    assert rows["new"][4].strip() == "4"
    assert int(rows["weak"][2]) < 1000 < int(rows["new"][2])

    kept = json.loads((folder / "ratings.json").read_text())
    assert {name: before for name, _, _, before in kept}["new"] is None
    assert all(margin > 0 for _, _, margin, _ in kept)
    conditions = json.loads((folder / "run.json").read_text())
    assert conditions["versions"]["new"] == "Scripted"
    assert "processor" in conditions["machine"]
    run("report", folder)
    page = (folder / "report.html").read_text()
    shown = ["Rating list", conditions["machine"], "<dd>Scripted; "]
    for text in [*shown, *(f"<td>{name}</td>" for name in rows)]:
        assert text in page


def test_a_ladder_is_calibrated(tmp_path, arguments):
    run("ladder", "--calibrate", *arguments, "--folder", tmp_path / "c")
    kept = json.loads((tmp_path / "kept.json").read_text())
    rating = dict(zip(kept["names"], kept["ratings"], strict=True))
    assert kept["time_control"] == "30"
    assert rating["weak"] < rating["same"]
    for control, remark in (
        ("30", "using the ratings calibrated at 30"),
        ("20", "using the published ratings: the calibration in"),
    ):
        words = [*arguments, "--tc", control, "--lowest", "5000"]
        text = run("ladder", *words, code=2)
        assert remark in text
        assert "0 of 1 needed rungs installed" in flat(text)
    text = run("ladder", "--calibrate", *arguments, "--lowest", "1100", code=2)
    assert "1 of 2 needed rungs" in flat(text)
