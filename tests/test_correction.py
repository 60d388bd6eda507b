"""Corrections of the evaluation: towards what searches found, for like positions only, and never to a mate."""

import pytest

from tests.search_kernels import Workbench, call
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search.correction import LARGEST_BONUS, corrected_evaluation, update_correction_histories
from zobra.search.node import finish_node
from zobra.search.worker import BEFORE, HISTORY_LIMIT

SAME_PAWNS = "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
OTHER_PAWNS = "rn1qkbnr/1ppppppp/8/8/8/8/PPPPPPP1/R1BQKBNR w KQkq - 0 1"
TABLES = 4  # pawns, the pieces of either side, the last two moves


@pytest.fixture
def bench():
    return Workbench(parse_fen(START))


def corrected(bench: Workbench, static: int = 0) -> int:
    return call(corrected_evaluation, bench, 0, raw_evaluation=static)


def teach(bench: Workbench, difference: int, depth: int) -> None:
    call(update_correction_histories, bench, 0, difference=difference, depth=depth)


def finish(bench: Workbench, score: int, depth: int, alpha: int, beta: int, move: int = 0) -> int:
    bench.this["stack"][0]["depth"] = depth
    return call(finish_node, bench, 0, move=move, score=score, alpha=alpha, beta=beta)


def test_nothing_learned_corrects_nothing(bench):
    assert [corrected(bench, static) for static in (-300, 0, 41)] == [-300, 0, 41]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_lesson_moves_the_evaluation_its_way(bench, sign):
    before = 0
    for _ in range(20):
        teach(bench, sign * 120, 8)
        after = corrected(bench)
        assert sign * after >= sign * before
        before = after
    assert sign * before > 20


def test_the_correction_is_the_weighted_sum_of_its_tables(bench):
    teach(bench, 100, 6)
    total = TABLES * 100 * 6 * 2
    assert corrected(bench) == total * int(bench.this["parameters"]["correction_weight"]) // int(HISTORY_LIMIT)


def test_a_lesson_is_bounded(bench):
    teach(bench, 30_000, 100)
    assert int(bench.this["position_correction"].max()) == int(LARGEST_BONUS)
    for _ in range(500):
        teach(bench, 30_000, 100)
    assert int(bench.this["position_correction"].max()) <= int(HISTORY_LIMIT)


def test_like_positions_share_what_they_have_in_common(bench):
    for _ in range(20):
        teach(bench, 200, 10)
    everything = corrected(bench)
    bench.this["played"][BEFORE - 1] = 3
    without_moves = corrected(bench)
    bench.place(parse_fen(SAME_PAWNS))
    pawns_only = corrected(bench)
    bench.place(parse_fen(OTHER_PAWNS))
    assert everything > without_moves > pawns_only > corrected(bench) == 0


def test_the_other_side_has_its_own(bench):
    teach(bench, 200, 10)
    bench.this["played"][BEFORE - 1] = 3
    bench.place(parse_fen(START.replace(" w ", " b ")))
    assert corrected(bench) == 0


def test_a_corrected_evaluation_never_speaks_of_mate(bench):
    for _ in range(50):
        teach(bench, 500, 20)
    assert corrected(bench, int(LONGEST_MATE) - 5) == int(LONGEST_MATE) - 1
    for _ in range(150):
        teach(bench, -500, 20)
    assert corrected(bench, 5 - int(LONGEST_MATE)) == 1 - int(LONGEST_MATE)


@pytest.mark.parametrize(
    ("score", "alpha", "beta", "move", "direction"),
    [
        (60, 0, 100, "g1f3", 1),  # exact, above and below the evaluation
        (-60, -100, 100, "g1f3", -1),
        (60, 20, 60, "g1f3", 1),  # at least 60
        (-10, -40, -10, "g1f3", 0),  # at least -10 says nothing of an evaluation of 0
        (-60, -60, -20, None, -1),  # at most -60
        (30, 40, 60, None, 0),  # at most 30 says nothing
        (60, 20, 60, "e4d5", 0),  # a capture: not what the evaluation is for
        (0, -10, 10, "g1f3", 0),  # right already
    ],
)
def test_learned_from_quiet_disagreement_only(score, alpha, beta, move, direction):
    position = parse_fen("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    bench = Workbench(position)
    bench.this["stack"][0]["static_evaluation"] = bench.this["stack"][0]["raw_evaluation"] = 0
    finish(bench, score, 6, alpha, beta, position.parse_move(move) if move else 0)
    after = corrected(bench)
    assert (after > 0) - (after < 0) == direction


@pytest.mark.parametrize(
    ("score", "depth", "alpha", "beta", "told"),
    [
        (300, 4, 99, 100, 260),  # four parts of five
        (300, 1, 99, 100, 200),
        (99, 4, 99, 100, 99),
        (300, 4, 0, 100, 300),  # an open window
        (LONGEST_MATE, 4, 99, 100, LONGEST_MATE),
        (300, 4, -LONGEST_MATE - 1, -LONGEST_MATE, 300),
    ],
)
def test_what_is_above_beta_is_taken_back_in_part(bench, score, depth, alpha, beta, told):
    assert finish(bench, score, depth, alpha, beta) == told


def test_nothing_is_learned_in_check():
    bench = Workbench(parse_fen("4k3/8/8/8/4r3/8/8/4K2R w - - 0 1"))
    bench.this["stack"][0]["static_evaluation"] = bench.this["stack"][0]["raw_evaluation"] = NO_SCORE
    finish(bench, -300, 9, -100, 100)
    assert not any(bench.this[name].any() for name in ("position_correction", "continuation_correction"))
