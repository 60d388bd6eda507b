"""Corrections of the evaluation: towards what searches found, for like positions only, and never to a mate."""

import pytest

from tests.search_kernels import Workbench, call, node_at
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search.history import LARGEST_BONUS, corrected_evaluation, update_correction_histories
from zobra.search.node import finish_node
from zobra.search.worker import BEFORE, HISTORY_LIMIT

SAME_PAWNS = "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
OTHER_PAWNS = "rn1qkbnr/1ppppppp/8/8/8/8/PPPPPPP1/R1BQKBNR w KQkq - 0 1"
TABLES = 4  # pawns, the pieces of either side, the last two moves
MATE = int(LONGEST_MATE)


@pytest.fixture
def bench():
    return Workbench(parse_fen(START))


def corrected(bench: Workbench, static: int = 0, ply: int = 0) -> int:
    return call(corrected_evaluation, bench, ply, raw_evaluation=static)


def teach(bench: Workbench, difference: int, depth: int, times: int = 1) -> None:
    for _ in range(times):
        call(update_correction_histories, bench, 0, difference=difference, depth=depth)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_lesson_moves_the_evaluation_its_way_to_a_limit(bench, sign):
    assert [corrected(bench, static) for static in (-300, 0, 41)] == [-300, 0, 41]  # nothing is known yet
    values = [0]
    for _ in range(20):
        teach(bench, sign * 120, 8)
        values.append(sign * corrected(bench))
    assert values == sorted(values) and values[-1] > 20
    teach(bench, sign * 30_000, 100, 500)
    assert abs(bench.this["position_correction"]).max() <= HISTORY_LIMIT


def test_the_correction_is_the_weighted_sum_of_its_tables(bench):
    teach(bench, 100, 6)
    total = TABLES * 100 * 6 * 2
    assert corrected(bench) == total * int(bench.this["parameters"]["correction_weight"]) // int(HISTORY_LIMIT)
    bench.this["position_correction"] = 0
    teach(bench, 30_000, 100)
    assert bench.this["position_correction"].max() == LARGEST_BONUS


def test_like_positions_share_what_they_have_in_common(bench):
    teach(bench, 200, 10, 20)
    everything = corrected(bench)
    bench.this["played"][BEFORE - 1] = 3
    found = [everything, corrected(bench)]
    for fen in (SAME_PAWNS, OTHER_PAWNS, START.replace(" w ", " b ")):  # the other side has its own
        bench.place(parse_fen(fen))
        found.append(corrected(bench))
    assert found[0] > found[1] > found[2] > found[3] == found[4] == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_corrected_evaluation_is_never_a_mate_score(bench, sign):
    teach(bench, sign * 500, 20, 50)
    assert corrected(bench, sign * (MATE - 5)) == sign * (MATE - 1)


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
    fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    number = parse_fen(fen).parse_move(move) if move else 0
    for static, wanted in ((0, direction), (NO_SCORE, 0)):  # in check there is no evaluation to learn of
        bench = node_at(fen, depth=6, static_evaluation=static)
        call(finish_node, bench, move=number, score=score, alpha=alpha, beta=beta)
        after = corrected(bench, ply=1)
        assert (after > 0) - (after < 0) == wanted


@pytest.mark.parametrize(
    ("score", "depth", "alpha", "beta", "blended"),
    [
        (300, 4, 99, 100, 260),  # four parts of five
        (300, 1, 99, 100, 200),
        (99, 4, 99, 100, 99),
        (300, 4, 0, 100, 300),  # an open window
        (MATE, 4, 99, 100, MATE),
        (300, 4, -MATE - 1, -MATE, 300),
    ],
)
def test_a_fail_high_is_blended_toward_beta(score, depth, alpha, beta, blended):
    assert call(finish_node, node_at(START, depth=depth), score=score, alpha=alpha, beta=beta) == blended
