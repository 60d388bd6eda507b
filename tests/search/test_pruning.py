"""Each pruning technique at its edge."""

from itertools import product

import pytest

from tests.support.search_kernels import DEFAULTS, PLAIN, Workbench, ask, call, node_at
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search import node, pruning, reductions
from zobra.search.move_picker import BAD_CAPTURES, QUIETS
from zobra.search.threats import set_threats
from zobra.tt.entry import EXACT, LOWER, UPPER, pack

PAWNS_ONLY = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HAS_ROOK = "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1"
ENEMY_ROOK = "r3k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HANGING = "4k3/8/2p5/3p4/8/4N3/8/Q3K2R w K - 0 1"  # the pawn on d5 is protected, and protects c4
CHECKS = "4k3/8/8/8/8/4N3/8/Q3K2R w K - 0 1"
QUEEN_TAKES, ROOK_GOES = "4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1", "4k3/8/8/4p3/8/3R4/8/4K3 w - - 0 1"
NONE, MATED, MATE = int(NO_SCORE), -int(LONGEST_MATE), int(LONGEST_MATE)
WORST = -16_000  # a history as bad as can be


def entry(score: int, depth: int, bound: int) -> int:
    return call(pack, score=score, depth=depth, bound=int(bound))


@pytest.mark.parametrize(("depth", "improving"), [*product((1, 3, 7), (0, 1))])
def test_reverse_futility_needs_the_margin_of_every_ply(depth, improving):
    given = {
        "reverse_futility_margin": 80,
        "reverse_futility_depth": 7,
        "depth": depth,
        "improving": improving,
    }
    margin = max(80 * (depth - improving), DEFAULTS["reverse_futility_least_margin"])
    assert [
        ask(pruning.reverse_futility_applies, evaluation=value, **given)
        for value in (margin - 1, margin)
    ] == [0, 1]


@pytest.mark.parametrize(("before", "margin"), [(NONE, 160), (-10, 160), (-9, 130)])
def test_reverse_futility_needs_less_after_a_bad_move_of_the_opponent(before, margin):
    bench = node_at(
        START, reverse_futility_margin=80, reverse_futility_worsening=30, static_evaluation=10
    )
    bench.this["stack"][0]["static_evaluation"] = before
    values = [
        call(pruning.reverse_futility_applies, bench, evaluation=value, depth=2)
        for value in (margin - 1, margin)
    ]
    assert values == [0, 1]


def test_limits_of_reverse_futility():
    """Not at high depth, not to hide a mate against us, and not while a null move is verified."""
    given = {"depth": 7, "evaluation": 20_000, "reverse_futility_depth": 7}
    assert ask(pruning.reverse_futility_applies, **given)
    assert not ask(pruning.reverse_futility_applies, **given | {"depth": 8})
    assert [
        ask(pruning.reverse_futility_applies, **given, beta=beta) for beta in (MATED, MATED + 1)
    ] == [0, 1]
    assert [
        ask(pruning.reverse_futility_applies, ply=ply, null_move_min_ply=3, **given)
        for ply in (2, 3)
    ] == [0, 1]


def test_null_move():
    """Not below beta, at low depth, twice in a row, when about to be mated, while one is verified,
    or without pieces.
    """
    given = {
        "evaluation": 50,
        "static_evaluation": 60,
        "null_move_static_margin": 10,
        "beta": 50,
        "depth": 3,
    }
    given |= {"null_move_depth": 3, "null_move_min_ply": 1}
    assert [
        ask(pruning.null_move_allowed, fen, **given) for fen in (HAS_ROOK, PAWNS_ONLY, ENEMY_ROOK)
    ] == [1, 0, 0]
    refused = {
        "static_evaluation": 59,
        "depth": 2,
        "previous_move": 0,
        "beta": MATED,
        "null_move_min_ply": 2,
        "evaluation": 49,
    }
    for name, value in refused.items():
        assert not ask(pruning.null_move_allowed, HAS_ROOK, **given | {name: value}), name


