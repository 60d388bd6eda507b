"""Each pruning technique at its edge; and that pruning saves most nodes of the search."""

import pytest

from tests.search_kernels import PLAIN, Workbench, call
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.scores import LONGEST_MATE, MATE, NO_SCORE
from zobra.search.history import note_searched, update_histories
from zobra.search.move_picker import BAD_CAPTURES, GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS
from zobra.search.pruning import (
    futility_pruning,
    history_pruning,
    is_improving,
    late_move_pruning,
    null_move_allowed,
    null_move_depth,
    null_move_needs_verification,
    null_move_score,
    probcut_allowed,
    prune_move,
    razoring_applies,
    reverse_futility_applies,
    reverse_futility_score,
    see_pruning,
    singular_search_allowed,
    tt_adjusted_evaluation,
    tt_cutoff,
)
from zobra.search.threats import gives_direct_check, set_threats
from zobra.tt.entry import EXACT, LOWER, UPPER, pack

PAWNS_ONLY = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HAS_ROOK = "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1"
ENEMY_ROOK = "r3k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HANGING = "4k3/8/2p5/3p4/8/4N3/8/Q3K2R w K - 0 1"  # the pawn on d5 is protected, and protects c4
NONE, MATED = int(NO_SCORE), -int(LONGEST_MATE)


def at_ply_1(fen: str = START, previous_move: int = 1, evaluation: int = 0, **parameters: int) -> Workbench:
    """A position at ply 1, reached by `previous_move`, with its static evaluation."""
    bench = Workbench(parse_fen(START), parameters)
    bench.this["stack"][0]["move"] = previous_move
    bench.this["stack"][1]["position"] = parse_fen(fen).record
    bench.this["stack"][1]["static_evaluation"] = evaluation
    return bench


def set_node(bench: Workbench, **fields: int) -> Workbench:
    for name, value in fields.items():
        bench.this["stack"][1][name] = value
    return bench


def entry(score: int, depth: int, bound: int) -> int:
    return call(pack, score=score, depth=depth, bound=int(bound))


def test_reverse_futility_needs_the_margin_of_every_ply():
    bench = at_ply_1(reverse_futility_margin=80, reverse_futility_depth=7)
    for depth in (1, 3, 7):
        for improving, margin in ((0, 80 * depth), (1, 80 * depth - 80)):
            set_node(bench, improving=improving)
            assert call(reverse_futility_applies, bench, evaluation=margin, depth=depth)
            assert not call(reverse_futility_applies, bench, evaluation=margin - 1, depth=depth)
    assert not call(reverse_futility_applies, bench, evaluation=20_000, depth=8)
    for beta, applies in ((MATED, False), (MATED + 1, True)):  # a mate against us is never hidden
        assert call(reverse_futility_applies, at_ply_1(), beta=beta, depth=1) == applies


def test_reverse_futility_may_spare_pv_nodes_and_quiet_tt_moves():
    fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"
    quiet, capture = (call(pack, move=parse_fen(fen).parse_move(text)) for text in ("e1e2", "e4d5"))
    for name, spared in (("tt_pv", [0, 0, 0]), ("quiet_tt_move", [1, 0, 1])):
        for value in (0, 1):
            bench = set_node(at_ply_1(fen, **{f"reverse_futility_not_{name}": value}), tt_pv=name == "tt_pv")
            asked = {"evaluation": 9_000, "depth": 3}
            found = [call(reverse_futility_applies, bench, tt_entry=word, **asked) for word in (0, quiet, capture)]
            assert found == (spared if value else [1, 1, 1])


def test_reverse_futility_may_have_a_least_margin():
    bench = set_node(at_ply_1(reverse_futility_least_margin=30), improving=1)
    assert [call(reverse_futility_applies, bench, evaluation=value, depth=1) for value in (29, 30)] == [0, 1]


