"""The node function: equal to plain minimax when nothing is pruned, right about mates and draws
always.
"""

from functools import partial

import chess
import pytest

from tests.support.search_kernels import PLAIN, Workbench, recalled
from tests.support.search_oracles import (
    Minimax,
    TooLarge,
    check_windows,
    evaluation,
    move_numbers,
    random_boards,
)
from tests.support.searches import MATES
from zobra.engine.fen import START, parse_fen
from zobra.engine.network import load_network
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.engine.scores import INFINITY, MATE, MAX_PLY, is_mate
from zobra.search.evaluation import evaluate_position
from zobra.search.negamax import negamax
from zobra.train.first_network import first_network

# Small positions of every kind: promotions, en passant, castling, checks to extend, stalemate and
# the fifty moves near.
POSITIONS = [
    ("8/2k5/8/3Pp3/8/8/5K2/8 w - e6 0 1", 4),
    ("8/P5k1/8/8/8/8/p5K1/8 w - - 0 1", 2),
    ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3),
    ("r3k3/7p/8/8/8/8/7P/4K2R b Kq - 0 1", 2),
    ("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", 3),
    ("k7/2Q5/2K5/8/8/8/8/8 w - - 0 1", 3),
    ("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", 4),
    ("8/8/8/4k3/8/8/3RK3/8 w - - 97 90", 3),
    ("8/8/8/4k3/8/3n4/3RK3/6b1 b - - 98 90", 2),
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 3),
    ("3r2k1/5ppp/8/8/8/2n5/5PPP/3R2K1 b - - 0 1", 2),
    ("1k6/3P4/8/1n6/8/4N3/5p2/3K4 w - - 0 1", 2),
    ("8/1p6/8/8/8/1P2k3/4p3/4K3 w - - 0 1", 4),
]
LOCKED = "8/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/K6k w - - 0 1"  # kings alone can move


def bench_of(fen: str, **parameters: int) -> Workbench:
    return Workbench(parse_fen(fen), PLAIN | parameters)


def search_at(
    bench: Workbench, ply: int, depth: int, alpha: int = -int(INFINITY), beta: int = int(INFINITY)
) -> int:
    bench.this["nodes"] = 0
    return int(negamax(bench.this, CONSTANTS_RECORD, ply, depth, alpha, beta, 0))


def mate_score(plies: int) -> int:
    """Odd distances are of a mate that the side to move gives, even ones of one that it suffers."""
    return int(MATE) - plies if plies % 2 else plies - int(MATE)


@pytest.mark.parametrize(("fen", "deepest"), POSITIONS)
def test_negamax_equals_minimax_in_small_positions(fen, deepest):
    bench = bench_of(fen)
    for depth in range(1, deepest + 1):
        value = Minimax(chess.Board(fen)).value(depth)
        assert bench.search(depth) == value, f"depth {depth}"
        check_windows(partial(bench.search, depth), value)


@pytest.mark.parametrize(("seed", "games"), [(81, 5), pytest.param(82, 40, marks=pytest.mark.slow)])
def test_negamax_equals_minimax_in_random_positions(seed, games):
    bench = bench_of(START)
    compared = {1: 0, 2: 0, 3: 0}
    for number, board in enumerate(random_boards(seed, games, 300)):
        if number % 11 or len(board.piece_map()) > 12:
            continue
        bench.place(Position.from_board(board))
        for depth in compared:
            try:
                value = Minimax(chess.Board(board.fen()), 600).value(depth)
            except TooLarge:
                break
            assert bench.search(depth) == value, f"{board.fen()} depth {depth}"
            check_windows(partial(bench.search, depth), value)
            compared[depth] += 1
    assert compared[1] > games
    assert compared[2] > games // 4
    assert compared[3] >= games // 40


@pytest.mark.parametrize(("fen", "depth"), POSITIONS)
def test_the_pv_leads_to_the_score(fen, depth):
    """The principal variation is legal, and the quiescence score of its end is that of the
    search.
    """
    bench = bench_of(fen)
    board = chess.Board(fen)
    score = bench.search(depth)
    numbers = bench.line()
    for number in numbers:
        board.push(move_numbers(Position.from_board(board), board)[number])
    if not board.is_game_over(claim_draw=True) and board.halfmove_clock < 100:
        assert score == Minimax(chess.Board(board.fen())).quiet_value() * (-1) ** len(numbers)