@pytest.mark.parametrize(
    ("depth", "surplus", "reduced"),
    [(3, 0, 0), (4, 0, 0), (8, 0, 3), (8, 199, 3), (8, 200, 2), (8, 600, 0), (8, 9_000, 0)],
)
def test_null_move_depth_falls_with_depth_and_surplus(depth, surplus, reduced):
    given = {
        "null_move_base": 3,
        "null_move_divisor": 4,
        "null_move_margin": 200,
        "null_move_margin_plies": 3,
    }
    assert (
        ask(pruning.null_move_depth, evaluation=10 + surplus, beta=10, depth=depth, **given)
        == reduced
    )


OFF = {
    name: value
    for name, value in PLAIN.items()
    if name.startswith(("late", "futility", "history_pruning", "exchange"))
}
FUTILITY = {
    "futility_depth": 6,
    "futility_base": 100,
    "futility_slope": 50,
    "static_evaluation": -150,
}
LATE, SEE = (
    {"late_move_depth": 9, "late_move_base": 1},
    {"exchange_pruning_depth": 9, "exchange_noisy_slope": 95},
)


def prune(
    text: str, fen: str = HANGING, history: int = WORST, reduction: int = 0, **values: int
) -> tuple[int, int]:
    """Is a move pruned, where only the techniques of `values` are on; and the stage of the move
    picker after it.
    """
    arguments = {name: values.pop(name, 0) for name in ("alpha", "best")}
    bench = node_at(
        fen,
        **OFF
        | {"static_evaluation": -5_000, "depth": 2, "move_count": 30, "improving": 1}
        | values,
    )
    bench.this["quiet_history"], bench.this["reductions"] = history, reduction
    call(set_threats, bench)
    pruned = call(pruning.prune_move, bench, move=parse_fen(fen).parse_move(text), **arguments)
    return pruned, int(bench.this["stack"][1]["stage"])


ALONE = {
    "late moves": LATE,
    "futility": FUTILITY | {"static_evaluation": -5_000},
    "history": {"history_pruning_depth": 9, "history_pruning_slope": 500},
    "SEE": {"exchange_pruning_depth": 9, "exchange_quiet_slope": 5},
}


@pytest.mark.parametrize("technique", ALONE)
def test_each_technique_suffices_to_prune_a_quiet_move(technique):
    """Late move pruning skips all that come after it, too.

    While all moves are mated, every move is tried.
    """
    switched, stage = ALONE[technique], BAD_CAPTURES if technique == "late moves" else QUIETS
    assert prune("e3c4", stage=QUIETS, best=MATED, **switched) == (0, QUIETS)
    assert prune("e3c4", stage=QUIETS, best=MATED + 1, **switched) == (1, stage)
    assert prune("e3c4", stage=QUIETS, best=MATED + 1) == (0, QUIETS)
    # A check is pruned for its number or its SEE only.
    assert [prune(text, CHECKS, **switched)[0] for text in ("a1a8", "a1b1")] == [
        technique == "late moves",
        technique != "SEE",
    ]


@pytest.mark.parametrize(("depth", "improving"), [*product((1, 2, 4), (0, 1))])
def test_late_moves(depth, improving):
    most, given = (
        (4 + depth * depth) // (2 - improving),
        {"late_move_depth": 4, "late_move_base": 4, "improving": improving},
    )
    assert [
        prune("e3c4", depth=depth, move_count=count, **given)[0] for count in (most, most + 1)
    ] == [0, 1]
    assert not prune("e3c4", depth=5, move_count=200, **given)[0]


@pytest.mark.parametrize(
    ("depth", "plies", "reduction"),
    [(1, 0, 0), (3, 2, 1023), (3, 1, 1024), (5, 1, 3 * 1024), (7, 6, 0)],
)
def test_futility_grows_with_the_plies_left_after_the_reduction(depth, plies, reduction):
    given = FUTILITY | {"depth": depth, "reduction": reduction}
    assert [prune("e3f5", alpha=-50 + 50 * plies - less, **given)[0] for less in (0, 1)] == [1, 0]


@pytest.mark.parametrize(
    ("values", "pruned"),
    [
        ({"depth": 8, "alpha": 20_000}, 0),  # too deep
        ({"static_evaluation": NONE, "alpha": 20_000}, 0),  # in check nothing is known
        ({"alpha": MATE - 1}, 1),
        ({"alpha": MATE}, 0),  # a faster mate may be quiet
    ],
)
def test_limits_of_futility_pruning(values, pruned):
    assert prune("e3f5", **FUTILITY | values)[0] == pruned


