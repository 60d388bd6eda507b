"""The node function: equal to plain minimax when nothing is pruned, right about mates and draws always."""

import chess
import pytest

from tests.search_kernels import PLAIN, Workbench, recalled
from tests.search_oracles import Minimax, TooLarge, evaluation, move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.game import Game
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import INFINITY, MATE, MAX_PLY
from zobra.search.negamax import negamax
from zobra.search.worker import CORRECTIONS
from zobra.tt.entry import NO_BOUND
from zobra.tt.table import Table

# Small positions of every kind: promotions, en passant, castling, checks to extend, stalemate and the fifty moves near.
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
# Forced mates and their exact distance in plies: odd ones are given by the side to move, even ones suffered.
MATES = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
    ("6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1", 1),
    ("k7/2P5/1K6/8/8/8/8/8 w - - 0 1", 1),
    ("7k/5K2/8/6Q1/8/8/8/8 b - - 0 1", 2),
    ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 3),
    ("2k5/8/3K4/8/8/8/8/R7 w - - 0 1", 3),
    ("r5k1/5ppp/8/8/8/8/1Q3PPP/1R4K1 w - - 0 1", 3),
    ("8/8/8/8/8/2k5/8/K6r w - - 0 1", 4),
    ("7k/7p/5K2/8/8/8/8/6R1 w - - 0 1", 5),
    ("k7/7R/2K5/8/8/8/8/8 b - - 0 1", 6),
    ("5r1k/6pp/8/6N1/2Q5/8/6PP/6K1 w - - 0 1", 7),
]


def mate_score(plies: int) -> int:
    return int(MATE) - plies if plies % 2 else plies - int(MATE)


def windows(value: int) -> list[tuple[int, int]]:
    return [(alpha, alpha + width) for alpha in (value - 60, value - 1, value, value + 50) for width in (1, 25)]


def assert_bounds(score: int, value: int, alpha: int, beta: int) -> None:
    """Fail-soft: the true value inside the window, else a bound on it beyond the window's edge."""
    if alpha < value < beta:
        assert score == value
    elif value <= alpha:
        assert value <= score <= alpha
    else:
        assert beta <= score <= value


@pytest.mark.parametrize(("fen", "deepest"), POSITIONS)
def test_equals_minimax_in_small_positions(fen, deepest):
    bench = Workbench(parse_fen(fen), PLAIN)
    for depth in range(1, deepest + 1):
        value = Minimax(chess.Board(fen)).value(depth)
        assert bench.search(depth) == value, f"depth {depth}"
        for alpha, beta in windows(value):
            assert_bounds(bench.search(depth, alpha, beta), value, alpha, beta)


@pytest.mark.parametrize(("seed", "games"), [(81, 5), pytest.param(82, 40, marks=pytest.mark.slow)])
def test_equals_minimax_in_random_positions(seed, games):
    bench = Workbench(parse_fen(START), PLAIN)
    compared = {1: 0, 2: 0, 3: 0}
    for number, board in enumerate(random_boards(seed, games, 300)):
        if number % 11 or len(board.piece_map()) > 12:
            continue
        for depth in compared:
            try:
                value = Minimax(chess.Board(board.fen()), 600).value(depth)
            except TooLarge:
                break
            bench.place(Position.from_board(board))
            assert bench.search(depth) == value, f"{board.fen()} depth {depth}"
            for alpha, beta in windows(value):
                assert_bounds(bench.search(depth, alpha, beta), value, alpha, beta)
            compared[depth] += 1
    assert compared[1] > games
    assert compared[2] > games // 4
    assert compared[3] >= games // 40


def test_repetitions_of_the_game_count_as_in_minimax():
    """Shuffling pieces: positions of the game and of the line come again."""
    start = "7k/8/8/8/8/8/r7/1R5K w - - 0 1"
    board, game = chess.Board(start), Game(parse_fen(start))
    values = set()
    for text in ["b1b3", "a2a3", "b3b1", "a3a2", "b1b3", "a2a3", "b3b1"]:
        game.push(game.position.parse_move(text))
        board.push_uci(text)
        bench = Workbench(game.position, PLAIN, game.keys)
        for depth in (1, 2):
            value = Minimax(board).value(depth)
            assert bench.search(depth) == value, f"{board.fen()} depth {depth}"
            values.add(value)
    assert len(values) > 1


def test_the_line_leads_to_the_value():
    """The principal variation is legal, and its end is worth what the search said."""
    for fen, depth in POSITIONS:
        position = parse_fen(fen)
        bench = Workbench(position, PLAIN)
        score = bench.search(depth)
        board = chess.Board(fen)
        for move in bench.line():
            assert move in position.legal_moves()
            position = position.after(move)
            board = position.to_board()
        end = Minimax(board).quiet_value() if not board.is_game_over(claim_draw=True) else None
        if end is not None and board.halfmove_clock < 100:
            assert score == (end if len(bench.line()) % 2 == 0 else -end), fen