@pytest.mark.parametrize(("depth", "margin"), [(1, 210), (2, 240), (3, None)])
def test_razoring(depth, margin):
    bench = at_ply_1(razoring_depth=2, razoring_base=200, razoring_slope=10)
    reach = 0 if margin is None else margin
    applies = [call(razoring_applies, bench, evaluation=-reach - more, alpha=0, depth=depth) for more in (-1, 0)]
    assert applies == [0, int(margin is not None)]
    assert not call(razoring_applies, at_ply_1(), evaluation=-20_000, depth=1)  # off by default


def test_no_reverse_futility_in_the_verification_of_a_null_move():
    bench = at_ply_1()
    bench.this["null_move_min_ply"] = 3
    assert [call(reverse_futility_applies, bench, ply, evaluation=20_000, depth=1) for ply in (1, 2, 3, 4)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("evaluation", "score"), [(300, 200), (100, 100), (int(LONGEST_MATE), int(LONGEST_MATE)), (int(MATE) - 5, int(MATE) - 5)]
)
def test_reverse_futility_blends_its_score_toward_beta(evaluation, score):
    assert call(reverse_futility_score, at_ply_1(reverse_futility_share=512), evaluation=evaluation, beta=100) == score


@pytest.mark.parametrize(
    ("fen", "evaluation", "beta", "depth", "previous", "allowed"),
    [
        (HAS_ROOK, 50, 50, 3, 1, True),
        (HAS_ROOK, 49, 50, 3, 1, False),  # below beta
        (HAS_ROOK, 50, 50, 2, 1, False),  # too shallow
        (HAS_ROOK, 50, 50, 3, 0, False),  # the opponent has just made a null move
        (PAWNS_ONLY, 50, 50, 3, 1, False),  # zugzwang
        (ENEMY_ROOK, 50, 50, 3, 1, False),  # the other side's pieces do not count
        (HAS_ROOK, 50, MATED, 3, 1, False),  # about to be mated
    ],
)
def test_null_move(fen, evaluation, beta, depth, previous, allowed):
    bench = at_ply_1(fen, previous, evaluation=evaluation, null_move_depth=3)
    assert call(null_move_allowed, bench, evaluation=evaluation, beta=beta, depth=depth) == allowed


def test_null_move_needs_the_static_evaluation_itself():
    bench = at_ply_1(HAS_ROOK, evaluation=20, null_move_depth=3)
    assert not call(null_move_allowed, bench, evaluation=90, beta=50, depth=5)  # only the table's score is above beta


@pytest.mark.parametrize(("static", "allowed"), [(89, 0), (90, 1)])
def test_null_move_may_need_a_margin_that_falls_with_depth(static, allowed):
    bench = at_ply_1(HAS_ROOK, evaluation=static, null_move_static_margin=100, null_move_static_slope=12)
    assert call(null_move_allowed, bench, evaluation=500, beta=50, depth=5) == allowed


def test_null_move_may_be_for_cut_nodes_only():
    for only, expected in ((0, [1, 1]), (1, [0, 1])):
        bench = at_ply_1(HAS_ROOK, evaluation=90, null_move_cut_nodes=only)
        assert [call(null_move_allowed, bench, evaluation=90, beta=50, depth=5, cut_node=cut) for cut in (0, 1)] == expected


@pytest.mark.parametrize(
    ("depth", "bound", "known", "score", "allowed"),
    [
        (5, 200, 0, 0, 1),  # nothing is known
        (4, 200, 0, 0, 0),  # too shallow
        (5, int(LONGEST_MATE), 0, 0, 0),
        (5, 200, 2, 199, 0),  # the table says that it is too low,
        (5, 200, 2, 200, 1),
        (5, 200, 1, 199, 1),  # but not deeply
    ],
)
def test_probcut_needs_depth_and_no_doubt_from_the_table(depth, bound, known, score, allowed):
    asked = {"tt_entry": entry(score, known, UPPER if known else 0), "tt_score": score, "bound": bound, "depth": depth}
    assert call(probcut_allowed, at_ply_1(probcut_depth=5), **asked) == allowed


