"""Quiescence against plain Python that follows its definition, and its edges: standing pat, evasions, delta pruning."""

import chess
import pytest

from tests.search_kernels import PLAIN, Workbench, call, recalled
from tests.search_oracles import Minimax, TooLarge, evaluation, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.scores import INFINITY, MATE
from zobra.tt.entry import LOWER, UPPER
from zobra.tt.table import store

CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"  # one capture, of a pawn, that loses nothing


@pytest.mark.parametrize(("seed", "games"), [(71, 4), pytest.param(72, 40, marks=pytest.mark.slow)])
def test_equals_the_oracle_inside_and_outside_of_windows(seed, games):
    bench = Workbench(parse_fen(START), PLAIN)
    compared = in_check = searched = 0
    for number, board in enumerate(random_boards(seed, games, 200)):
        if number % 6 and not board.is_check():
            continue
        try:
            value = Minimax(chess.Board(board.fen()), 200).quiet_value()
        except TooLarge:
            continue
        bench.place(Position.from_board(board))
        assert bench.quiesce() == value, board.fen()
        for alpha in (value - 40, value - 1, value, value + 30):
            for width in (1, 20):
                beta = alpha + width
                score = bench.quiesce(alpha, beta)
                if alpha < value < beta:
                    assert score == value, board.fen()
                elif value <= alpha:
                    assert value <= score <= alpha, board.fen()
                else:
                    assert beta <= score <= value, board.fen()
        compared += 1
        in_check += board.is_check()
        searched += not board.is_check() and value != evaluation(board)
    assert compared > 20 * games
    assert in_check > 4 * games
    assert searched > 4 * games


def test_mate_in_check_is_seen():
    bench = Workbench(parse_fen("6rk/6pp/7N/8/8/8/8/K7 b - - 0 1"), PLAIN)
    assert bench.quiesce() < MATE  # not in check: no mate is claimed
    bench = Workbench(parse_fen("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1"), PLAIN)
    assert bench.quiesce() == -MATE


def test_stalemate_is_not_seen_without_a_check():
    """Only captures are tried: without one the evaluation stands."""
    position = parse_fen("k7/P7/K7/8/8/8/8/8 b - - 0 1")
    bench = Workbench(position, PLAIN)
    assert bench.quiesce() == evaluation(position.to_board())


def test_standing_above_beta_ends_at_once():
    bench = Workbench(parse_fen(CAPTURE), PLAIN)
    standing = evaluation(chess.Board(CAPTURE))
    assert bench.quiesce(standing - 1, standing) == standing
    assert bench.this["nodes"] == 1


def test_delta_pruning_begins_where_margin_and_gain_cannot_raise_alpha():
    margin = 60
    bench = Workbench(parse_fen(CAPTURE), PLAIN | {"quiescence_margin": margin})
    reach = evaluation(chess.Board(CAPTURE)) + 100 + margin
    bench.quiesce(reach - 1, reach)
    assert bench.this["nodes"] > 1
    assert bench.quiesce(reach, reach + 1) == reach  # no more can be promised than that it is not better
    assert bench.this["nodes"] == 1


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",  # nobody can win
        "4k3/8/8/8/8/8/8/QQQ1K3 w - - 100 90",  # fifty moves
    ],
)
def test_draws(fen):
    assert Workbench(parse_fen(fen), PLAIN).quiesce() == 0


def test_the_table_answers_null_windows_only():
    """What it stored is asked again; a principal variation is searched to its end."""
    bench = Workbench(parse_fen(CAPTURE), PLAIN | {"use_table": 1})
    value = bench.quiesce()
    assert bench.this["nodes"] == 2
    for window in ((), (value, value + 50)):
        assert value == bench.quiesce(*window)
        assert bench.this["nodes"] > 1
    assert value == bench.quiesce(value, value + 1)
    assert bench.this["nodes"] == 1
    entry = recalled(bench, parse_fen(CAPTURE).key)
    assert (entry["depth"], entry["bound"], entry["score"]) == (0, int(UPPER), value)
    assert entry["evaluation"] == evaluation(chess.Board(CAPTURE))


def test_standing_pat_is_remembered_for_its_evaluation():
    position, standing = parse_fen(CAPTURE), evaluation(chess.Board(CAPTURE))
    bench = Workbench(position, PLAIN | {"use_table": 1})
    bench.quiesce(standing - 50, standing - 49)
    entry = recalled(bench, position.key)
    assert (entry["evaluation"], entry["bound"], entry["move"], entry["depth"]) == (standing, int(LOWER), 0, 0)


@pytest.mark.parametrize(("hint", "kept"), [("d4c5", True), ("d4e5", True), ("e1e2", False)])
def test_a_capture_of_the_table_is_tried_first(hint, kept):
    fen = "4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1"
    position, standing = parse_fen(fen), evaluation(chess.Board(fen))
    move = position.parse_move(hint)
    bench = Workbench(position, PLAIN | {"use_table": 1})
    call(store, bench, key=position.key, move=move, score=standing, evaluation=standing, bound=int(LOWER))
    bench.quiesce()
    assert int(bench.this["stack"][0]["tt_move"]) == (move if kept else 0)
    assert bench.line()[0] in {position.parse_move("d4c5"), position.parse_move("d4e5")}


def test_what_the_table_knows_refines_standing_pat():
    position = parse_fen(CAPTURE)
    bench = Workbench(position, PLAIN | {"use_table": 1})
    standing = evaluation(chess.Board(CAPTURE))
    call(store, bench, key=position.key, score=standing + 500, evaluation=standing, bound=int(LOWER))
    assert bench.quiesce(standing, standing + 400) == standing + 500
    assert bench.this["nodes"] == 1


def test_of_quiet_evasions_one_that_lives_is_enough():
    """The next one may be picked already; captures are tried to the last."""
    few = PLAIN | {"quiescence_evasions": 0}
    bench = Workbench(parse_fen("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1"), few)  # four king moves, nothing to take
    assert len(parse_fen("4k3/8/8/8/4r3/8/8/4K3 w - - 0 1").legal_moves()) == 4
    bench.quiesce()
    assert 2 <= bench.this["nodes"] <= 3
    position = parse_fen("4k3/8/8/8/8/2N3N1/2B1r3/R3K2R w KQ - 0 1")
    takers = [move for move in position.legal_moves() if move >> 6 & 63 == 12]
    assert len(takers) == 3
    values = [-Workbench(position.after(move), few).quiesce() for move in takers]
    assert Workbench(position, few).quiesce() == max(values) > sorted(values)[1]


def test_mate_counts_on_the_hundredth_ply():
    assert Workbench(parse_fen("6rk/5Npp/8/8/8/8/8/K7 b - - 100 90"), PLAIN).quiesce() == -MATE


def test_the_line_is_the_best_exchange():
    position = parse_fen(CAPTURE)
    bench = Workbench(position, PLAIN)
    bench.quiesce()
    assert bench.line() == [position.parse_move("e4d5")]


def test_long_check_sequences_end():
    """The deepest ply answers whatever it is; nothing is written beyond the stack."""
    bench = Workbench(parse_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"))
    assert -INFINITY < bench.quiesce() < INFINITY
