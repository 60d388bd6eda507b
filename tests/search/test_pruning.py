"""Each pruning technique at its edge."""

from itertools import product

import pytest

from tests.support.search_kernels import DEFAULTS, PLAIN, Workbench, ask, call, node_at, tt_entry
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search import node, pruning, reductions
from zobra.search.move_picker import BAD_CAPTURES, QUIETS
from zobra.search.threats import set_threats
from zobra.tt.entry import EXACT, LOWER, UPPER

PAWNS_ONLY = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HAS_ROOK = "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1"
ENEMY_ROOK = "r3k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HANGING = "4k3/8/2p5/3p4/8/4N3/8/Q3K2R w K - 0 1"  # the pawn on d5 is protected, and protects c4
CHECKS = "4k3/8/8/8/8/4N3/8/Q3K2R w K - 0 1"
QUEEN_TAKES = "4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1"
ROOK_GOES = "4k3/8/8/4p3/8/3R4/8/4K3 w - - 0 1"
NONE = int(NO_SCORE)
MATE = int(LONGEST_MATE)
MATED = -MATE
WORST = -16_000  # a history as bad as can be


# Reverse futility pruning


@pytest.mark.parametrize(("depth", "improving"), [*product((1, 3, 7), (0, 1))])
def test_reverse_futility_needs_the_margin_of_every_ply(depth, improving):
    given = {"reverse_futility_margin": 80, "reverse_futility_depth": 7}
    given |= {"depth": depth, "improving": improving}
    margin = max(80 * (depth - improving), DEFAULTS["reverse_futility_least_margin"])
    assert not ask(pruning.reverse_futility_applies, evaluation=margin - 1, **given)
    assert ask(pruning.reverse_futility_applies, evaluation=margin, **given)


@pytest.mark.parametrize(("before", "margin"), [(NONE, 160), (-10, 160), (-9, 130)])
def test_reverse_futility_needs_less_after_a_bad_move_of_the_opponent(before, margin):
    bench = node_at(
        START,
        reverse_futility_margin=80,
        reverse_futility_opponent_worsening=30,
        static_evaluation=10,
    )
    bench.this["stack"][0]["static_evaluation"] = before
    for evaluation, applies in ((margin - 1, 0), (margin, 1)):
        found = call(pruning.reverse_futility_applies, bench, evaluation=evaluation, depth=2)
        assert found == applies


def test_where_reverse_futility_does_not_apply():
    """Not at high depth, not to hide a mate against us, and not while a null move is verified."""
    given = {"depth": 7, "evaluation": 20_000, "reverse_futility_depth": 7}
    assert ask(pruning.reverse_futility_applies, **given)
    assert not ask(pruning.reverse_futility_applies, **given | {"depth": 8})
    assert not ask(pruning.reverse_futility_applies, **given, beta=MATED)
    assert ask(pruning.reverse_futility_applies, **given, beta=MATED + 1)
    given["null_move_min_ply"] = 3
    assert not ask(pruning.reverse_futility_applies, ply=2, **given)
    assert ask(pruning.reverse_futility_applies, ply=3, **given)


# Null move pruning

NULL_MOVE = {
    "evaluation": 50,
    "static_evaluation": 60,
    "null_move_static_margin": 10,
    "beta": 50,
    "depth": 3,
    "null_move_depth": 3,
    "null_move_min_ply": 1,
}


@pytest.mark.parametrize(("fen", "allowed"), [(HAS_ROOK, 1), (PAWNS_ONLY, 0), (ENEMY_ROOK, 0)])
def test_a_null_move_needs_a_piece_of_the_own_side(fen, allowed):
    assert ask(pruning.null_move_allowed, fen, **NULL_MOVE) == allowed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("evaluation", 49),  # below beta
        ("static_evaluation", 59),
        ("depth", 2),
        ("previous_move", 0),  # another null move
        ("beta", MATED),
        ("null_move_min_ply", 2),  # one is being verified
    ],
)
def test_a_null_move_is_not_tried(name, value):
    assert not ask(pruning.null_move_allowed, HAS_ROOK, **NULL_MOVE | {name: value})


@pytest.mark.parametrize(
    ("depth", "surplus", "reduced"),
    [(3, 0, 0), (4, 0, 0), (8, 0, 3), (8, 199, 3), (8, 200, 2), (8, 600, 0), (8, 9_000, 0)],
)
def test_null_move_depth_falls_with_depth_and_surplus(depth, surplus, reduced):
    given = {
        "null_move_base": 3,
        "null_move_divisor": 4,
        "null_move_eval_divisor": 200,
        "null_move_eval_plies": 3,
    }
    given |= {"evaluation": 10 + surplus, "beta": 10, "depth": depth}
    assert ask(pruning.null_move_depth, **given) == reduced


# Pruning of single moves

OFF = {
    name: value
    for name, value in PLAIN.items()
    if name.startswith(("lmp", "futility", "history_pruning", "see"))
}
FUTILITY = {
    "futility_depth": 6,
    "futility_base": 100,
    "futility_slope": 50,
    "static_evaluation": -150,
}
LATE = {"lmp_depth": 9, "lmp_base": 1}
SEE = {"see_pruning_depth": 9, "see_noisy_slope": 95}


def prune(
    text: str, fen: str = HANGING, history: int = WORST, reduction: int = 0, **values: int
) -> tuple[int, int]:
    """Return whether a move is pruned, and the stage of the move picker afterwards.

    Only the techniques in `values` are on.
    """
    arguments = {name: values.pop(name, 0) for name in ("alpha", "best")}
    usual = {"static_evaluation": -5_000, "depth": 2, "move_count": 30, "improving": 1}
    bench = node_at(fen, **OFF | usual | values)
    bench.this["quiet_history"] = history
    bench.this["reductions"] = reduction
    call(set_threats, bench)
    pruned = call(pruning.prune_move, bench, move=parse_fen(fen).parse_move(text), **arguments)
    return pruned, int(bench.this["stack"][1]["stage"])