def test_no_null_move_while_one_is_verified():
    bench = at_ply_1(HAS_ROOK, evaluation=90, null_move_depth=3, null_move_verification_depth=10)
    assert [call(null_move_needs_verification, bench, depth=depth) for depth in (9, 10)] == [0, 1]
    for min_ply, allowed in ((2, 0), (1, 1)):
        bench.this["null_move_min_ply"] = min_ply
        assert not call(null_move_needs_verification, bench, depth=10)
        assert call(null_move_allowed, bench, evaluation=90, beta=50, depth=5) == allowed


@pytest.mark.parametrize(
    ("depth", "surplus", "reduced"), [(3, 0, 0), (4, 0, 0), (8, 0, 3), (8, 199, 3), (8, 200, 2), (8, 600, 0), (8, 9_000, 0)]
)
def test_null_move_depth_falls_with_depth_and_surplus(depth, surplus, reduced):
    bench = at_ply_1(null_move_base=3, null_move_divisor=4, null_move_margin=200, null_move_margin_plies=3)
    assert call(null_move_depth, bench, evaluation=10 + surplus, beta=10, depth=depth) == reduced


def test_a_null_move_proves_no_mate():
    for score, value in ((250, 250), (int(LONGEST_MATE) - 1, LONGEST_MATE - 1), (int(LONGEST_MATE), 100)):
        assert call(null_move_score, score=score, beta=100) == value