@pytest.mark.parametrize("use_table", [0, 1])
@pytest.mark.parametrize(("fen", "plies"), MATES)
def test_mates_are_found_with_their_distance(fen, plies, use_table):
    position = parse_fen(fen)
    memory = Table(1)
    bench = Workbench(position, PLAIN | {"use_table": use_table})
    bench.this["table"] = memory.record
    for depth in range(max(1, plies), plies + 2):  # the second search meets the mate scores of the first in the table
        assert bench.search(depth) == mate_score(plies)
        assert_mating_line(position, bench.line(), plies)


def assert_mating_line(position: Position, line: list[int], plies: int) -> None:
    assert len(line) == plies
    for move in line:
        assert move in position.legal_moves()
        position = position.after(move)
    assert position.to_board().is_checkmate()


@pytest.mark.parametrize(("fen", "plies"), [mate for mate in MATES if mate[1] > 2])
def test_mate_scores_in_the_table_are_right_for_a_later_root(fen, plies):
    position = parse_fen(fen)
    memory = Table(1)
    bench = Workbench(position, PLAIN | {"use_table": 1})
    bench.this["table"] = memory.record
    bench.search(plies)
    for ply, move in enumerate(bench.line()[:-1], 1):
        position = position.after(move)
        bench.place(position)
        assert bench.search(plies - ply) == mate_score(plies - ply)


@pytest.mark.parametrize(("fen", "plies"), MATES)
def test_windows_around_a_mate(fen, plies):
    """Mate-distance pruning bounds what it cuts off: a faster mate than this one is never claimed, a slower never enough."""
    bench = Workbench(parse_fen(fen), PLAIN)
    value = mate_score(plies)
    for alpha, beta in windows(value):
        assert_bounds(bench.search(plies, alpha, beta), value, alpha, beta)


def test_stalemate_is_a_draw():
    """The lone pawn cannot win: its king must leave it, or stalemate."""
    bench = Workbench(parse_fen("k7/P7/8/1K6/8/8/8/8 w - - 0 1"), PLAIN)
    assert bench.search(4) == 0
    bench = Workbench(parse_fen("7k/8/6K1/8/8/8/8/5Q2 b - - 0 1"), PLAIN)  # then mates to find, stalemates to avoid
    assert bench.search(4) == mate_score(4)
    bench = Workbench(parse_fen("k7/P7/K7/8/8/8/8/8 b - - 0 1"), PLAIN)  # a root without a move
    assert bench.search(1) == 0


@pytest.mark.parametrize("parameters", [PLAIN, {}])
def test_fifty_moves_draw_a_won_game(parameters):
    memory = Table(1)
    won = "8/8/8/4k3/8/8/3QK3/8 w - - {} 90"
    for halfmove, drawn in ((99, True), (98, True), (40, False)):
        bench = Workbench(parse_fen(won.format(halfmove)), parameters)
        memory.clear()
        bench.this["table"] = memory.record
        assert (bench.search(4) == 0) == drawn
    with_pawn = Workbench(parse_fen("8/8/8/4k3/8/P7/3QK3/8 w - - 99 90"), parameters)
    with_pawn.this["table"] = memory.record
    assert with_pawn.search(2) > 300  # the pawn's move begins the count anew
    assert with_pawn.line()[0] & 63 == 16


def test_a_mate_in_two_comes_too_late_for_the_fifty_moves():
    fen = "2k5/8/3K4/8/8/8/8/R7 w - - {} 90"
    for halfmove, value in ((97, mate_score(3)), (98, 0), (99, 0)):
        assert Workbench(parse_fen(fen.format(halfmove)), PLAIN).search(3) == value


LOCKED = "8/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/K6k w - - 0 1"  # kings alone can move


def test_the_deepest_ply_is_guarded():
    """A depth beyond the stack is cut off at its last ply, and writes nothing behind it."""
    bench = Workbench(parse_fen(LOCKED), {"use_table": 1})
    memory = Table(8)
    bench.this["table"] = memory.record
    bench.this["node_limit"] = 300_000
    bench.search(MAX_PLY)
    assert MAX_PLY // 2 < bench.this["selective_depth"] <= MAX_PLY
    assert not bench.this["stack"]["position"]["board"][MAX_PLY + 1].any()


