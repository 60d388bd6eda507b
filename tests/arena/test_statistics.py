"""Figures equal to those that fastchess and its users published, and tests that err as seldom as
they promise.
"""

import math
import random

import numpy
import pytest
from scipy.optimize import brentq

from tests.support.arena_runs import finished
from zobra.arena.model.results import Results
from zobra.arena.model.statistics import (
    LOGISTIC,
    NORMALIZED,
    Sprt,
    elo_of_score,
    estimate,
    score_of_elo,
    sweep_bound,
)

# As fastchess printed them: counts of pairs; Elo and margin, normalised Elo and margin, LOS %,
# draw ratio %, pairs ratio
PUBLISHED = [
    ((352, 579, 1264, 743, 464), 19.83, 6.77, 24.25, 8.26, 100.00, 37.15, 1.30),
    ((19, 82, 272, 308, 361), 162.63, 13.49, 207.38, 14.92, 100.00, 26.10, 6.62),
    ((13, 34, 232, 71, 29), 31.71, 14.63, 53.96, 24.73, 100.00, 61.21, 2.13),
    ((790, 1759, 3256, 1780, 807), 1.14, 4.04, 1.48, 5.26, 70.95, 38.80, 1.01),
    ((34, 49, 128, 62, 27), -0.58, 21.41, -0.75, 27.80, 47.88, 42.67, 1.07),
    ((30, 6, 18, 0, 6), -168.40, 73.37, -170.08, 62.16, 0.00, 30.00, 0.17),
    ((0, 1, 4, 0, 0), -34.86, 62.20, -122.84, 215.34, 13.18, 80.00, 0.00),
    ((72, 10, 0, 0, 0), -600.97, 118.46, -1409.98, 53.17, 0.00, 0.00, 0.00),
]


@pytest.mark.parametrize(("counts", "printed"), [(row[0], row[1:]) for row in PUBLISHED])
def test_published_figures(counts, printed):
    found = estimate(counts)
    values = [
        found.elo,
        found.elo_margin,
        found.normalized_elo,
        found.normalized_margin,
        found.superiority * 100,
        found.draw_ratio * 100,
        found.decisive_ratio,
    ]
    texts = [f"{value:.2f}".replace("-0.00", "0.00") for value in values]
    assert texts == [f"{value:.2f}" for value in printed]


def test_figures_of_single_games():
    """From fastchess' own tests: 136 wins, 96 losses, 111 draws; 76 wins, 89 losses, 123 draws."""
    found = estimate((96, 111, 136))
    assert found.elo == pytest.approx(40.70, abs=0.006)
    assert found.elo_margin == pytest.approx(30.43, abs=0.006)
    assert found.normalized_elo == pytest.approx(49.77, abs=0.006)
    assert found.normalized_margin == pytest.approx(36.77, abs=0.006)
    assert f"{found.superiority:.2%}" == "99.60%"
    assert f"{estimate((89, 123, 76)).superiority:.2%}" == "15.53%"


@pytest.mark.parametrize(("counts", "games"), [((0, 7, 0), 7), ((0, 0, 7, 0, 0), 14)])
def test_draws_alone_do_not_pretend_to_be_sure(counts, games):
    found = estimate(counts)
    assert (found.score, found.elo, found.normalized_elo, found.superiority) == (0.5, 0, 0, 0.5)
    assert math.isnan(found.elo_margin)
    assert math.isnan(found.decisive_ratio)
    # How sure normalised Elo is depends on the number of games alone
    margin = 1.96 * 800 / math.log(10) / math.sqrt(games)
    assert found.normalized_margin == pytest.approx(margin, rel=1e-4)


def test_pairs_all_alike_do_not_pretend_to_be_sure():
    found = estimate((0, 0, 0, 2, 0))
    assert found.score == 0.75
    assert found.elo == pytest.approx(190.85, abs=0.01)
    assert math.isnan(found.elo_margin)
    assert math.isnan(found.normalized_elo)
    swept = estimate((0, 0, 0, 0, 2))
    assert (swept.score, swept.elo, swept.superiority) == (1, math.inf, 1)
    assert math.isnan(swept.normalized_elo)
    assert math.isnan(swept.elo_margin)


