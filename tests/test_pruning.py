"""The claims of `pruning`, each at its edge; and that pruning keeps the search to far fewer nodes."""

import pytest

from tests.search_kernels import (
    BAD_EXCHANGE,
    BAD_HISTORY,
    CANNOT_MATTER,
    FAR_ABOVE,
    FUTILE,
    IMPROVING,
    LATE_MOVES,
    NULL_DEPTH,
    PASSING,
    PLAIN,
    REFINED,
    SINGULAR,
    TABLE_DECIDES,
    TOWARD_BETA,
    VERIFICATION,
    WORTH_OF_PASSING,
    Bench,
    ask,
    cutoff,
    fields,
    gives_check,
    pack_fields,
    tried,
)
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import LONGEST_MATE, MATE, NO_SCORE
from zobra.search.move_picker import BAD_CAPTURES, DONE, GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS, START_BAD_CAPTURES
from zobra.tt.entry import EXACT, LOWER, UPPER

PAWNS_ONLY = "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HAS_ROOK = "4k3/pppp4/8/8/8/8/4PPPP/R3K3 w - - 0 1"
ENEMY_ROOK = "r3k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1"
HANGING = "4k3/8/2p5/3p4/8/4N3/8/Q3K2R w K - 0 1"  # the pawn on d5 is protected, and protects c4
NONE, MATED = int(NO_SCORE), -int(LONGEST_MATE)


def node(fen: str = START, previous_move: int = 1, evaluation: int = 0, **parameters: int) -> Bench:
    """A position at ply 1, reached by `previous_move`, with its corrected evaluation."""
    bench = Bench(parse_fen(START), parameters)
    bench.this["stack"][0]["move"] = previous_move
    bench.this["stack"][1]["position"] = parse_fen(fen).record
    bench.this["stack"][1]["static_evaluation"] = evaluation
    return bench


def decides_at(bench: Bench, data: int, score: int, depth: int) -> bool:
    """Does a stored score decide a null window below beta = 100?"""
    return bool(ask(TABLE_DECIDES, bench, data=data, score=score, alpha=99, beta=100, depth=depth))


def test_reverse_futility_needs_the_margin_of_every_ply():
    bench = node(reverse_futility_margin=80, reverse_futility_depth=7)
    for depth in (1, 3, 7):
        assert ask(FAR_ABOVE, bench, evaluation=80 * depth, depth=depth)
        assert not ask(FAR_ABOVE, bench, evaluation=80 * depth - 1, depth=depth)
        assert ask(FAR_ABOVE, bench, evaluation=80 * depth - 80, depth=depth, improving=1)
    assert not ask(FAR_ABOVE, bench, evaluation=20_000, depth=8)


def test_reverse_futility_does_not_answer_for_the_verification_of_a_null_move():
    bench = node()
    bench.this["null_move_min_ply"] = 3
    assert [ask(FAR_ABOVE, bench, ply, evaluation=20_000, depth=1) for ply in (1, 2, 3, 4)] == [0, 0, 1, 1]


def test_a_mate_behind_a_null_move_is_worth_no_more_than_beta():
    assert ask(WORTH_OF_PASSING, node(), score=250, beta=100) == 250
    assert ask(WORTH_OF_PASSING, node(), score=int(LONGEST_MATE) - 1, beta=100) == LONGEST_MATE - 1
    assert ask(WORTH_OF_PASSING, node(), score=int(LONGEST_MATE), beta=100) == 100


def test_reverse_futility_never_hides_a_mate_against_us():
    assert not ask(FAR_ABOVE, node(), evaluation=0, beta=-int(LONGEST_MATE), depth=1)
    assert ask(FAR_ABOVE, node(), evaluation=0, beta=-int(LONGEST_MATE) + 1, depth=1)


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
    bench = node(fen, previous, evaluation=evaluation, null_move_depth=3)
    assert ask(PASSING, bench, evaluation=evaluation, beta=beta, depth=depth) == passes