@pytest.mark.parametrize("use_tt", [0, 1])
@pytest.mark.parametrize(("fen", "plies"), MATES)
def test_mates_are_found_at_their_distance(fen, plies, use_tt):
    """Mate scores in the table are right for the next search and for later roots, too."""
    position = parse_fen(fen)
    bench = bench_of(fen, use_tt=use_tt)
    for depth in range(max(1, plies), plies + 2):
        assert bench.search(depth) == mate_score(plies)
    for ply, move in enumerate(bench.line(), 1):
        assert move in position.legal_moves()
        position = position.after(move)
        bench.place(position)
        assert ply == plies or bench.search(plies - ply) == mate_score(plies - ply)
    assert ply == plies
    assert position.to_board().is_checkmate()
    check_windows(partial(bench_of(fen).search, plies), mate_score(plies))


@pytest.mark.parametrize(
    ("fen", "depth", "score"),
    [
        # The lone pawn cannot win: its king must leave it, or stalemate.
        ("k7/P7/8/1K6/8/8/8/8 w - - 0 1", 4, 0),
        ("7k/8/6K1/8/8/8/8/5Q2 b - - 0 1", 4, mate_score(4)),  # mates to find, stalemates to avoid
        ("k7/P7/K7/8/8/8/8/8 b - - 0 1", 1, 0),  # a root without a move
        ("2k5/8/3K4/8/8/8/8/R7 w - - 97 90", 3, mate_score(3)),
        ("2k5/8/3K4/8/8/8/8/R7 w - - 98 90", 3, 0),  # a mate in two, too late for the fifty moves
    ],
)
def test_stalemate_and_late_mates_are_draws(fen, depth, score):
    assert bench_of(fen).search(depth) == score


def test_fifty_moves_draw_a_won_game():
    """With pruning and the table, which the comparison with minimax does without."""
    for halfmove in (99, 98, 40):
        bench = Workbench(parse_fen(f"8/8/8/4k3/8/8/3QK3/8 w - - {halfmove} 90"))
        assert (bench.search(4) == 0) == (halfmove > 90)
    with_pawn = Workbench(parse_fen("8/8/8/4k3/8/P7/3QK3/8 w - - 99 90"))
    assert with_pawn.search(2) > 300  # the pawn's move begins the count anew
    assert with_pawn.line()[0] & 63 == chess.A3


def test_the_search_stays_within_its_stack():
    """A depth beyond the stack is cut off at its last ply, and writes nothing behind it."""
    bench = Workbench(parse_fen(LOCKED), {"use_tt": 1})
    bench.this["node_limit"] = 300_000
    bench.search(MAX_PLY)
    assert MAX_PLY // 2 < bench.this["selective_depth"] <= MAX_PLY
    assert not bench.this["stack"]["position"]["board"][MAX_PLY + 1].any()


