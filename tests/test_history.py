"""History and killers: bounded, drawn towards their limit, and the two latest."""

import random

import pytest

from tests.search_kernels import Bench, noisy, push_history, reward
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.search.worker import MAX_QUIETS, forget

E2E4 = 12 | 28 << 6
D2D4, G1F3, B1C3 = 11 | 27 << 6, 6 | 21 << 6, 1 | 18 << 6


@pytest.fixture
def bench():
    return Bench(parse_fen(START))


def value(bench: Bench, move: int, side: int = 0) -> int:
    return int(bench.this["history"][side, move & 63, move >> 6 & 63])


@pytest.mark.parametrize("limit", [1_024, 16_384, 32_000])
def test_never_beyond_the_limit(limit):
    bench = Bench(parse_fen(START), {"history_limit": limit})
    source = random.Random(61)
    for _ in range(3_000):
        bonus = source.choice([limit, -limit, source.randint(-limit, limit), source.randint(-30, 30)])
        push_history(bench.this, 0, E2E4, bonus)
        assert abs(value(bench, E2E4)) <= limit


@pytest.mark.parametrize("sign", [1, -1])
def test_the_limit_is_neared_ever_more_slowly(bench, sign):
    before, step = 0, 1 << 30
    for _ in range(200):
        push_history(bench.this, 0, E2E4, sign * 500)
        now = sign * value(bench, E2E4)
        assert 0 <= now - before <= step
        before, step = now, max(now - before, 1)
    assert 16_000 < before <= 16_384


def test_one_bonus_from_nothing_is_the_bonus(bench):
    push_history(bench.this, 1, E2E4, 300)
    assert (value(bench, E2E4, 1), value(bench, E2E4, 0)) == (300, 0)
    push_history(bench.this, 1, E2E4, -300)
    assert -10 <= value(bench, E2E4, 1) <= 10


def test_reward_raises_the_move_and_lowers_those_tried_before(bench):
    bench.this["frames"][0]["quiets"][:3] = (D2D4, G1F3, B1C3)
    reward(bench.this, 0, E2E4, 2, 3)
    bonus = 32 * 3 * 3
    assert [value(bench, move) for move in (E2E4, D2D4, G1F3, B1C3)] == [bonus, -bonus, -bonus, 0]
    assert not bench.this["history"][1].any()


def test_reward_is_bounded_at_every_depth(bench):
    bench.this["frames"][0]["quiets"][:MAX_QUIETS] = range(1, MAX_QUIETS + 1)
    for depth in (1, 22, 23, 127):
        reward(bench.this, 0, E2E4, MAX_QUIETS, depth)
    assert value(bench, E2E4) == 16_384
    assert bench.this["history"].min() == -16_384


def test_reward_counts_for_the_side_to_move():
    bench = Bench(parse_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"))
    reward(bench.this, 0, E2E4, 0, 1)
    assert (value(bench, E2E4, 0), value(bench, E2E4, 1)) == (0, 32)


def test_killers_are_the_two_latest_and_differ(bench):
    killers = bench.this["frames"][0]["killers"]
    kept = []
    for move in (E2E4, E2E4, D2D4, D2D4, E2E4, G1F3):
        reward(bench.this, 0, move, 0, 1)
        kept.append(tuple(int(killer) for killer in killers))
    assert kept == [(E2E4, 0), (E2E4, 0), (D2D4, E2E4), (D2D4, E2E4), (E2E4, D2D4), (G1F3, E2E4)]
    assert not bench.this["frames"][1]["killers"].any()


def test_forget_forgets(bench):
    reward(bench.this, 0, E2E4, 0, 5)
    forget(bench.array)
    assert not bench.this["history"].any()
    assert not bench.this["frames"]["killers"].any()


def test_noisy_moves_are_captures_and_promotions():
    found = 0
    for board in random_boards(62, 6, 150):
        position = Position.from_board(board)
        for number, move in move_numbers(position, board).items():
            wanted = board.is_capture(move) or move.promotion is not None
            assert bool(noisy(position.record, number)) == wanted, f"{board.fen()} {move}"
            found += wanted
    assert found > 300