def test_null_move_asks_the_evaluation_itself_too():
    bench = node(HAS_ROOK, evaluation=20, null_move_depth=3)
    assert not ask(PASSING, bench, evaluation=90, beta=50, depth=5)  # only the table's score is above beta


def test_no_null_move_while_one_is_verified():
    bench = node(HAS_ROOK, evaluation=90, null_move_depth=3, null_move_verification_depth=10)
    assert ask(VERIFICATION, bench, depth=10) and not ask(VERIFICATION, bench, depth=9)
    bench.this["null_move_min_ply"] = 2
    assert not ask(VERIFICATION, bench, depth=10)
    assert not ask(PASSING, bench, evaluation=90, beta=50, depth=5)
    bench.this["null_move_min_ply"] = 1
    assert ask(PASSING, bench, evaluation=90, beta=50, depth=5)


def test_null_move_depth_falls_with_depth_and_surplus():
    bench = node(null_move_base=3, null_move_divisor=4, null_move_margin=200, null_move_margin_plies=3)
    for depth, surplus, reduced in ((3, 0, 0), (4, 0, 0), (8, 0, 3), (8, 199, 3), (8, 200, 2), (8, 600, 0), (8, 9_000, 0)):
        assert ask(NULL_DEPTH, bench, evaluation=10 + surplus, beta=10, depth=depth) == reduced