ALONE = {
    "late moves": LATE,
    "futility": FUTILITY | {"static_evaluation": -5_000},
    "history": {"history_pruning_depth": 9, "history_pruning_slope": 500},
    "SEE": {"see_pruning_depth": 9, "see_quiet_slope": 5},
}


@pytest.mark.parametrize("technique", ALONE)
def test_each_technique_suffices_to_prune_a_quiet_move(technique):
    """Late move pruning skips all that come after it, too.

    While all moves are mated, every move is tried.
    """
    switched = ALONE[technique]
    stage = BAD_CAPTURES if technique == "late moves" else QUIETS
    assert prune("e3c4", stage=QUIETS, best=MATED, **switched) == (0, QUIETS)
    assert prune("e3c4", stage=QUIETS, best=MATED + 1, **switched) == (1, stage)
    assert prune("e3c4", stage=QUIETS, best=MATED + 1) == (0, QUIETS)


@pytest.mark.parametrize("technique", ALONE)
def test_a_check_is_pruned_for_its_number_or_its_see_only(technique):
    assert prune("a1a8", CHECKS, **ALONE[technique])[0] == (technique == "late moves")
    assert prune("a1b1", CHECKS, **ALONE[technique])[0] == (technique != "SEE")


@pytest.mark.parametrize(("depth", "improving"), [*product((1, 2, 4), (0, 1))])
def test_late_moves(depth, improving):
    most = (4 + depth * depth) // (2 - improving)
    given = {"lmp_depth": 4, "lmp_base": 4, "improving": improving}
    assert not prune("e3c4", depth=depth, move_count=most, **given)[0]
    assert prune("e3c4", depth=depth, move_count=most + 1, **given)[0]
    assert not prune("e3c4", depth=5, move_count=200, **given)[0]


@pytest.mark.parametrize(
    ("depth", "plies", "reduction"),
    [(1, 0, 0), (3, 2, 1023), (3, 1, 1024), (5, 1, 3 * 1024), (7, 6, 0)],
)
def test_futility_grows_with_the_plies_left_after_the_reduction(depth, plies, reduction):
    given = FUTILITY | {"depth": depth, "reduction": reduction}
    alpha = -50 + 50 * plies
    assert prune("e3f5", alpha=alpha, **given)[0]
    assert not prune("e3f5", alpha=alpha - 1, **given)[0]


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


@pytest.mark.parametrize(
    ("slope", "history", "depth", "pruned"),
    [
        (4_000, -8_000, 2, 0),
        (4_000, -8_001, 2, 1),
        (500, WORST, 5, 1),
        (500, WORST, 6, 0),  # too deep
    ],
)
def test_history_pruning(slope, history, depth, pruned):
    given = {"history_pruning_depth": 4, "history_pruning_slope": slope}
    assert prune("e3f5", history=history, depth=depth, **given)[0] == pruned


def test_captures_are_pruned_by_see_only():
    assert not prune("e3d5", history_pruning_depth=9, **LATE | FUTILITY)[0]
    assert not prune("e3d5", **SEE | {"see_noisy_slope": 110})[0]
    assert prune("e3d5", **SEE | {"see_noisy_slope": 109})[0]


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
    assert prune(text, fen, depth=depth, see_quiet_slope=25, **SEE)[0] == loses


# What several techniques ask


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
    """By the evaluations now, two plies before and four plies before."""
    bench = Workbench(parse_fen(START))
    for ply, evaluation in zip((5, 3, 1), evaluations, strict=True):
        bench.this["stack"][ply]["static_evaluation"] = evaluation
    assert call(pruning.is_improving, bench, 5) == improving
    bench.this["stack"][1]["static_evaluation"] = evaluations[0]
    assert call(pruning.is_improving, bench, 1) == (evaluations[0] != NONE)


def singular(known: int = 5, bound: int = LOWER, score: int = 50, **otherwise: int) -> int:
    given = {"singular_depth": 6, "root_depth": 8, "depth": 8, "tt_move": 1}
    known_entry = tt_entry(score=score, depth=known, bound=bound)
    return ask(reductions.singular_search_allowed, tt_entry=known_entry, **given | otherwise)


def test_a_singular_search_needs_a_lower_or_an_exact_bound():
    assert singular()
    assert singular(bound=EXACT)
    assert not singular(bound=0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("depth", 5),
        ("known", 4),  # the depth of the entry, near 8
        ("bound", UPPER),
        ("tt_move", 0),
        ("excluded", 1),
        ("score", MATE),
        ("ply", 0),
        ("root_depth", 0),  # a line twice as deep as the iteration
    ],
)
def test_where_there_is_no_singular_search(name, value):
    assert not singular(**{name: value})


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
def test_a_tt_cutoff_needs_depth_and_a_deciding_bound(bound, score, decides):
    """Near the fifty-move draw there is no cutoff."""
    known = {"tt_entry": tt_entry(score=score, depth=6, bound=bound)}
    assert call(node.tt_adjusted_evaluation, evaluation=100, **known) == (score if decides else 100)
    for depth, suffices in ((5, decides), (6, decides), (7, 0)):
        assert ask(node.tt_cutoff, beta=100, depth=depth, **known) == suffices
    for halfmove, trusted in ((89, decides), (90, 0), (100, 0)):
        fen = HAS_ROOK.replace(" 0 1", f" {halfmove} 80")
        assert ask(node.tt_cutoff, fen, beta=100, **known) == trusted