def test_no_games_have_no_figures():
    with pytest.raises(ValueError, match="no games"):
        estimate((0, 0, 0, 0, 0))


LIKELIHOOD_RATIOS = [
    ((365, 16618, 36229, 16974, 390), 0, 2, NORMALIZED, "2.25"),
    ((127, 4883, 10712, 5150, 104), -1.75, 0.25, NORMALIZED, "3.01"),
    ((36027, 68692, 36433), 0, 2, NORMALIZED, "0.92"),
    ((10650, 20431, 10871), -1.75, 0.25, NORMALIZED, "2.30"),
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, LOGISTIC, "-3.07"),
    ((871, 26175, 55983, 26678, 821), 0, 2, LOGISTIC, "-4.98"),
    ((21184, 40708, 21404), 0.5, 2.5, LOGISTIC, "-1.57"),
    ((57030, 106593, 57433), 0, 2, LOGISTIC, "-2.59"),
    ((13, 34, 232, 71, 29), 0, 10, NORMALIZED, "2.95"),
    ((790, 1759, 3256, 1780, 807), 0, 5, NORMALIZED, "-0.71"),
    ((352, 579, 1264, 743, 464), 9, 16, NORMALIZED, "4.60"),
    ((77, 1, 0, 0, 0), -1000, -500, NORMALIZED, "-2.95"),
    ((72, 10, 0, 0, 0), -1000, -500, NORMALIZED, "-2.97"),
    ((379, 10170, 21828, 10640, 343), 0, 2, NORMALIZED, "2.95"),
]


@pytest.mark.parametrize("games", [1, 10, 200])
def test_a_side_at_the_bound_of_a_sweep_wins_all_games_in_one_of_twenty_matches(games):
    assert score_of_elo(sweep_bound(games)) ** games == pytest.approx(0.05)


@pytest.mark.parametrize(("counts", "elo0", "elo1", "model", "llr"), LIKELIHOOD_RATIOS)
def test_published_likelihood_ratios(counts, elo0, elo1, model, llr):
    assert f"{Sprt(elo0, elo1, model=model).llr(counts):.2f}" == llr


def test_limits_and_verdicts():
    sprt = Sprt(0, 5)
    assert [f"{limit:.2f}" for limit in sprt.limits] == ["-2.94", "2.94"]
    verdicts = {-2.95: "H0", -2.94: None, 0: None, 2.94: None, 2.95: "H1"}
    assert {llr: sprt.verdict(llr) for llr in verdicts} == verdicts
    assert sprt.llr((0, 0, 0, 0, 0)) == 0


def test_elo_and_score_are_inverse():
    assert score_of_elo(400) == pytest.approx(10 / 11)
    for elo in (-700, -20, 0, 3, 400):
        assert elo_of_score(score_of_elo(elo)) == pytest.approx(elo)


@pytest.mark.parametrize(
    "bad",
    [
        (5, 0),
        (0, 0),
        (-200_000, 0),
        (0, float("inf")),
        (0, 5, 0),
        (0, 5, 0.6, 0.5),
        (0, 5, 0.05, 0.05, "bayesian"),
    ],
)
def test_impossible_tests_are_refused(bad):
    with pytest.raises(ValueError, match="SPRT"):
        Sprt(*bad)


@pytest.mark.parametrize("model", [NORMALIZED, LOGISTIC])
def test_likelihood_ratio_is_antisymmetric_and_finite(model):
    """Seen from the other engine, with mirrored hypotheses, the ratio has the other sign."""
    for counts in [
        (3, 20, 51, 30, 9),
        (0, 0, 0, 0, 40),
        (40, 0, 0, 0, 0),
        (0, 0, 60, 0, 0),
        (144, 3, 1, 0, 0),
    ]:
        llr = Sprt(-2, 10, model=model).llr(counts)
        assert math.isfinite(llr)
        assert Sprt(-10, 2, model=model).llr(counts[::-1]) == pytest.approx(-llr, abs=1e-6)