def test_history_pruning():
    for slope, history, depth, pruned in (
        (4_000, -8_000, 2, 0),
        (4_000, -8_001, 2, 1),
        (500, WORST, 5, 1),
        (500, WORST, 6, 0),
    ):
        values = {
            "history_pruning_depth": 4,
            "history_pruning_slope": slope,
            "history": history,
            "depth": depth,
        }
        assert prune("e3f5", **values)[0] == pruned


def test_captures_are_pruned_by_see_only():
    assert not prune("e3d5", history_pruning_depth=9, **LATE | FUTILITY)[0]
    assert [prune("e3d5", **SEE | {"exchange_noisy_slope": slope})[0] for slope in (110, 109)] == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("fen", "text", "depth", "loses"),
    [
        ("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 2, 0),  # wins a pawn
        (QUEEN_TAKES, "d2d6", 2, 1),  # a queen for a pawn
        (QUEEN_TAKES, "d2d6", 9, 0),  # deep enough to bring it back
        (ROOK_GOES, "d3d4", 3, 1),
        (ROOK_GOES, "d3c3", 3, 0),
        (ROOK_GOES, "d3d4", 12, 0),  # too deep to judge
    ],
)
def test_see_pruning(fen, text, depth, loses):
    assert prune(text, fen, depth=depth, exchange_quiet_slope=25, **SEE)[0] == loses


@pytest.mark.parametrize(
    ("evaluations", "improving"),
    [
        ((10, 9, 0), 1),
        ((10, 10, 0), 0),
        ((10, NONE, 9), 1),
        ((10, NONE, 11), 0),
        ((10, NONE, NONE), 1),
        ((NONE, 0, 0), 0),
    ],
)
def test_improving(evaluations, improving):
    """Evaluations now, two plies before and four plies before; near the root nothing is known
    before.
    """
    bench = Workbench(parse_fen(START))
    for ply, evaluation in zip((5, 3, 1), evaluations, strict=True):
        bench.this["stack"][ply]["static_evaluation"] = evaluation
    assert call(pruning.is_improving, bench, 5) == improving
    bench.this["stack"][1]["static_evaluation"] = evaluations[0]
    assert call(pruning.is_improving, bench, 1) == (evaluations[0] != NONE)


def singular(known: int = 5, bound: int = LOWER, score: int = 50, **otherwise: int) -> int:
    given = {
        "singular_depth": 6,
        "root_depth": 8,
        "depth": 8,
        "tt_move": 1,
        "tt_score": score,
    } | otherwise
    return ask(reductions.singular_search_allowed, tt_entry=entry(score, known, bound), **given)


def test_what_a_singular_search_needs():
    assert singular() and singular(bound=EXACT)
    missing = {
        "depth": 5,
        "known": 4,
        "bound": UPPER,
        "tt_move": 0,
        "excluded": 1,
        "score": MATE,
        "ply": 0,
        "root_depth": 0,
    }
    for name, value in missing.items():
        assert not singular(**{name: value}), name
    assert not singular(bound=0)


@pytest.mark.parametrize(
    ("bound", "score", "decides"),
    [
        (EXACT, -500, 1),
        (EXACT, 500, 1),
        (LOWER, 100, 1),
        (LOWER, 99, 0),
        (UPPER, 99, 1),
        (UPPER, 100, 0),
        (0, 500, 0),
    ],
)
def test_the_table_needs_a_bound_on_its_side_and_for_a_cutoff_depth(bound, score, decides):
    """An evaluation of 100 is adjusted; a null window (99, 100) ends by an entry of depth 6, but
    not near the fifty moves.
    """
    known = {"tt_entry": entry(score, 6, bound), "tt_score": score}
    assert call(node.tt_adjusted_evaluation, evaluation=100, **known) == (score if decides else 100)
    assert [ask(node.tt_cutoff, beta=100, depth=depth, **known) for depth in (5, 6, 7)] == [
        decides,
        decides,
        0,
    ]
    fens = [HAS_ROOK.replace(" 0 1", f" {halfmove} 80") for halfmove in (89, 90, 100)]
    assert [ask(node.tt_cutoff, fen, beta=100, **known) for fen in fens] == [decides, 0, 0]