def test_late_moves():
    bench = at_ply_1(late_move_depth=4, late_move_base=4)
    for depth in range(1, 5):
        for improving, most in ((1, 4 + depth * depth), (0, (4 + depth * depth) // 2)):
            for count, pruned in ((most, 0), (most + 1, 1)):
                node = set_node(bench, depth=depth, move_count=count, improving=improving)
                assert call(late_move_pruning, node) == pruned
    assert not call(late_move_pruning, set_node(bench, depth=5, move_count=200))


def test_futility_grows_with_the_plies_left():
    bench = at_ply_1(evaluation=-200, futility_depth=6, futility_base=90, futility_slope=50)
    for plies in (0, 2, 6):
        assert call(futility_pruning, bench, lmr_depth=plies, alpha=-200 + 90 + 50 * plies)
        assert not call(futility_pruning, bench, lmr_depth=plies, alpha=-201 + 90 + 50 * plies)
    assert not call(futility_pruning, bench, lmr_depth=7, alpha=20_000)
    assert not call(futility_pruning, at_ply_1(evaluation=NONE), lmr_depth=1, alpha=20_000)  # in check nothing is known
    hopeless = at_ply_1(evaluation=-9_000, futility_depth=5)
    assert call(futility_pruning, hopeless, lmr_depth=1, alpha=int(LONGEST_MATE) - 1)
    assert not call(futility_pruning, hopeless, lmr_depth=1, alpha=int(LONGEST_MATE))  # a faster mate may be quiet


def test_history_pruning_needs_many_failures():
    bench = at_ply_1(history_pruning_depth=4, history_pruning_slope=4_000)
    failing, best = (parse_fen(START).parse_move(text) for text in ("a2a3", "e2e4"))
    assert not call(history_pruning, bench, move=failing)
    call(note_searched, bench, move=failing, is_quiet=True)
    for _ in range(12):
        call(update_histories, bench, move=best, is_quiet=True, depth=9)
    assert [call(history_pruning, bench, lmr_depth=plies, move=failing) for plies in (0, 4, 5)] == [1, 1, 0]
    assert not call(history_pruning, bench, move=best)


@pytest.mark.parametrize(
    ("fen", "text", "quiet", "depth", "plies", "loses"),
    [
        ("4k3/8/8/3p4/8/8/3Q4/4K3 w - - 0 1", "d2d5", 0, 2, 1, 0),  # wins a pawn
        ("4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1", "d2d6", 0, 2, 1, 1),  # a queen for a pawn
        ("4k3/4p3/3p4/8/8/8/3Q4/4K3 w - - 0 1", "d2d6", 0, 9, 8, 0),  # deep enough to bring it back
        ("4k3/8/8/4p3/8/3R4/8/4K3 w - - 0 1", "d3d4", 1, 3, 2, 1),
        ("4k3/8/8/4p3/8/3R4/8/4K3 w - - 0 1", "d3c3", 1, 3, 2, 0),
        ("4k3/8/8/4p3/8/3R4/8/4K3 w - - 0 1", "d3d4", 1, 12, 2, 0),  # too deep to judge
    ],
)
def test_see_pruning(fen, text, quiet, depth, plies, loses):
    bench = at_ply_1(fen, exchange_pruning_depth=9, exchange_quiet_slope=25, exchange_noisy_slope=95)
    asked = {"move": parse_fen(fen).parse_move(text), "is_quiet": quiet, "lmr_depth": plies}
    assert call(see_pruning, set_node(bench, depth=depth), **asked) == loses


OFF = {name: value for name, value in PLAIN.items() if name.startswith(("late", "futility", "history_pruning", "exchange"))}
QUIET_TECHNIQUES = {"late_move_depth": 9, "futility_depth": 9, "history_pruning_depth": 9}


def hopeless(fen: str, evaluation: int = -5_000, **parameters: int) -> Workbench:
    """A node where every quiet move has a bad history, and only some techniques are on."""
    bench = at_ply_1(fen, evaluation=evaluation, **OFF | parameters)
    bench.this["quiet_history"][:] = -16_000
    bench.this["reductions"] = 0
    call(set_threats, bench)
    return set_node(bench, depth=2, move_count=30, improving=1)


def is_pruned(bench: Workbench, text: str, fen: str, **asked: int) -> bool:
    return bool(call(prune_move, bench, move=parse_fen(fen).parse_move(text), **asked))


@pytest.mark.parametrize(
    ("switched", "skips"),
    [
        ({"late_move_depth": 9, "late_move_base": 1}, True),
        ({"futility_depth": 9, "futility_base": 0}, False),
        ({"history_pruning_depth": 9, "history_pruning_slope": 500}, False),
        ({"exchange_pruning_depth": 9, "exchange_quiet_slope": 5}, False),
    ],
)
def test_each_technique_suffices_to_prune_a_quiet_move(switched, skips):
    """Late move pruning skips all that come after it, too."""
    bench = hopeless(HANGING, **switched)
    node = bench.this["stack"][1]
    node["stage"] = QUIETS
    assert not is_pruned(bench, "e3c4", HANGING, best=MATED)  # while all moves are mated, every move is tried
    assert node["stage"] == QUIETS
    assert is_pruned(bench, "e3c4", HANGING, best=MATED + 1)
    assert (node["stage"] == BAD_CAPTURES) == skips
    assert not is_pruned(hopeless(HANGING), "e3c4", HANGING, best=MATED + 1)


@pytest.mark.parametrize(("name", "pruned"), [("late_move_depth", 1), ("futility_depth", 0), ("history_pruning_depth", 0)])
def test_a_check_is_pruned_for_its_number_or_see_only(name, pruned):
    fen = "4k3/8/8/8/8/4N3/8/Q3K2R w K - 0 1"
    bench = hopeless(fen, **{name: QUIET_TECHNIQUES[name]})
    assert is_pruned(bench, "a1a8", fen) == pruned
    assert is_pruned(bench, "a1b1", fen)


def test_captures_are_pruned_by_see_only():
    assert not is_pruned(hopeless(HANGING, **QUIET_TECHNIQUES), "e3d5", HANGING)
    assert is_pruned(hopeless(HANGING, exchange_pruning_depth=9, exchange_noisy_slope=109), "e3d5", HANGING)


def test_captures_may_be_pruned_by_futility():
    switched = {"capture_futility_depth": 9, "capture_futility_base": 100, "capture_futility_slope": 50}
    reach = -5_000 + 100 + 50 + 100  # the evaluation, the margin of one ply and a pawn
    for alpha, pruned in ((reach - 1, False), (reach, True)):
        assert is_pruned(hopeless(HANGING, **switched), "e3d5", HANGING, alpha=alpha) == pruned
        assert not is_pruned(hopeless(HANGING), "e3d5", HANGING, alpha=alpha)


def test_a_check_may_be_spared_by_late_move_pruning():
    fen = "4k3/8/8/8/8/4N3/8/Q3K2R w K - 0 1"
    bench = set_node(hopeless(fen, late_move_depth=9, late_move_checks=1), stage=QUIETS)
    assert [is_pruned(bench, text, fen) for text in ("a1a8", "a1b1")] == [False, True]
    assert bench.this["stack"][1]["stage"] == QUIETS


def test_history_may_count_in_the_depth_for_pruning():
    """A bad history leaves less depth, so that the move is futile."""
    for share, pruned in ((0, False), (1024, True)):
        bench = hopeless(HANGING, -150, futility_depth=9, futility_base=100, futility_slope=50, pruning_history_share=share)
        assert is_pruned(set_node(bench, depth=3), "e3f5", HANGING, alpha=0) == pruned


@pytest.mark.parametrize("stage", [GENERATE_CAPTURES, GOOD_CAPTURES, BAD_CAPTURES])
def test_only_the_stage_of_quiet_moves_is_skipped(stage):
    bench = hopeless(HANGING, late_move_depth=9, late_move_base=1)
    bench.this["stack"][1]["stage"] = stage
    assert is_pruned(bench, "e3c4", HANGING)
    assert bench.this["stack"][1]["stage"] == stage


@pytest.mark.parametrize(("depth", "plies", "reduction"), [(3, 2, 1023), (3, 1, 1024), (5, 1, 3 * 1024), (2, 0, 9 * 1024)])
def test_plies_left_are_counted_after_the_reduction(depth, plies, reduction):
    bench = hopeless(HANGING, evaluation=-150, futility_depth=9, futility_base=100, futility_slope=50)
    bench.this["reductions"] = reduction
    set_node(bench, depth=depth)
    for alpha, pruned in ((-50 + 50 * plies, True), (-51 + 50 * plies, False)):
        assert is_pruned(bench, "e3f5", HANGING, alpha=alpha) == pruned


@pytest.mark.parametrize(
    ("ply", "evaluations", "improving"),
    [
        (5, {5: 10, 3: 9, 1: 0}, 1),
        (5, {5: 10, 3: 10, 1: 0}, 0),
        (5, {5: NONE, 3: 0, 1: 0}, 0),
        (5, {5: 10, 3: NONE, 1: 9}, 1),
        (5, {5: 10, 3: NONE, 1: 11}, 0),
        (5, {5: 10, 3: NONE, 1: NONE}, 1),
        (1, {1: 10}, 1),  # nothing is known before
        (1, {1: NONE}, 0),
    ],
)
def test_improving(ply, evaluations, improving):
    bench = at_ply_1()
    for each, evaluation in evaluations.items():
        bench.this["stack"][each]["static_evaluation"] = evaluation
    assert call(is_improving, bench, ply) == improving


def test_direct_checks_are_seen():
    """python-chess judges: after the move, does the moved piece itself attack the king?"""
    found, bench = 0, at_ply_1()
    for board in random_boards(91, 5, 150):
        position = Position.from_board(board)
        bench.place(position)
        call(set_threats, bench, 0)
        for number, move in move_numbers(position, board).items():
            if move.promotion or board.is_castling(move):
                continue
            board.push(move)
            direct = move.to_square in board.checkers()
            board.pop()
            assert bool(call(gives_direct_check, bench, 0, move=number)) == direct, f"{board.fen()} {move}"
            found += direct
    assert found > 100


def singular(depth=8, known=5, bound=LOWER, tt_move=1, excluded=0, score=50, ply=1, root_depth=8) -> int:
    bench = at_ply_1(singular_depth=6)
    bench.this["root_depth"], bench.this["stack"][ply]["excluded"] = root_depth, excluded
    asked = {"tt_entry": entry(score, known, bound), "tt_score": score, "tt_move": tt_move, "depth": depth}
    return call(singular_search_allowed, bench, ply, **asked)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"depth": 5},
        {"known": 4},
        {"bound": UPPER},
        {"bound": 0},
        {"tt_move": 0},
        {"excluded": 1},
        {"score": int(LONGEST_MATE)},
        {"ply": 0},
        {"ply": 6, "root_depth": 3},
    ],
)
def test_what_a_singular_search_needs(otherwise):
    assert singular() and singular(bound=EXACT)
    assert not singular(**otherwise)