def test_late_moves():
    bench = node(late_move_depth=4, late_move_base=4)
    for depth in range(1, 5):
        for improving, most in ((1, 4 + depth * depth), (0, (4 + depth * depth) // 2)):
            assert not ask(LATE_MOVES, bench, depth=depth, number=most, improving=improving)
            assert ask(LATE_MOVES, bench, depth=depth, number=most + 1, improving=improving)
    assert not ask(LATE_MOVES, bench, depth=5, number=200)


def test_futility_grows_with_the_plies_left():
    bench = node(evaluation=-200, futility_depth=6, futility_base=90, futility_slope=50)
    for plies in (0, 2, 6):
        assert ask(FUTILE, bench, plies=plies, alpha=-200 + 90 + 50 * plies)
        assert not ask(FUTILE, bench, plies=plies, alpha=-201 + 90 + 50 * plies)
    assert not ask(FUTILE, bench, plies=7, alpha=20_000)
    assert not ask(FUTILE, node(evaluation=NONE), plies=1, alpha=20_000)  # in check nothing is known
    hopeless = node(evaluation=-9_000, futility_depth=5)
    assert ask(FUTILE, hopeless, plies=1, alpha=int(LONGEST_MATE) - 1)
    assert not ask(FUTILE, hopeless, plies=1, alpha=int(LONGEST_MATE))  # a faster mate may be quiet


def test_bad_history_needs_many_failures():
    bench = node(history_pruning_depth=4, history_pruning_slope=4_000)
    failing, best = (parse_fen(START).parse_move(text) for text in ("a2a3", "e2e4"))
    assert not ask(BAD_HISTORY, bench, plies=0, move=failing)
    bench.this["stack"][1]["quiet_count"] = 0
    tried(bench.this, 1, failing, True)
    for _ in range(12):
        cutoff(bench.this, 1, best, True, 9)
    assert [ask(BAD_HISTORY, bench, plies=plies, move=failing) for plies in (0, 4, 5)] == [1, 1, 0]
    assert not ask(BAD_HISTORY, bench, plies=0, move=best)


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
def test_losing_exchanges(fen, text, quiet, depth, plies, loses):
    bench = node(fen, exchange_pruning_depth=9, exchange_quiet_slope=25, exchange_noisy_slope=95)
    assert ask(BAD_EXCHANGE, bench, move=parse_fen(fen).parse_move(text), quiet=quiet, depth=depth, plies=plies) == loses


OFF = {name: value for name, value in PLAIN.items() if name.startswith(("late", "futility", "history_pruning", "exchange"))}


@pytest.mark.parametrize(
    ("switched", "skips"),
    [
        ({"late_move_depth": 9, "late_move_base": 1}, True),
        ({"futility_depth": 9, "futility_base": 0}, False),
        ({"history_pruning_depth": 9, "history_pruning_slope": 500}, False),
        ({"exchange_pruning_depth": 9, "exchange_quiet_slope": 5}, False),
    ],
)
def test_each_reason_suffices_to_leave_a_quiet_move_out(switched, skips):
    """The first holds for all that come after it, too."""
    question = {"move": parse_fen(HANGING).parse_move("e3c4"), "alpha": 0, "depth": 2, "number": 30}
    bench = node(HANGING, evaluation=-5_000, **(OFF | switched))
    frame = bench.this["stack"][1]
    bench.this["quiet_history"][:], frame["stage"] = -16_000, QUIETS
    assert not ask(CANNOT_MATTER, bench, score=MATED, **question)  # as long as all is lost, every move is tried
    assert frame["stage"] == QUIETS
    assert ask(CANNOT_MATTER, bench, score=MATED + 1, **question)
    assert (frame["stage"] == START_BAD_CAPTURES) == skips
    assert not ask(CANNOT_MATTER, node(HANGING, **OFF), score=MATED + 1, **question)


def test_a_check_is_left_out_for_its_number_or_exchange_only():
    fen = "4k3/8/8/8/8/4N3/8/Q3K2R w K - 0 1"
    question = {"move": parse_fen(fen).parse_move("a1a8"), "alpha": 0, "depth": 2, "number": 30}
    for switched, left_out in (({"late_move_depth": 9}, 1), ({"futility_depth": 9}, 0), ({"history_pruning_depth": 4}, 0)):
        bench = node(fen, evaluation=-5_000, **(OFF | switched))
        bench.this["quiet_history"][:] = -16_000
        assert ask(CANNOT_MATTER, bench, **question) == left_out
        assert ask(CANNOT_MATTER, bench, **question | {"move": parse_fen(fen).parse_move("a1b1")}) == 1


def test_captures_are_left_out_for_their_exchange_only():
    question = {"move": parse_fen(HANGING).parse_move("e3d5"), "alpha": 0, "depth": 1, "number": 30}
    for switched, left_out in (({"late_move_depth": 9, "futility_depth": 9, "history_pruning_depth": 4}, 0),
                               ({"exchange_pruning_depth": 9, "exchange_noisy_slope": 110}, 1)):  # fmt: skip
        bench = node(HANGING, evaluation=-5_000, **(OFF | switched))
        bench.this["quiet_history"][:] = -16_000
        assert ask(CANNOT_MATTER, bench, **question) == left_out


def test_skipping_is_for_the_stage_of_quiet_moves():
    """Captures still to come are not lost by it."""
    bench = node(HANGING, **(OFF | {"late_move_depth": 9, "late_move_base": 1}))
    frame = bench.this["stack"][1]
    for stage in (GENERATE_CAPTURES, GOOD_CAPTURES, BAD_CAPTURES, DONE):
        frame["stage"] = stage
        assert ask(CANNOT_MATTER, bench, move=parse_fen(HANGING).parse_move("e3c4"), depth=2, number=30)
        assert frame["stage"] == stage


def test_plies_left_are_counted_after_the_reduction():
    move = parse_fen(HANGING).parse_move("e3f5")
    bench = node(HANGING, evaluation=-150, **(OFF | {"futility_depth": 9, "futility_base": 100, "futility_slope": 50}))
    for depth, plies, reduction in ((3, 2, 1023), (3, 1, 1024), (5, 1, 3 * 1024), (2, 0, 9 * 1024)):
        question = {"move": move, "depth": depth, "reduction": reduction}
        assert ask(CANNOT_MATTER, bench, alpha=-50 + 50 * plies, **question)
        assert not ask(CANNOT_MATTER, bench, alpha=-51 + 50 * plies, **question)


@pytest.mark.parametrize(
    ("now", "two_before", "four_before", "improving"),
    [(10, 9, 0, 1), (10, 10, 0, 0), (NONE, 0, 0, 0), (10, NONE, 9, 1), (10, NONE, 11, 0), (10, NONE, NONE, 1)],
)
def test_improving(now, two_before, four_before, improving):
    bench = node()
    for ply, evaluation in ((5, now), (3, two_before), (1, four_before)):
        bench.this["stack"][ply]["static_evaluation"] = evaluation
    assert ask(IMPROVING, bench, ply=5) == improving


@pytest.mark.parametrize(("now", "improving"), [(10, 1), (NONE, 0)])
def test_without_an_earlier_move_it_counts_as_improving(now, improving):
    bench = node()
    bench.this["stack"][1]["static_evaluation"] = now
    assert ask(IMPROVING, bench, ply=1) == improving


def test_what_stands_above_beta_counts_in_part():
    bench = node(reverse_futility_share=512)
    assert ask(TOWARD_BETA, bench, evaluation=300, beta=100) == 200
    assert ask(TOWARD_BETA, bench, evaluation=100, beta=100) == 100
    for mate in (int(LONGEST_MATE), int(MATE) - 5):
        assert ask(TOWARD_BETA, bench, evaluation=mate, beta=100) == mate


def test_direct_checks_are_seen():
    """python-chess judges: after the move, does the moved piece itself attack the king?"""
    found, bench = 0, node()
    for board in random_boards(91, 5, 150):
        position = Position.from_board(board)
        bench.place(position)
        for number, move in move_numbers(position, board).items():
            if move.promotion or board.is_castling(move):
                continue
            board.push(move)
            direct = move.to_square in board.checkers()
            board.pop()
            assert bool(gives_check(bench.this, TABLES_RECORD, number)) == direct, f"{board.fen()} {move}"
            found += direct
    assert found > 100


def singular(depth=8, stored=5, bound=LOWER, move=1, excluded=0, score=50, ply=1, root_depth=8) -> int:
    bench = node(singular_depth=6)
    bench.this["root_depth"] = root_depth
    bench.this["stack"][ply]["tt_move"], bench.this["stack"][ply]["excluded"] = move, excluded
    data = int(pack_fields(fields(score=score, depth=stored, bound=int(bound))))
    return ask(SINGULAR, bench, ply=ply, data=data, score=score, depth=depth)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"depth": 5},
        {"stored": 4},
        {"bound": UPPER},
        {"bound": 0},
        {"move": 0},
        {"excluded": 1},
        {"score": int(LONGEST_MATE)},
        {"ply": 0},
        {"ply": 6, "root_depth": 3},
    ],
)
def test_what_singular_needs(otherwise):
    assert singular() and singular(bound=EXACT)
    assert not singular(**otherwise)


