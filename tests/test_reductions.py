"""Reductions and extensions: bounded, and each adjustment in its direction."""

import pytest

from tests.search_kernels import (
    ADJUSTED,
    EXTENSION,
    REDUCED_DEPTH,
    REDUCTION,
    SINGULAR_BOUND,
    Bench,
    ask,
    cutoff,
)
from zobra.engine.fen import START, parse_fen
from zobra.search.parameters import default_parameters
from zobra.search.worker import PLY

PARAMETERS = default_parameters()
E2E4 = 12 | 28 << 6


@pytest.fixture
def bench():
    made = Bench(parse_fen(START))
    made.this["frames"][1]["position"] = made.this["frames"][0]["position"]
    return made


def test_reductions_grow_with_depth_and_number(bench):
    for depth in (1, 2, 3, 5, 20, 63, 64, 127):
        found = [ask(REDUCTION, bench, depth=depth, number=number, improving=1) for number in (1, 2, 4, 8, 20, 63, 64, 218)]
        assert found == sorted(found)
    deep = [ask(REDUCTION, bench, depth=depth, number=20, improving=1) for depth in (1, 2, 5, 20, 63, 64)]
    assert deep == sorted(deep) and deep[3] > 3 * PLY


def test_a_worsening_side_is_reduced_more(bench):
    better, worse = (ask(REDUCTION, bench, depth=8, number=8, improving=improving) for improving in (1, 0))
    assert worse - better == PARAMETERS["reduction_worsening"]


def test_each_adjustment_goes_its_way(bench):
    base = ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=3_000)
    assert base == 3_000
    assert ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=3_000, cut=1) == base + PARAMETERS["reduction_cut_node"]
    principal = ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=3_000, principal=1)
    assert principal == base - PARAMETERS["reduction_principal"]


def test_a_check_is_reduced_less(bench):
    bench.this["frames"][1]["position"]["checkers"] = 1
    assert ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=3_000) == 3_000 - PARAMETERS["reduction_check"]


def test_beside_a_noisy_table_move_others_are_reduced_more():
    position = parse_fen("4k3/8/8/3q4/2P5/4N3/8/3RK3 w - - 0 1")
    bench = Bench(position)
    bench.this["frames"][0]["table_move"] = position.parse_move("c4d5")
    quiet = position.parse_move("e1f1")
    noisy = ask(ADJUSTED, bench, ply=0, move=quiet, quiet=1, reduction=2_000)
    bench.this["frames"][0]["table_move"] = position.parse_move("e1f2")
    assert noisy - ask(ADJUSTED, bench, ply=0, move=quiet, quiet=1, reduction=2_000) == PARAMETERS["reduction_noisy_table_move"]


def test_good_history_is_reduced_less(bench):
    before = ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=2_000)
    for _ in range(5):
        cutoff(bench.this, 0, E2E4, True, 10)
    assert ask(ADJUSTED, bench, ply=0, move=E2E4, quiet=1, reduction=2_000) < before


@pytest.mark.parametrize(
    ("depth", "reduction", "left"),
    [
        (8, 0, 8),
        (8, PLY - 1, 8),
        (8, PLY, 7),
        (8, 5 * PLY, 3),
        (8, 90 * PLY, 1),
        (8, -3 * PLY, 8),
        (0, 2 * PLY, 0),
        (1, PLY, 1),
    ],
)
def test_at_least_a_ply_is_left_and_never_more_than_before(bench, depth, reduction, left):
    assert ask(REDUCED_DEPTH, bench, depth=depth, reduction=reduction) == left


def test_the_singular_bound_falls_with_depth(bench):
    bounds = [ask(SINGULAR_BOUND, bench, score=50, depth=depth) for depth in (6, 10, 20)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] == 50 - PARAMETERS["singular_margin"] * 6 // 16


@pytest.mark.parametrize(
    ("score", "known", "principal", "cut", "plies"),
    [
        (99, 150, 0, 0, 1),  # nothing else comes near: deeper
        (100 - PARAMETERS["singular_double_margin"], 150, 0, 0, 1),
        (99 - PARAMETERS["singular_double_margin"], 150, 0, 0, 2),  # far from near: much deeper,
        (99 - PARAMETERS["singular_double_margin"], 150, 1, 0, 1),  # but not on the principal variation
        (100, 300, 0, 0, -2),  # others will do as well, and it is above beta already
        (100, 150, 0, 1, -1),
        (100, 150, 0, 0, 0),
    ],
)
def test_singular_extensions(bench, score, known, principal, cut, plies):
    asked = {"score": score, "bound": 100, "evaluation": known, "beta": 200, "principal": principal, "cut": cut}
    assert ask(EXTENSION, bench, **asked) == plies