@pytest.mark.parametrize(
    ("bound", "score", "value"),
    [(EXACT, 30, 30), (EXACT, -30, -30), (LOWER, 30, 30), (LOWER, -30, 0), (UPPER, 30, 0), (UPPER, -30, -30), (0, 99, 0)],
)
def test_the_table_adjusts_an_evaluation_on_the_right_side(bound, score, value):
    assert call(tt_adjusted_evaluation, tt_entry=entry(score, 3, bound), tt_score=score) == value


def cuts_off(bound: int, score: int, depth: int = 6, fen: str = START, cut_node: int = 0, **parameters: int) -> bool:
    """Does an entry of depth 6 end a node of this depth whose null window is (99, 100)?"""
    asked = {"tt_entry": entry(score, 6, bound), "depth": depth, "beta": 100, "cut_node": cut_node}
    return bool(call(tt_cutoff, at_ply_1(fen, **parameters), **asked))


@pytest.mark.parametrize(
    ("bound", "score", "ends"),
    [(EXACT, -500, 1), (EXACT, 500, 1), (LOWER, 100, 1), (LOWER, 99, 0), (UPPER, 99, 1), (UPPER, 100, 0), (0, 500, 0)],
)
def test_a_tt_cutoff_needs_a_bound_on_its_side_and_the_depth(bound, score, ends):
    assert [cuts_off(bound, score, depth) for depth in (5, 6, 7)] == [ends, ends, False]