@pytest.mark.parametrize("fen", [LOCKED, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/4q3/4K3 w - - 0 1"])
def test_at_the_last_ply_no_move_is_made(fen):
    """There the evaluation has to do, and in check nothing is known."""
    bench = Workbench(parse_fen(START), PLAIN)
    stack = bench.this["stack"]
    stack[MAX_PLY]["position"] = parse_fen(fen).record
    behind = stack[MAX_PLY + 1 :].tobytes()
    for depth in (0, 1, 20):
        bench.this["nodes"] = 0
        score = int(negamax(bench.this, TABLES_RECORD, MAX_PLY, depth, -int(INFINITY), int(INFINITY), 0))
        assert score == (0 if parse_fen(fen).in_check else evaluation(chess.Board(fen)))
        assert bench.this["nodes"] == 1
    assert stack[MAX_PLY + 1 :].tobytes() == behind


@pytest.mark.parametrize("ply", [1, 40, MAX_PLY - 1])
def test_no_node_is_searched_for_a_mate_longer_than_one_known(ply):
    bench = Workbench(parse_fen(START), PLAIN)
    bench.this["stack"][ply]["position"] = parse_fen(LOCKED).record
    shortest, soonest_loss = int(MATE) - ply - 1, ply - int(MATE)
    for alpha, beta, score in ((shortest, shortest + 1, shortest), (soonest_loss - 9, soonest_loss, soonest_loss)):
        bench.this["nodes"] = 0
        assert negamax(bench.this, TABLES_RECORD, ply, 3, alpha, beta, 0) == score
        assert bench.this["nodes"] == 1
    negamax(bench.this, TABLES_RECORD, ply, 1, shortest - 1, shortest, 0)
    assert bench.this["nodes"] > 2


def test_an_excluded_move_is_not_searched():
    """The value is that of the other moves; nothing of it goes into the table, which speaks of all moves."""
    for fen, _ in POSITIONS:
        position, board = parse_fen(fen), chess.Board(fen)
        for number, move in move_numbers(position, board).items():
            others = [other for other in board.legal_moves if other != move]
            if not others:
                continue
            bench = Workbench(position, PLAIN | {"use_table": 1})
            bench.this["stack"][0]["excluded"] = number
            value = Minimax(board).value(1, others)
            assert bench.search(1) == value, f"{fen} without {move}"
            assert bench.line() == []  # it would not be the node's
            assert recalled(bench, position.key) is None


def test_without_the_only_move_nothing_is_better_than_alpha():
    position = parse_fen("k7/8/1K6/8/8/8/8/7R b - - 0 1")
    (only,) = position.legal_moves()
    bench = Workbench(position, PLAIN)
    bench.this["stack"][0]["excluded"] = only
    for alpha in (-300, 0, 40):
        assert bench.search(3, alpha, alpha + 1) == alpha


def test_nothing_is_learned_of_evaluations_without_a_move():
    position = parse_fen(START)
    for excluded in (0, position.parse_move("e2e4")):
        bench = Workbench(position, PLAIN)
        bench.this["stack"][0]["excluded"] = excluded
        bench.search(1)
        changed = bench.this["position_correction"][0, 0, int(position.record["correction_keys"][0]) % CORRECTIONS] != 0
        assert changed == (excluded == 0)


# The piece-square evaluation, which passing would keep, is more than any move keeps: found among random positions.
ZUGZWANG = [
    "8/8/8/8/1kp5/3p4/3K4/N7 w - - 0 1",
    "8/8/8/B2k4/3p4/1K1p4/P7/8 w - - 0 1",
    "8/8/8/2k5/2p5/3p4/pK6/N7 w - - 0 1",
    "8/8/8/8/p7/P7/B1k5/K7 w - - 0 1",
    "8/8/8/2p5/2P5/k2p4/P1pB4/K7 w - - 0 1",
]
NULL_MOVE = {"null_move_depth": 2, "null_move_base": 2, "null_move_divisor": 8, "null_move_margin": 500}


@pytest.mark.parametrize("fen", ZUGZWANG)
def test_verification_sees_through_zugzwang(fen):
    beta = int(static_evaluation(parse_fen(fen).record, TABLES_RECORD))

    def holds_beta(parameters: dict[str, int]) -> bool:
        bench = Workbench(parse_fen(START), PLAIN | {"use_network": 0} | parameters)
        bench.this["stack"][0]["move"] = 1  # the move before was no null move
        bench.this["stack"][1]["position"] = parse_fen(fen).record
        score = negamax(bench.this, TABLES_RECORD, 1, 5, beta - 1, beta, 0)
        assert bench.this["null_move_min_ply"] == 0  # what holds during verification is taken back
        return score >= beta

    assert not holds_beta({})
    assert holds_beta(NULL_MOVE | {"null_move_verification_depth": 6})
    assert not holds_beta(NULL_MOVE | {"null_move_verification_depth": 1})


def test_the_search_stops_at_its_node_limit():
    bench = Workbench(parse_fen(START), PLAIN)
    for limit in (1, 2, 17, 1_000):
        bench.place(parse_fen(START))
        bench.this["node_limit"] = limit
        bench.search(5)
        assert bench.this["nodes"] == limit
        assert bench.this["stopped"]


def test_only_the_moves_allowed_at_the_root_are_searched():
    position = parse_fen(START)
    bench = Workbench(position, PLAIN | {"use_table": 1})
    allowed = [position.parse_move("a2a3"), position.parse_move("h2h4")]
    values = {move: -Workbench(position.after(move), PLAIN).search(2) for move in allowed}
    bench.this["root_moves"]["count"] = len(allowed)
    bench.this["root_moves"]["moves"][: len(allowed)] = allowed
    assert bench.search(3) == max(values.values())
    assert values[bench.line()[0]] == max(values.values())
    entry = recalled(bench, position.key)  # it speaks of all moves: of some, the best is a hint
    assert entry and (entry["move"], entry["bound"]) == (bench.line()[0], int(NO_BOUND))
    assert not bench.this["position_correction"][0, 0, int(position.record["correction_keys"][0]) % CORRECTIONS]
