"""Reductions and extensions: bounded, and each adjustment in its direction."""

import math
from itertools import product

import pytest

from tests.support.search_kernels import DEFAULTS, ask, call, node_at
from zobra.engine.fen import START, parse_fen
from zobra.search.reductions import (
    adjusted_reduction,
    late_move_reduction,
    lmr_depth,
    research_depth,
    singular_extension,
)
from zobra.search.worker import PLY, REDUCTION_DEPTHS, REDUCTION_MOVES

TAKES = "4k3/8/8/3q4/2P5/4N3/8/3RK3 w - - 0 1"
QUIET, CAPTURE = (parse_fen(TAKES).parse_move(text) for text in ("e1f1", "c4d5"))
DEEPER = DEFAULTS["deeper_margin"]
SHALLOWER = DEFAULTS["shallower_margin"]
DOUBLE = DEFAULTS["singular_double_margin"]
TRIPLE = DEFAULTS["singular_triple_margin"]


def reduction_of(
    move: int, base: int, ply: int = 1, checkers: int = 0, cutoffs: int = 0, **values: int
) -> int:
    """The adjusted reduction of a move whose base reduction is `base`, in an improving node."""
    bench = node_at(TAKES, ply, improving=1, reductions=base, **values)
    following = bench.this["stack"][ply + 1]
    following["position"]["checkers"] = checkers
    following["cutoff_count"] = cutoffs
    return call(adjusted_reduction, bench, ply, move=move, is_quiet=move == QUIET)


def test_the_reduction_table_follows_its_formula():
    bench = node_at(START, reduction_base=70, reduction_divisor=230, reduction_not_improving=500)
    node = bench.this["stack"][1]
    for depth, number in product((1, 2, 5, 63, 64, 127), (1, 2, 8, 63, 64, 218)):
        node["depth"] = depth
        node["move_count"] = number
        known_depth = min(depth, REDUCTION_DEPTHS - 1)
        known_number = min(number, REDUCTION_MOVES - 1)
        plies = 0.70 + math.log(known_depth) * math.log(known_number) / 2.30
        for improving, more in ((1, 0), (0, 500)):
            node["improving"] = improving
            assert call(late_move_reduction, bench) == int(PLY * plies) + more


# Each adjustment is a digit of its own.
DIGITS = {
    "reduction_cut_node": 10,
    "reduction_pv": 200,
    "reduction_noisy_tt_move": 3_000,
    "reduction_check": 40_000,
    "reduction_tt_pv": 500_000,
}


@pytest.mark.parametrize(
    ("node", "adjusted"),
    [
        ({}, 5),
        ({"cut_node": 1}, 15),
        ({"pv_node": 1}, -195),
        ({"tt_move": QUIET}, 5),
        ({"tt_move": CAPTURE}, 3_005),
        ({"checkers": 1}, -39_995),
        ({"tt_pv": 1}, -499_995),
        ({"cut_node": 1, "tt_pv": 1, "checkers": 1, "tt_move": CAPTURE}, 3_015 - 540_000),
        ({"pv_node": 1, "tt_pv": 1, "checkers": 1, "tt_move": CAPTURE}, 3_005 - 540_200),
    ],
)
@pytest.mark.parametrize("move", [QUIET, CAPTURE])
def test_each_adjustment_counts_once(move, node, adjusted):
    assert reduction_of(move, 5, **node, **DIGITS) == adjusted


@pytest.mark.parametrize("sign", [1, -1])
def test_history_shortens_or_lengthens(sign):
    """Quiet moves go by theirs, captures by that of captures."""
    for move, history in ((QUIET, sign * 3_000), (CAPTURE, sign * 5_000)):
        found = reduction_of(move, 2_000, quiet_history=sign * 3_000, capture_history=sign * 5_000)
        assert found == 2_000 - history * PLY // DEFAULTS["reduction_history"]


@pytest.mark.parametrize(
    ("ply", "cutoffs", "wanted"),
    [(0, 0, 1_000), (1, 0, 4_000), (1, 2, 4_000), (1, 3, 4_700), (1, 9, 4_700)],
)
def test_reductions_at_the_root_and_after_many_cutoffs(ply, cutoffs, wanted):
    values = {"reduction_root": 256, "reduction_cutoffs": 700, "reduction_cutoffs_number": 2}
    assert reduction_of(QUIET, 4_000, ply, cutoffs=cutoffs, **values) == wanted


@pytest.mark.parametrize(
    ("ply", "depth", "score", "wanted"),
    [
        (3, 6, 100 + DEEPER, 6),
        (3, 6, 101 + DEEPER, 7),
        (0, 6, 101 + DEEPER, 6),  # the root is as deep as it is said to be,
        (20, 6, 101 + DEEPER, 6),  # and no line is lengthened without end
        (3, 6, 100 + SHALLOWER, 6),
        (3, 6, 99 + SHALLOWER, 5),
        (3, 1, 99 + SHALLOWER, 1),
    ],
)
def test_a_re_search_is_the_deeper_the_more_the_score_exceeds_the_best(ply, depth, score, wanted):
    assert ask(research_depth, ply=ply, root_depth=10, depth=depth, score=score, best=100) == wanted


@pytest.mark.parametrize(
    ("depth", "reduction", "left"),
    [
        (8, PLY - 1, 8),
        (8, PLY, 7),
        (8, 5 * PLY, 3),
        (8, 90 * PLY, 1),
        (8, -3 * PLY, 8),
        (0, 2 * PLY, 0),
        (1, PLY, 1),
    ],
)
def test_a_reduced_depth_is_at_least_one_and_never_extended(depth, reduction, left):
    values = {"move": QUIET, "is_quiet": 1, "improving": 1, "reductions": reduction, "depth": depth}
    for count, wanted in ((DEFAULTS["reduction_moves"], depth), (9, left)):
        assert ask(lmr_depth, TAKES, move_count=count, **values) == wanted


@pytest.mark.parametrize(
    ("score", "fails_high", "pv", "cut", "plies"),
    [
        (99, 0, 0, 0, 1),  # nothing else comes near: deeper
        (100 - DOUBLE, 0, 0, 0, 1),
        (99 - DOUBLE, 0, 0, 0, 2),  # far from near: much deeper,
        (99 - TRIPLE, 0, 0, 0, 3),
        (99 - TRIPLE, 0, 1, 0, 1),  # but not on the principal variation
        (100, 1, 0, 0, -2),  # others will do as well, and it is above beta already
        (100, 0, 0, 1, -1),
        (100, 0, 0, 0, 0),
    ],
)
def test_singular_extensions(score, fails_high, pv, cut, plies):
    given = {"tt_fails_high": fails_high, "pv_node": pv, "cut_node": cut}
    assert ask(singular_extension, score=score, singular_beta=100, **given) == plies