@pytest.mark.parametrize(("halfmove", "ends"), [(89, True), (90, False), (100, False)])
def test_no_tt_cutoff_near_the_fifty_moves(halfmove, ends):
    assert cuts_off(EXACT, 500, fen=HAS_ROOK.replace(" 0 1", f" {halfmove} 80")) == ends


@pytest.mark.parametrize(("depth", "cuts"), [(0, (1, 1, 1, 1)), (1, (0, 1, 1, 0)), (5, (0, 1, 1, 0)), (6, (1, 1, 1, 1))])
def test_a_tt_cutoff_may_have_to_fail_as_the_node_expects(depth, cuts):
    nodes = [(LOWER, 100, 0), (LOWER, 100, 1), (UPPER, 99, 0), (UPPER, 99, 1)]
    for (bound, score, cut_node), ends in zip(nodes, cuts, strict=True):
        assert cuts_off(bound, score, depth, cut_node=cut_node, tt_cutoff_cut_node=1) == ends
        assert cuts_off(bound, score, depth, cut_node=cut_node)


def nodes(parameters: dict[str, int], depth: int) -> list[int]:
    found = []
    for fen in (START, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", HAS_ROOK):
        bench = Workbench(parse_fen(fen), parameters)
        bench.search(depth)
        found.append(int(bench.this["nodes"]))
    return found


def test_together_they_save_most_nodes():
    assert 5 * sum(nodes({}, 4)) < sum(nodes(PLAIN, 4))