@pytest.mark.parametrize(
    ("bound", "score", "value"),
    [(EXACT, 30, 30), (EXACT, -30, -30), (LOWER, 30, 30), (LOWER, -30, 0), (UPPER, 30, 0), (UPPER, -30, -30), (0, 99, 0)],
)
def test_the_table_refines_an_evaluation_on_the_right_side(bound, score, value):
    data = int(pack_fields(fields(score=score, depth=3, bound=int(bound))))
    assert ask(REFINED, node(), data=data, score=score, evaluation=0) == value


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
    assert decides_at(bench, data, score, 6) == decides
    assert decides_at(bench, data, score, 5) == decides
    assert not decides_at(bench, data, score, 7)


def test_a_stored_score_does_not_decide_when_the_fifty_moves_are_near():
    data = int(pack_fields(fields(score=500, depth=6, bound=int(EXACT))))
    for halfmove, decides in ((89, True), (90, False), (100, False)):
        bench = node(HAS_ROOK.replace(" 0 1", f" {halfmove} 80"))
        assert decides_at(bench, data, 500, 6) == decides


def nodes(parameters: dict[str, int], depth: int) -> list[int]:
    found = []
    for fen in (START, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", HAS_ROOK):
        bench = Bench(parse_fen(fen), parameters)
        bench.search(depth)
        found.append(int(bench.this["nodes"]))
    return found


def test_together_they_save_most_nodes():
    assert 5 * sum(nodes({}, 4)) < sum(nodes(PLAIN, 4))