@pytest.mark.parametrize(
    "fen", [LOCKED, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"]
)
def test_no_move_is_made_at_the_last_ply(fen):
    """There the evaluation has to do, and in check nothing is known."""
    bench = bench_of(START)
    bench.put(MAX_PLY, parse_fen(fen))
    behind = bench.this["stack"][MAX_PLY + 1 :].tobytes()
    board = chess.Board(fen)
    expected = 0 if board.is_check() else evaluation(board)
    for depth in (0, 1, 20):
        assert search_at(bench, MAX_PLY, depth) == expected
        assert bench.this["nodes"] == 1
    assert bench.this["stack"][MAX_PLY + 1 :].tobytes() == behind


@pytest.mark.parametrize("ply", [1, 40, MAX_PLY - 1])
def test_mate_distance_pruning(ply):
    bench = bench_of(START)
    bench.put(ply, parse_fen(LOCKED))
    shortest = int(MATE) - ply - 1
    assert search_at(bench, ply, 3, shortest, shortest + 1) == shortest
    assert bench.this["nodes"] == 1
    soonest_loss = ply - int(MATE)
    assert search_at(bench, ply, 3, soonest_loss - 9, soonest_loss) == soonest_loss
    assert bench.this["nodes"] == 1
    search_at(bench, ply, 1, shortest - 1, shortest)
    assert bench.this["nodes"] > 2


@pytest.mark.parametrize("fen", [fen for fen, _ in POSITIONS])
def test_an_excluded_move_is_not_searched(fen):
    """The score is that of the other moves, so the table and the corrections do not learn it."""
    position = parse_fen(fen)
    board = chess.Board(fen)
    for number, move in move_numbers(position, board).items():
        others = [other for other in board.legal_moves if other != move]
        if not others:
            continue
        bench = bench_of(START, use_tt=1)
        bench.put(1, position)
        bench.this["stack"][1]["excluded"] = number
        expected = one_ply_later(Minimax(board).value(1, others))
        assert search_at(bench, 1, 1) == expected, f"{fen} without {move}"
        assert bench.this["pv_length"][1] == 0  # it would not be the node's
        assert recalled(bench, position.key) is None
        assert not has_correction(bench, 1)


def one_ply_later(score: int) -> int:
    """The same score if its position is not the root, but one ply below it."""
    if is_mate(score):
        return score - 1 if score > 0 else score + 1
    return score


def has_correction(bench: Workbench, ply: int) -> bool:
    """Did the search teach a correction for the pawns of the position at `ply`?"""
    position = bench.this["stack"][ply]["position"]
    corrections = bench.this["position_correction"][position["side"], 0]
    return bool(corrections[int(position["correction_keys"][0]) % len(corrections)])


def test_excluding_the_only_move_returns_alpha():
    position = parse_fen("k7/8/1K6/8/8/8/8/7R b - - 0 1")
    bench = bench_of(START)
    bench.put(1, position)
    (bench.this["stack"][1]["excluded"],) = position.legal_moves()
    for alpha in (-300, 0, 40):
        assert search_at(bench, 1, 3, alpha, alpha + 1) == alpha


# The evaluation by the first network, which passing would keep, is more than any move keeps: found
# among random positions.
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/5k2/3K4/8/1p6/3N4/8 w - - 0 1",
        "8/8/6pK/2k5/5B2/8/8/8 w - - 0 1",
        "1k6/8/P7/2K5/5p2/7B/1p6/8 w - - 0 1",
        "8/8/4B3/2K1kP2/8/8/8/8 w - - 0 1",
        "8/8/4N3/3k4/5p2/3K4/8/8 w - - 0 1",
    ],
)
def test_verification_sees_through_zugzwang(fen):
    network = load_network(first_network())
    beta = evaluate_position(parse_fen(fen), network)
    null_move = {
        "null_move_depth": 2,
        "null_move_base": 2,
        "null_move_divisor": 8,
        "null_move_static_margin": 0,
    }
    unverified = PLAIN | null_move | {"null_move_verification_depth": 6}
    verified = PLAIN | null_move | {"null_move_verification_depth": 1}
    for parameters, holds in ((PLAIN, False), (unverified, True), (verified, False)):
        bench = Workbench(parse_fen(START), parameters, network=network)
        bench.this["stack"][0]["move"] = 1  # the move before was no null move
        bench.put(1, parse_fen(fen))
        assert (search_at(bench, 1, 5, beta - 1, beta) >= beta) == holds
        assert bench.this["null_move_min_ply"] == 0  # what holds during verification is taken back


def test_only_the_moves_allowed_at_the_root_are_searched():
    position = parse_fen(START)
    bench = bench_of(START, use_tt=1)
    allowed = [position.parse_move("a2a3"), position.parse_move("h2h4")]
    values = {move: -Workbench(position.after(move), PLAIN).search(2) for move in allowed}
    bench.place(position, moves=allowed)
    assert bench.search(3) == max(values.values()) == values[bench.line()[0]]
    assert recalled(bench, position.key) is None  # it would speak of all moves
    assert not has_correction(bench, 0)
    bench = bench_of(START)
    bench.search(3)
    assert has_correction(bench, 0)


def test_a_null_move_proves_no_mate():
    """If White passes, Black has to take a rook and is mated."""
    fen = "7k/5K2/8/8/1p6/RP1B4/8/2R5 w - - 0 1"
    network = load_network(first_network())
    beta = evaluate_position(parse_fen(fen), network)
    null_move = {
        "null_move_depth": 2,
        "null_move_base": 2,
        "null_move_divisor": 8,
        "null_move_eval_plies": 0,
        "null_move_static_margin": 0,
    }
    bench = Workbench(parse_fen(START), PLAIN | null_move, network=network)
    bench.this["stack"][0]["move"] = 1  # the move before was no null move
    bench.put(1, parse_fen(fen))
    assert search_at(bench, 1, 4, beta - 1, beta) == beta

    bench.put(1, parse_fen(fen).after(0))
    assert search_at(bench, 1, 2) == 3 - int(MATE)
