"""The claims of `pruning`, each at its edge; and that pruning keeps the search to far fewer nodes."""

import pytest

from tests.search_kernels import (
    FAR_ABOVE,
    LATE_QUIETS,
    NULL_DEPTH,
    PASSING,
    PLAIN,
    REDUCTION,
    TABLE_DECIDES,
    Bench,
    claim,
    fields,
    pack_fields,
)
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE
from zobra.search.parameters import PARAMETERS, default_parameters
from zobra.tt.entry import EXACT, LOWER, UPPER
from zobra.tt.table import Table

PAWNS_ONLY = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HAS_ROOK = "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1"
ENEMY_ROOK = "r3k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"


def ask(which, bench=None, ply=1, data=0, evaluation=0, beta=0, depth=1, number=1):
    bench = bench or Bench(parse_fen(START))
    return int(claim(which, bench.this, ply, data, evaluation, beta, depth, number))


def node(fen: str = START, previous_move: int = 1, **parameters: int) -> Bench:
    """A position at ply 1, reached by `previous_move`."""
    bench = Bench(parse_fen(START), parameters)
    bench.this["frames"][0]["move"] = previous_move
    bench.this["frames"][1]["position"] = parse_fen(fen).record
    return bench


def test_reverse_futility_needs_the_margin_of_every_ply():
    bench = node(reverse_futility_margin=80, reverse_futility_depth=7)
    for depth in (1, 3, 7):
        assert ask(FAR_ABOVE, bench, evaluation=80 * depth, beta=0, depth=depth)
        assert not ask(FAR_ABOVE, bench, evaluation=80 * depth - 1, beta=0, depth=depth)
    assert not ask(FAR_ABOVE, bench, evaluation=20_000, beta=0, depth=8)


def test_reverse_futility_never_hides_a_mate_against_us():
    assert not ask(FAR_ABOVE, node(), evaluation=0, beta=-int(LONGEST_MATE))
    assert ask(FAR_ABOVE, node(), evaluation=0, beta=-int(LONGEST_MATE) + 1)


@pytest.mark.parametrize(
    ("fen", "evaluation", "beta", "depth", "previous", "passes"),
    [
        (HAS_ROOK, 50, 50, 3, 1, True),
        (HAS_ROOK, 49, 50, 3, 1, False),  # below beta
        (HAS_ROOK, 50, 50, 2, 1, False),  # too shallow
        (HAS_ROOK, 50, 50, 3, 0, False),  # the opponent has just passed
        (PAWNS_ONLY, 50, 50, 3, 1, False),  # zugzwang
        (ENEMY_ROOK, 50, 50, 3, 1, False),  # the other side's pieces do not count
        (HAS_ROOK, 50, -int(LONGEST_MATE), 3, 1, False),  # about to be mated
    ],
)
def test_null_move(fen, evaluation, beta, depth, previous, passes):
    bench = node(fen, previous, null_move_depth=3)
    assert ask(PASSING, bench, evaluation=evaluation, beta=beta, depth=depth) == passes


def test_null_move_depth_falls_with_depth_and_surplus():
    bench = node(null_move_base=3, null_move_divisor=4, null_move_margin=200, null_move_margin_plies=3)
    for depth, surplus, reduced in ((3, 0, 0), (4, 0, 0), (8, 0, 3), (8, 199, 3), (8, 200, 2), (8, 600, 0), (8, 9_000, 0)):
        assert ask(NULL_DEPTH, bench, evaluation=10 + surplus, beta=10, depth=depth) == reduced


def test_late_quiet_moves():
    bench = node(late_move_depth=4, late_move_base=4)
    for depth in range(1, 5):
        assert not ask(LATE_QUIETS, bench, depth=depth, number=4 + depth * depth - 1)
        assert ask(LATE_QUIETS, bench, depth=depth, number=4 + depth * depth)
    assert not ask(LATE_QUIETS, bench, depth=5, number=200)


def test_reductions_are_bounded():
    bench = node(reduction_depth=3, reduction_moves=3)
    for depth in (1, 2, 3, 5, 20, 63, 64, 127):
        before = 0
        for number in (1, 2, 3, 4, 8, 20, 63, 64, 218):
            plies = ask(REDUCTION, bench, depth=depth, number=number)
            assert 0 <= plies <= max(0, depth - 2)  # at least one ply is left
            assert plies >= before
            assert plies == 0 or (depth >= 3 and number > 3)
            before = plies
    assert ask(REDUCTION, bench, depth=20, number=30) >= 3


@pytest.mark.parametrize(
    ("bound", "score", "decides"),
    [
        (int(EXACT), -500, True),
        (int(EXACT), 500, True),
        (int(LOWER), 100, True),  # at least beta
        (int(LOWER), 99, False),
        (int(UPPER), 99, True),  # at most alpha
        (int(UPPER), 100, False),
    ],
)
def test_a_stored_bound_decides_on_its_side_only(bound, score, decides):
    bench = node()
    data = int(pack_fields(fields(score=score, depth=6, bound=bound)))
    assert ask(TABLE_DECIDES, bench, data=data, evaluation=score, beta=100, depth=6) == decides
    assert ask(TABLE_DECIDES, bench, data=data, evaluation=score, beta=100, depth=5) == decides
    assert not ask(TABLE_DECIDES, bench, data=data, evaluation=score, beta=100, depth=7)


def test_a_stored_score_does_not_decide_when_the_fifty_moves_are_near():
    data = int(pack_fields(fields(score=500, depth=6, bound=int(EXACT))))
    for halfmove, decides in ((89, True), (90, False), (100, False)):
        bench = node(HAS_ROOK.replace(" 0 1", f" {halfmove} 80"))
        assert ask(TABLE_DECIDES, bench, data=data, evaluation=500, beta=100, depth=6) == decides


def nodes(parameters: dict[str, int], depth: int) -> int:
    memory = Table(1)
    bench = Bench(parse_fen("r2q1rk1/ppp2ppp/2npbn2/4p3/4P3/2NPBN2/PPP2PPP/R2Q1RK1 w - - 0 9"), parameters)
    bench.this["table"] = memory.record
    bench.search(depth)
    return int(bench.this["nodes"])


@pytest.mark.parametrize(
    "technique",
    [
        {"use_table": 0},
        {"reverse_futility_depth": 0},
        {"null_move_depth": 1_000},
        {"reduction_depth": 1_000},
        {"late_move_depth": 0},
        {"quiescence_margin": 100_000},
    ],
)
def test_every_technique_takes_part(technique):
    assert nodes(technique, 6) != nodes({}, 6)


def test_together_they_save_most_nodes():
    assert 5 * nodes({}, 5) < nodes(PLAIN, 5)


def test_parameters_are_declared_within_their_bounds():
    names = [parameter.name for parameter in PARAMETERS]
    assert len(set(names)) == len(names)
    for parameter in PARAMETERS:
        assert parameter.low <= parameter.default <= parameter.high
        assert 0 < parameter.step <= parameter.high - parameter.low
    assert default_parameters() == {parameter.name: parameter.default for parameter in PARAMETERS}
