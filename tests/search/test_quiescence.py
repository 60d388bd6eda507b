"""Quiescence against plain Python that follows its definition, and its edges: standing pat,
evasions, delta pruning.
"""

import chess
import pytest

from tests.support.search_kernels import PLAIN, Workbench, call, recalled, tt_entry
from tests.support.search_oracles import Minimax, TooLarge, check_windows, evaluation, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.scores import INFINITY, MATE
from zobra.tt.entry import LOWER, UPPER
from zobra.tt.table import store

CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"  # one capture, of a pawn, that loses nothing
TWO_CAPTURES = "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1"


def bench_of(fen: str, **parameters: int) -> Workbench:
    return Workbench(parse_fen(fen), PLAIN | parameters)


def standing_of(fen: str) -> int:
    return evaluation(chess.Board(fen))


STANDING = standing_of(CAPTURE)
STALEMATE = "k7/P7/K7/8/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(("seed", "games"), [(71, 4), pytest.param(72, 40, marks=pytest.mark.slow)])
def test_quiescence_equals_its_definition(seed, games):
    bench = bench_of(START)
    compared = 0
    in_check = 0
    searched = 0
    for number, board in enumerate(random_boards(seed, games, 200)):
        if number % 6 and not board.is_check():
            continue
        try:
            value = Minimax(chess.Board(board.fen()), 200).quiet_value()
        except TooLarge:
            continue
        bench.place(Position.from_board(board))
        assert bench.quiesce() == value, board.fen()
        check_windows(bench.quiesce, value)
        compared += 1
        in_check += board.is_check()
        searched += not board.is_check() and value != evaluation(board)
    assert compared > 20 * games
    assert in_check > 4 * games
    assert searched > 4 * games


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", -MATE),
        ("6rk/5Npp/8/8/8/8/8/K7 b - - 100 90", -MATE),  # mate counts on the hundredth ply
        ("8/8/4k3/8/8/3KN3/8/8 w - - 0 1", 0),  # nobody can win
        ("4k3/8/8/8/8/8/8/QQQ1K3 w - - 100 90", 0),  # fifty moves
        (STALEMATE, standing_of(STALEMATE)),  # it is not seen
    ],
)
def test_mates_and_draws(fen, score):
    assert bench_of(fen).quiesce() == score


def test_delta_pruning_begins_where_margin_and_gain_cannot_raise_alpha():
    bench = bench_of(CAPTURE, quiescence_margin=60)
    reach = STANDING + 100 + 60
    bench.quiesce(reach - 1, reach)
    assert bench.this["nodes"] > 1
    # No more can be promised than that it is not better.
    assert bench.quiesce(reach, reach + 1) == reach
    assert bench.this["nodes"] == 1


def test_far_below_alpha_captures_must_win_material():
    fen = "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1"  # a pawn for a pawn
    bench = bench_of(fen, quiescence_margin=60)
    far = standing_of(fen) + 60
    assert bench.quiesce(far, far + 1) == far
    assert bench.this["nodes"] == 1
    bench.quiesce(far - 1, far)
    assert bench.this["nodes"] > 1


def test_the_table_answers_null_windows_only():
    """In a principal variation the same position is searched again."""
    bench = bench_of(CAPTURE, use_tt=1)
    value = bench.quiesce()
    assert bench.this["nodes"] == 2
    assert bench.line() == [parse_fen(CAPTURE).parse_move("e4d5")]
    for window, ends in (((), False), ((value, value + 50), False), ((value, value + 1), True)):
        assert bench.quiesce(*window) == value
        assert (bench.this["nodes"] == 1) == ends
    stored = {"depth": 0, "bound": UPPER, "score": value, "evaluation": STANDING}
    assert recalled(bench, parse_fen(CAPTURE).key).items() >= stored.items()


def test_standing_pat_above_beta_ends_at_once_and_is_stored_for_its_evaluation():
    bench = bench_of(CAPTURE, use_tt=1)
    assert bench.quiesce(STANDING - 1, STANDING) == STANDING
    assert bench.this["nodes"] == 1
    stored = {"depth": 0, "bound": LOWER, "move": 0, "evaluation": STANDING}
    assert recalled(bench, parse_fen(CAPTURE).key).items() >= stored.items()


def store_bound(bench: Workbench, fen: str, score: int, move: int = 0) -> None:
    """Let the table know that the position is worth at least a score."""
    known = tt_entry(move=move, score=score, evaluation=standing_of(fen), bound=LOWER)
    call(store, bench, key=parse_fen(fen).key, tt_entry=known)


@pytest.mark.parametrize(("hint", "kept"), [("d4c5", True), ("d4e5", True), ("e1e2", False)])
def test_the_tt_move_is_tried_first_if_it_is_a_capture(hint, kept):
    position = parse_fen(TWO_CAPTURES)
    move = position.parse_move(hint)
    bench = bench_of(TWO_CAPTURES, use_tt=1)
    store_bound(bench, TWO_CAPTURES, standing_of(TWO_CAPTURES), move)
    bench.quiesce()
    assert int(bench.this["stack"][0]["tt_move"]) == (move if kept else 0)
    assert bench.line()[0] in {position.parse_move("d4c5"), position.parse_move("d4e5")}


def test_a_tt_score_refines_standing_pat():
    bench = bench_of(CAPTURE, use_tt=1)
    store_bound(bench, CAPTURE, STANDING + 500)
    assert bench.quiesce(STANDING, STANDING + 400) == STANDING + 500
    assert bench.this["nodes"] == 1


def test_one_quiet_evasion_is_enough():
    """All captures are tried."""
    one_evasion = PLAIN | {"quiescence_evasions": 0}
    four_king_moves = parse_fen("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1")  # nothing to take
    bench = Workbench(four_king_moves, one_evasion)
    bench.quiesce()
    assert 2 <= bench.this["nodes"] <= 3

    position = parse_fen("4k3/8/8/8/8/2N3N1/2B1r3/R3K2R w KQ - 0 1")
    takers = [move for move in position.legal_moves() if move >> 6 & 63 == chess.E2]
    values = [-Workbench(position.after(move), one_evasion).quiesce() for move in takers]
    assert len(values) == 3
    assert Workbench(position, one_evasion).quiesce() == max(values) > sorted(values)[1]


def test_long_check_sequences_end():
    """At the deepest ply, without writing beyond the stack."""
    bench = Workbench(parse_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"))
    assert -INFINITY < bench.quiesce() < INFINITY
