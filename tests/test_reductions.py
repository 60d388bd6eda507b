"""Reductions and extensions: bounded, and each adjustment in its direction."""

import itertools
import math

import pytest

from tests.search_kernels import Workbench, call, history_of
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import INFINITY
from zobra.search.parameters import default_parameters
from zobra.search.reductions import (
    adjusted_reduction,
    late_move_depth,
    late_move_reduction,
    research_depth,
    singular_extension,
)
from zobra.search.worker import PLY, REDUCTION_DEPTHS, REDUCTION_MOVES

PARAMETERS = default_parameters()
OFF = -int(INFINITY)
TAKES = "4k3/8/8/3q4/2P5/4N3/8/3RK3 w - - 0 1"


@pytest.fixture
def bench():
    made = Workbench(parse_fen(START))
    made.this["stack"][1]["position"] = made.this["stack"][0]["position"]
    return made


def set_node(bench: Workbench, **fields: int) -> None:
    for name, value in fields.items():
        bench.this["stack"][0][name] = value


def reduction_of(bench: Workbench, move: int, is_quiet: bool, base: int, ply: int = 0) -> int:
    """The adjusted reduction of a move whose base reduction is `base`, in an improving node."""
    bench.this["reductions"], bench.this["stack"][ply]["improving"] = base, 1
    return call(adjusted_reduction, bench, ply, move=move, is_quiet=is_quiet)


def test_the_table_follows_its_formula():
    made = Workbench(parse_fen(START), {"reduction_base": 70, "reduction_divisor": 230, "reduction_worsening": 500})
    for depth, number in itertools.product((1, 2, 3, 5, 20, 63, 64, 127), (1, 2, 3, 4, 8, 20, 63, 64, 218)):
        rows = math.log(min(depth, REDUCTION_DEPTHS - 1)) * math.log(min(number, REDUCTION_MOVES - 1))
        wanted = int(PLY * (0.70 + rows / 2.30))
        for improving, more in ((1, 0), (0, 500)):
            set_node(made, depth=depth, move_count=number, improving=improving)
            assert call(late_move_reduction, made, 0) == wanted + more


def test_each_adjustment_counts_once():
    """Each is a digit of its own."""
    position = parse_fen(TAKES)
    quiet, capture = position.parse_move("e1f1"), position.parse_move("c4d5")
    digits = ("reduction_cut_node", "reduction_principal", "reduction_noisy_table_move", "reduction_check")
    made = Workbench(position, dict(zip(digits, (10, 200, 3_000, 40_000), strict=True)) | {"reduction_root": PLY})
    for cut, principal, tt_move, check in itertools.product((0, 1), (0, 1), (0, quiet, capture), (0, 1)):
        made.this["stack"][0]["tt_move"] = tt_move
        made.this["stack"][1]["position"]["checkers"] = check
        wanted = 5 + 10 * cut - 200 * principal + 3_000 * (tt_move == capture) - 40_000 * check
        for move, is_quiet in ((quiet, 1), (capture, 0)):
            set_node(made, cut_node=cut, pv_node=principal)
            assert reduction_of(made, move, is_quiet, base=5) == wanted


@pytest.mark.parametrize(("text", "is_quiet"), [("e1f1", True), ("c4d5", False)])
def test_history_shortens_or_lengthens(text, is_quiet):
    """Quiet moves go by theirs, captures by that of captures."""
    position = parse_fen(TAKES)
    move, made = position.parse_move(text), Workbench(position, {"reduction_root": PLY})
    for sign in (1, -1):
        made.this["quiet_history"], made.this["capture_history"] = sign * 3_000, sign * 5_000
        known = history_of(made, 0, move, is_quiet)
        assert known == sign * (3_000 if is_quiet else 5_000)
        wanted = 2_000 - known * PLY // PARAMETERS["reduction_history"]
        assert reduction_of(made, move, is_quiet, base=2_000) == wanted


def test_little_is_left_of_a_reduction_at_the_root():
    made = Workbench(parse_fen(TAKES), {"reduction_root": 256})
    move = parse_fen(TAKES).parse_move("e1f1")
    assert reduction_of(made, move, True, base=4_000) == 1_000


def test_moves_after_many_refuted_ones_are_reduced_more():
    position = parse_fen(TAKES)
    made = Workbench(position, {"reduction_cutoffs": 700, "reduction_cutoffs_number": 2})
    made.this["stack"][1]["position"] = position.record
    for refuted, wanted in ((0, 4_000), (2, 4_000), (3, 4_700), (9, 4_700)):
        made.this["stack"][2]["cutoff_count"] = refuted
        assert reduction_of(made, position.parse_move("e1f1"), True, base=4_000, ply=1) == wanted


@pytest.mark.parametrize(
    ("ply", "depth", "score", "wanted"),
    [
        (3, 6, 100 + PARAMETERS["deeper_margin"], 6),
        (3, 6, 101 + PARAMETERS["deeper_margin"], 7),
        (0, 6, 101 + PARAMETERS["deeper_margin"], 6),  # the root is as deep as it is said to be,
        (20, 6, 101 + PARAMETERS["deeper_margin"], 6),  # and no line is lengthened without end
        (3, 6, 100 + PARAMETERS["shallower_margin"], 6),
        (3, 6, 99 + PARAMETERS["shallower_margin"], 5),
        (3, 1, 99 + PARAMETERS["shallower_margin"], 1),
    ],
)
def test_a_promise_is_confirmed_the_deeper_the_greater_it_is(bench, ply, depth, score, wanted):
    bench.this["root_depth"] = 10
    asked = {"depth": depth, "score": score, "best": 100}
    assert call(research_depth, bench, ply, **asked) == wanted


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
def test_at_least_a_ply_is_left_and_never_more_than_before(depth, reduction, left):
    position = parse_fen(TAKES)
    made, asked = Workbench(position, {"reduction_root": PLY}), {"move": position.parse_move("e1f1"), "is_quiet": 1}
    made.this["reductions"] = reduction
    for count, wanted in ((PARAMETERS["reduction_moves"], depth), (9, left)):
        set_node(made, improving=1, move_count=count)
        assert call(late_move_depth, made, 0, depth=depth, **asked) == wanted


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
    asked = {"score": score, "bound": 100, "tt_fails_high": known >= 200, "pv_node": principal, "cut_node": cut}
    assert call(singular_extension, bench, **asked) == plies
