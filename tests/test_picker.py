"""The staged picker: every legal move exactly once, whatever the table proposes, and in the promised order."""

import random

import chess
import numpy as np
import pytest

from tests.search_kernels import PICKED, Bench, cutoff, known_of, pick_all, picker_perft
from tests.search_oracles import exchange_value, immediate_gain, move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.generator import NOISY
from zobra.engine.perft import count_leaves
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.picker import BAD_NOISY, GOOD_NOISY, MAKE_NOISY, QUIETS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
CHESS960 = "nrbbqk1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/NRBBQK1R w KQkq - 4 4"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"


def pick(bench: Bench, table_move: int = 0, noisy_only: bool = False) -> list[tuple[int, int]]:
    """[(move, stage)] in the order of the picker."""
    picked = np.zeros(1, PICKED)
    pick_all(bench.this, TABLES_RECORD, 0, table_move, noisy_only, picked[0])
    count = int(picked[0]["count"])
    return [(int(picked[0]["moves"][index]), int(picked[0]["stages"][index])) for index in range(count)]


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def proposal(source: random.Random, legal: list[int]) -> int:
    """A table move: a legal one, garbage, or none."""
    return source.choice([0, source.randrange(1 << 16), *source.sample(legal, min(2, len(legal)))])


@pytest.mark.parametrize("chess960", [False, True])
def test_every_legal_move_once(chess960):
    source = random.Random(51)
    bench = Bench(parse_fen(START))
    for board in random_boards(52 + chess960, 12, 150, chess960):
        position = Position.from_board(board)
        bench.place(position)
        legal = position.legal_moves()
        table_move = proposal(source, legal)
        picked = [move for move, _ in pick(bench, table_move)]
        assert sorted(picked) == sorted(legal), f"{board.fen()} {table_move}"
        if table_move in legal:
            assert picked[0] == table_move


def test_noisy_only_yields_what_loses_nothing():
    bench = Bench(parse_fen(START))
    yielded = refused = 0
    for board in random_boards(54, 10, 150):
        position = Position.from_board(board)
        bench.place(position)
        moves = move_numbers(position, board)
        wanted = {number for number, move in moves.items() if is_noisy(board, move) and exchange_value(board, move) >= 0}
        picked = [move for move, _ in pick(bench, noisy_only=True)]
        assert sorted(picked) == sorted(wanted), board.fen()
        yielded += len(wanted)
        refused += len(set(position.legal_moves(int(NOISY))) - wanted)
    assert yielded > 100
    assert refused > 100


def test_stages_come_in_order():
    """Table move, good noisy ones by what they win, quiet ones by history, bad noisy ones."""
    source = random.Random(55)
    bench = Bench(parse_fen(START))
    random_values = np.random.default_rng(56)
    for name in ("quiet_history", "pawn_history", "continuation_history"):
        bench.this[name] = random_values.integers(-9_000, 9_000, bench.this[name].shape)
    seen = set()
    for board in random_boards(57, 10, 150):
        position = Position.from_board(board)
        bench.place(position)
        moves = move_numbers(position, board)
        quiet = [number for number, move in moves.items() if not is_noisy(board, move)]
        if len(quiet) < 4:
            continue
        table_move = source.choice(quiet)
        picked = pick(bench, table_move)
        order = [move for move, _ in picked]
        good = [n for n, m in moves.items() if is_noisy(board, m) and exchange_value(board, m) >= 0]
        bad = [n for n, m in moves.items() if is_noisy(board, m) and exchange_value(board, m) < 0]
        rest = [move for move in quiet if move != table_move]
        end_of_good, end_of_quiet = 1 + len(good), 1 + len(good) + len(rest)
        assert order[0] == table_move
        assert set(order[1:end_of_good]) == set(good)
        gains = [immediate_gain(board, moves[move]) for move in order[1:end_of_good]]
        assert gains == sorted(gains, reverse=True)
        values = [int(known_of(bench.this, 0, move, True)) for move in order[end_of_good:end_of_quiet]]
        assert values == sorted(values, reverse=True)
        assert set(order[end_of_quiet:]) == set(bad)
        stages = [stage for _, stage in picked]
        assert stages == sorted(stages)
        seen |= set(stages)
    assert seen == {int(s) for s in (MAKE_NOISY, GOOD_NOISY, QUIETS, BAD_NOISY)}


def test_takers_that_were_best_before_come_first():
    position = parse_fen("4k3/8/8/3q4/2P5/4N3/8/3RK3 w - - 0 1")
    bench = Bench(position)
    takers = [position.parse_move(text) for text in ("e3d5", "c4d5", "d1d5")]
    for move, depth in zip(takers, (9, 6, 3), strict=True):
        cutoff(bench.this, 0, move, False, depth)
    assert [move for move, _ in pick(bench)][:3] == takers


def test_a_losing_capture_that_was_often_best_is_not_put_off():
    position = parse_fen("4k3/2p5/3p4/8/8/8/3R4/4K3 w - - 0 1")
    losing = position.parse_move("d2d6")  # a rook for a protected pawn
    for weight, stage in ((0, BAD_NOISY), (256, GOOD_NOISY)):
        bench = Bench(position, {"capture_history_weight": weight})
        for _ in range(60):
            cutoff(bench.this, 0, losing, False, 20)
        assert [found for move, found in pick(bench) if move == losing] == [stage]


def test_in_check_all_evasions_are_picked():
    position = parse_fen("4k3/8/8/8/1b6/8/8/R2QK2R w KQ - 0 1")
    assert position.in_check
    assert sorted(move for move, _ in pick(Bench(position), 0xFFFF)) == sorted(position.legal_moves())


@pytest.mark.parametrize(("fen", "depth"), [(START, 4), (KIWIPETE, 3), (ENDGAME, 4), (CHESS960, 3), (PROMOTIONS, 4)])
def test_perft_through_the_picker(fen, depth):
    position = parse_fen(fen)
    assert picker_perft(Bench(position).this, TABLES_RECORD, 0, depth) == count_leaves(position, depth)