def pair_shares(elo: float) -> list[float]:
    """Return the shares of the five outcomes of pairs, at this strength and two draws in five."""
    draw = 0.4
    win = score_of_elo(elo) - draw / 2
    return numpy.convolve((1 - draw - win, draw, win), (1 - draw - win, draw, win)).tolist()


def share_of_h1(sprt: Sprt, elo: float, tests: int, seed: int, batch: int) -> float:
    """Return how often a test of an engine of this strength ends with H1.

    It is checked after every batch of pairs.
    """
    generator = random.Random(seed)
    accepted = 0
    shares = pair_shares(elo)
    for _ in range(tests):
        counts = [0] * 5
        verdict = None
        while verdict is None:
            for outcome in generator.choices(range(5), shares, k=batch):
                counts[outcome] += 1
            verdict = sprt.verdict(sprt.llr(counts))
        accepted += verdict == "H1"
    return accepted / tests


def test_few_simulated_tests_err_seldom():
    sprt = Sprt(0, 80, model=LOGISTIC)
    assert share_of_h1(sprt, 0, 150, 1, 4) < 0.11
    assert share_of_h1(sprt, 80, 150, 2, 4) > 0.89


@pytest.mark.slow
@pytest.mark.parametrize("model", [NORMALIZED, LOGISTIC])
def test_two_thousand_simulated_tests_err_at_most_as_promised(model):
    """1,000 tests at each hypothesis; 5 % is promised, and its sampling error (3 sigma) allowed."""

    def normalized(elo: float) -> float:
        return estimate([round(share * 10**9) for share in pair_shares(elo)]).normalized_elo

    elo1 = 40.0
    sprt = Sprt(0, elo1, model=model)
    # normalised Elo measures in sigmas of a game: the strength at which H1 is exactly true
    true_elo = elo1 if model == LOGISTIC else brentq(lambda elo: normalized(elo) - elo1, 0, 200)
    tolerance = 3 * math.sqrt(0.05 * 0.95 / 1000)
    assert share_of_h1(sprt, 0, 1000, 3, 2) <= 0.05 + tolerance
    assert share_of_h1(sprt, true_elo, 1000, 4, 2) >= 0.95 - tolerance


def test_a_side_that_lost_every_game_is_infinitely_weaker():
    lost = estimate((2, 0, 0, 0, 0))
    assert (lost.score, lost.elo, lost.superiority) == (0, -math.inf, 0)


@pytest.mark.parametrize("counts", [(0, 0, 0, 1, 2), (2, 1, 0, 0, 0)])
def test_an_interval_that_reaches_a_clean_sweep_has_no_margin(counts):
    found = estimate(counts)
    assert math.isfinite(found.elo) and math.isnan(found.elo_margin)


@pytest.mark.parametrize("errors", [(0, 0.05), (0.05, 0), (0.5, 0.5)])
def test_tests_without_errors_or_with_nothing_else_are_refused(errors):
    with pytest.raises(ValueError, match="alpha and beta"):
        Sprt(0, 5, *errors)


def test_pairs_that_are_all_won_do_not_hide_games_that_were_lost():
    """Interrupted games count too: a clean sweep is one of games, not of complete pairs."""
    won = [finished(number, "1-0" if number % 2 == 0 else "0-1") for number in range(4)]
    assert Results("AB", won).best_counts("A") == [0, 0, 0, 0, 2]
    half_lost = Results("AB", [*won, finished(4, "0-1")])
    assert half_lost.best_counts("A") == [1, 0, 4]
    assert half_lost.best_counts("B") == [4, 0, 1]
    drawn = Results("AB", [*won, finished(4, "1/2-1/2"), finished(5, "1/2-1/2")])
    assert drawn.best_counts("A") == [0, 0, 1, 0, 2]
