"""SPSA: gains as published, bounds kept, and values that find the top of a noisy hill."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from chess.engine import Option

from zobra.arena.model.spsa import Gains, Spsa, Tunable, effects
from zobra.arena.model.statistics import score_of_elo
from zobra.arena.model.tune_plan import as_toml, tunables

ONE = Tunable("one", 50, 0, 100, 4, 0.002)


def test_gains_are_those_of_fishtest():
    """In its names: c and a from c_end and r_end, then c_k and R_k of iteration k."""
    iterations = 5000
    stability = 500
    gains = Gains(iterations)
    c = ONE.c_end * iterations**0.101
    a = ONE.r_end * ONE.c_end**2 * (stability + iterations) ** 0.602
    for k in (1, 10, 2500, 5000):
        c_k = c / k**0.101
        r_k = a / (stability + k) ** 0.602 / c_k**2
        assert gains.perturbation(ONE, k - 1) == pytest.approx(c_k)
        assert gains.step(ONE, k - 1) == pytest.approx(r_k * c_k)
    assert gains.perturbation(ONE, 4999) == pytest.approx(ONE.c_end)
    assert gains.step(ONE, 4999) == pytest.approx(ONE.r_end * ONE.c_end)


def test_the_sides_are_perturbed_apart_and_whole_numbers():
    tunables = [
        Tunable("a", 50, 0, 100, 4),
        Tunable("b", 3, 0, 4, 0.5),
        Tunable("c", 100, 0, 100, 10),
    ]
    seen: dict[str, Counter] = {tunable.name: Counter() for tunable in tunables}
    for seed in range(300):
        plus, minus = Spsa(tunables, Gains(1), seed).sides(0)
        for name in plus:
            seen[name].update([plus[name], minus[name]])
    assert set(seen["a"]) == {46, 54}
    assert set(seen["c"]) == {90, 100}
    # 3.5 is rounded up as often as down
    assert set(seen["b"]) == {2, 3, 4}
    assert abs(seen["b"][4] - seen["b"][2]) < 80
    assert [plus, minus] == Spsa(tunables, Gains(1), seed=299).sides(0)


def test_learning_goes_to_the_side_that_won_and_stays_within_bounds():
    spsa = Spsa([ONE], Gains(100), seed=3)
    plus, minus = spsa.sides(0)
    spsa.learn(0, 2)
    assert (spsa.values["one"] > 50) == (plus["one"] > minus["one"])
    assert abs(spsa.values["one"] - 50) == pytest.approx(2 * Gains(100).step(ONE, 0))
    for iteration in range(100):
        plus, minus = spsa.sides(iteration)
        spsa.learn(iteration, 10_000 if plus["one"] > minus["one"] else -10_000)
    assert spsa.values["one"] == 100


def test_effects_are_what_the_upper_values_gain():
    source = np.random.default_rng(4)
    signs = source.choice([-1, 1], (4_000, 3))
    scores = 0.5 + signs @ [0.02, -0.01, 0] + source.normal(0, 0.3, 4_000)
    gains, errors = zip(*effects(signs, scores), strict=True)
    # A point of score is 695 Elo near an even match
    assert errors[0] == pytest.approx(695 * 0.3 / 4_000**0.5, rel=0.05)
    assert gains == pytest.approx([13.9, -6.95, 0], abs=3 * errors[0])


def test_it_climbs_a_noisy_hill():
    """Strength falls with the square of the distance from (70, 30); games are decided by that
    difference and by chance.
    """
    tunables = [Tunable("x", 40, 0, 100, 6, 0.02), Tunable("y", 60, 0, 100, 6, 0.02)]
    iterations = 4000
    generator = random.Random(5)
    spsa = Spsa(tunables, Gains(iterations), seed=7)

    def elo(side: dict[str, int]) -> float:
        return -((side["x"] - 70) ** 2 + (side["y"] - 30) ** 2) / 4

    for iteration in range(iterations):
        plus, minus = spsa.sides(iteration)
        won = [generator.random() < score_of_elo(elo(plus) - elo(minus)) for _ in range(2)]
        spsa.learn(iteration, sum(1 if win else -1 for win in won))
    assert math.dist(spsa.values.values(), (70, 30)) < 8 < math.dist((40, 60), (70, 30))


SPINS = {
    "Hash": Option("Hash", "spin", 16, 1, 64, None),
    "Big": Option("Big", "spin", 100, 0, 1000, None),
}


def test_parameters_from_a_file_and_back(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text("[parameter.Hash]\nlow = 2\nc_end = 3\n\n[parameter.Big]\n")
    chosen = tunables(path, ["Big=10,0,500"], SPINS)
    assert chosen == [Tunable("Hash", 16, 2, 64, 3), Tunable("Big", 10, 0, 500, 25)]
    path.write_text(as_toml(chosen, {"Hash": 17.6, "Big": 11.2}))
    tuned = [Tunable("Hash", 18, 2, 64, 3), Tunable("Big", 11, 0, 500, 25)]
    assert tunables(path, [], SPINS) == tuned
    large = as_toml([Tunable("Hash", 16, 2, 1_048_576, 3)], {"Hash": 16})
    assert "high = 1048576\n" in large
    spaced = as_toml([Tunable("Move Overhead", 1, 0, 9, 1)], {"Move Overhead": 1})
    assert spaced.startswith('[parameter."Move Overhead"]')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[parameter.Hash]\nlow = 20", "Hash: 16 is not between 20 and 64"),
        ("[parameter.Hash]\nlow = 16\nhigh = 16", "Hash: its bounds are the same, 16"),
        ("[parameter.Hash]\nc_end = 0.4", "c_end must be at least 0.5"),
        ("[parameter.Hash]\nc_end = nan", "c_end"),
        ("[parameter.Hash]\nr_end = 0", "r_end above 0"),
        ("[parameter.Hash]\nlow = 'x'", "Hash: low must be a number"),
        ("[parameter.Hash]\nstep = 1", "Hash: unknown key step .*known: default, low"),
        ("[other]", "no tables"),
        ("=", "p.toml: "),
    ],
)
def test_bad_files_are_named(tmp_path, text, problem):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem):
        tunables(path, [], SPINS)
