"""Corrections of the evaluation: towards what searches found, for like positions only, and never to a mate."""

import pytest

from tests.search_kernels import Bench, corrected_evaluation, teach_correction
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE
from zobra.search.correction import LARGEST_BONUS
from zobra.search.worker import BEFORE, LIMIT

SAME_PAWNS = "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
OTHER_PAWNS = "rn1qkbnr/1ppppppp/8/8/8/8/PPPPPPP1/R1BQKBNR w KQkq - 0 1"
TABLES = 4  # pawns, the pieces of either side, the last two moves


@pytest.fixture
def bench():
    return Bench(parse_fen(START))


def corrected(bench: Bench, static: int = 0) -> int:
    return int(corrected_evaluation(bench.this, 0, static))


def test_nothing_learned_corrects_nothing(bench):
    assert [corrected(bench, static) for static in (-300, 0, 41)] == [-300, 0, 41]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_lesson_moves_the_evaluation_its_way(bench, sign):
    before = 0
    for _ in range(20):
        teach_correction(bench.this, 0, sign * 120, 8)
        after = corrected(bench)
        assert sign * after >= sign * before
        before = after
    assert sign * before > 20


def test_the_correction_is_the_weighted_sum_of_its_tables(bench):
    teach_correction(bench.this, 0, 100, 6)
    total = TABLES * 100 * 6 * 2
    assert corrected(bench) == total * int(bench.this["parameters"]["correction_weight"]) // int(LIMIT)


def test_a_lesson_is_bounded(bench):
    teach_correction(bench.this, 0, 30_000, 100)
    assert int(bench.this["pawn_correction"].max()) == int(LARGEST_BONUS)
    for _ in range(500):
        teach_correction(bench.this, 0, 30_000, 100)
    assert int(bench.this["pawn_correction"].max()) <= int(LIMIT)


def test_like_positions_share_what_they_have_in_common(bench):
    for _ in range(20):
        teach_correction(bench.this, 0, 200, 10)
    everything = corrected(bench)
    bench.this["played"][BEFORE - 1] = 3
    without_moves = corrected(bench)
    bench.place(parse_fen(SAME_PAWNS))
    pawns_only = corrected(bench)
    bench.place(parse_fen(OTHER_PAWNS))
    assert everything > without_moves > pawns_only > corrected(bench) == 0


def test_the_other_side_has_its_own(bench):
    teach_correction(bench.this, 0, 200, 10)
    bench.this["played"][BEFORE - 1] = 3
    bench.place(parse_fen(START.replace(" w ", " b ")))
    assert corrected(bench) == 0


def test_a_corrected_evaluation_never_speaks_of_mate(bench):
    for _ in range(50):
        teach_correction(bench.this, 0, 500, 20)
    assert corrected(bench, int(LONGEST_MATE) - 5) == int(LONGEST_MATE) - 1
    for _ in range(150):
        teach_correction(bench.this, 0, -500, 20)
    assert corrected(bench, 5 - int(LONGEST_MATE)) == 1 - int(LONGEST_MATE)


def test_without_weight_nothing_is_corrected():
    bench = Bench(parse_fen(START), {"correction_weight": 0})
    for difference in (-70, 300):
        teach_correction(bench.this, 0, difference, 9)
        assert corrected(bench, 12) == 12
