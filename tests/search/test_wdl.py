"""The chances that a score stands for: sensible everywhere, and a fit that finds a model it was
given.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE, MATE
from zobra.search.wdl import (
    MOST_PIECES,
    USUAL_MATERIAL,
    Model,
    fitted,
    material_of,
    normalised,
    wdl,
)
from zobra.train.game_kernel import DataError
from zobra.train.positions import PACKED
from zobra.train.wdl_fit import (
    compare_wdl,
    fit_model,
    fit_wdl,
    material_shares,
    outcome_probabilities,
)

SCORES = st.integers(1 - int(LONGEST_MATE), int(LONGEST_MATE) - 1)


@given(SCORES, st.integers(0, 1000), st.floats(0, 1))
def test_chances_add_up_are_symmetric_and_rise_with_the_score(score, more, material):
    win, draw, loss = wdl(score, material)
    assert min(win, draw, loss) >= 0
    assert win + draw + loss == 1000
    other = wdl(-score, material)
    assert abs(win - other.loss) <= 1
    assert abs(loss - other.win) <= 1
    assert wdl(min(score + more, int(LONGEST_MATE) - 1), material).win >= win


def test_mates_and_large_scores_are_certain():
    assert wdl(int(MATE) - 9, 0.5) == (1000, 0, 0)
    assert wdl(8 - int(MATE), 0.5) == (0, 0, 1000)
    assert wdl(5_000, 0.5).win > 990
    assert wdl(-5_000, 0.5).loss > 990


def test_material():
    assert material_of(parse_fen(START)) == 1.0
    assert material_of(parse_fen("8/8/4k3/8/8/4K3/8/8 w - - 0 1")) == 0.0
    position = parse_fen("8/5p2/4k3/8/8/4K3/3Q4/8 w - - 0 1")
    assert material_of(position) == 2 / MOST_PIECES
    boards = np.stack([position.record["board"], parse_fen(START).record["board"]])
    assert material_shares(boards) == pytest.approx([2 / 30, 1.0])


def test_the_fit_recovers_the_model():
    source = np.random.default_rng(3)
    model = Model(20.0, 80.0, 0.3, 70.0, 0.4)
    scores = source.integers(-800, 801, 60_000).astype(float)
    material = source.random(60_000)
    lose, draw, _ = outcome_probabilities(model, scores, material)
    drawn_number = source.random(60_000)
    results = np.where(drawn_number < lose, 0, np.where(drawn_number < lose + draw, 1, 2))
    found, loss = fit_model(scores, material, results)
    for share in (0.1, 0.5, 0.9):
        assert found.even_chance(share) == pytest.approx(model.even_chance(share), rel=0.05)
    assert found.spread == pytest.approx(model.spread, rel=0.05)
    assert found.growth == pytest.approx(model.growth, rel=0.15)
    assert 0 < loss < 1


def test_the_comparison_shows_the_results_of_games():
    positions = np.zeros(400, PACKED)
    equal_games = positions[:200]
    equal_games["result"] = 1
    better_games = positions[200:]
    better_games["score"] = 190  # which the model shows as 100
    better_games["result"] = [2] * 150 + [0] * 50
    _, equal, better = compare_wdl(Model(190.0, 0.0, 1.0, 40.0, 0.0), positions)
    assert equal.split() == ["+0", "200", "0.9%", "98.3%", "0.9%", "0.0%", "100.0%", "0.0%"]
    assert better.split() == ["+100", "200", "50.0%", "50.0%", "0.0%", "75.0%", "0.0%", "25.0%"]


@pytest.mark.parametrize(
    "model", [Model(-50.0, 0.0, 1.0, 60.0, 0.0), Model(math.nan, 0.0, 1.0, 60.0, 0.0)]
)
def test_an_implausible_fit_is_not_written(model, monkeypatch, tmp_path):
    monkeypatch.setattr(
        "zobra.train.wdl_fit.fit_model", lambda scores, material, results: (model, 0.5)
    )
    with pytest.raises(DataError, match="the fit to these games failed"):
        fit_wdl(np.zeros(3, PACKED), {}, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_a_hundred_wins_every_other_game():
    score = fitted().even_chance(USUAL_MATERIAL)
    assert [normalised(sign * round(score)) for sign in (1, 0, -1)] == [100, 0, -100]
    assert abs(wdl(round(score), USUAL_MATERIAL).win - 500) <= 5
    for mate in (int(MATE) - 9, 8 - int(MATE)):
        assert normalised(mate) == mate
    for material in (0.2, 0.6, 1.0):  # the model in use is a plausible one
        assert 0.5 > fitted().win(0, material) > 0.0001
        assert fitted().win(600, material) > 0.5
