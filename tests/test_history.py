"""Histories: values drawn towards their limit, learned from cutoffs wherever the scores read, and forgotten."""

import random

import numpy as np
import pytest

from tests.search_kernels import Bench, approached, cutoff, known_of, noisy, tried
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.search.parameters import default_parameters
from zobra.search.worker import BEFORE, LIMIT, MAX_TRIED, NOTHING_PLAYED, WORKER, forget

E2E4 = 12 | 28 << 6
D2D4, G1F3, B1C3 = 11 | 27 << 6, 6 | 21 << 6, 1 | 18 << 6
MOST = int(LIMIT)
PARAMETERS = default_parameters()
QUIET_TABLES = 5  # that a quiet score adds up
TAKES = "4k3/8/8/3q4/2P5/4N3/8/3RK3 w - - 0 1"


@pytest.fixture
def bench():
    return Bench(parse_fen(START))


def known(bench: Bench, move: int, is_quiet: bool = True) -> int:
    return int(known_of(bench.this, 0, move, is_quiet))


def bonus_of(depth: int) -> int:
    return min(PARAMETERS["history_slope"] * depth - PARAMETERS["history_offset"], PARAMETERS["history_bonus"])


def test_approach_is_its_formula_and_never_leaves_the_limit():
    source = random.Random(61)
    value = 0
    for _ in range(3_000):
        bonus = source.choice([MOST, -MOST, source.randint(-MOST, MOST), source.randint(-30, 30)])
        wanted = value + bonus - value * abs(bonus) // MOST
        value = int(approached(value, bonus))
        assert value == wanted
        assert abs(value) <= MOST


@pytest.mark.parametrize("sign", [1, -1])
def test_the_limit_is_neared_ever_more_slowly(sign):
    value, step = 0, 1 << 30
    for _ in range(200):
        now = int(approached(value, sign * 500))
        assert 0 <= sign * (now - value) <= step
        value, step = now, max(sign * (now - value), 1)
    assert MOST - 500 < sign * value <= MOST


def test_a_cutoff_raises_the_move_and_lowers_those_tried_before(bench):
    for move in (D2D4, G1F3):
        tried(bench.this, 0, move, True)
    bench.this["played"][BEFORE - 1] = 17  # an earlier move, so that the three continuations are not one value thrice
    bench.this["played"][BEFORE - 2] = 30
    cutoff(bench.this, 0, E2E4, True, 3)
    bonus = bonus_of(3)
    assert [known(bench, move) for move in (E2E4, D2D4, G1F3, B1C3)] == [QUIET_TABLES * b for b in (bonus, -bonus, -bonus, 0)]
    assert not bench.this["quiet_history"][1].any()
    assert not bench.this["capture_history"].any()


def test_a_continuation_counts_only_after_the_same_move(bench):
    bench.this["played"][BEFORE - 4 : BEFORE] = (5, NOTHING_PLAYED, 30, 17)
    cutoff(bench.this, 0, E2E4, True, 4)
    everything = known(bench, E2E4)
    for place, kept in ((1, 4), (2, 4), (4, 4), (3, 5)):  # the move three plies before is not looked at
        before = int(bench.this["played"][BEFORE - place])
        bench.this["played"][BEFORE - place] = 700
        assert known(bench, E2E4) * QUIET_TABLES == everything * kept
        bench.this["played"][BEFORE - place] = before


def test_pawn_history_counts_only_with_the_same_pawns(bench):
    cutoff(bench.this, 0, G1F3, True, 4)
    everything = known(bench, G1F3)
    bench.place(parse_fen("rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq - 0 1"))
    assert known(bench, G1F3) < everything


def test_a_cutoff_by_a_capture_leaves_quiet_moves_alone():
    position = parse_fen(TAKES)
    bench = Bench(position)
    best, other, quiet = (position.parse_move(text) for text in ("e3d5", "c4d5", "e1f1"))
    tried(bench.this, 0, other, False)
    tried(bench.this, 0, quiet, True)
    cutoff(bench.this, 0, best, False, 5)
    assert (known(bench, best, False), known(bench, other, False)) == (bonus_of(5), -bonus_of(5))
    assert known(bench, quiet) == 0


def test_a_cutoff_by_a_quiet_move_lowers_the_captures_before():
    position = parse_fen(TAKES)
    bench = Bench(position)
    capture, quiet = (position.parse_move(text) for text in ("c4d5", "e1f1"))
    tried(bench.this, 0, capture, False)
    cutoff(bench.this, 0, quiet, True, 5)
    assert known(bench, capture, False) == -bonus_of(5)


def test_bonuses_are_bounded_at_every_depth(bench):
    for depth in (1, 22, 127) * 200:
        cutoff(bench.this, 0, E2E4, True, depth)
    assert known(bench, E2E4) <= QUIET_TABLES * MOST
    assert bonus_of(127) == PARAMETERS["history_bonus"]


def test_more_moves_than_there_is_room_for_are_not_remembered(bench):
    frame = bench.this["frames"][0]
    for move in range(1, MAX_TRIED + 20):
        tried(bench.this, 0, move, True)
        tried(bench.this, 0, move + 1_000, False)
    assert list(frame["quiets"]) == list(range(1, MAX_TRIED + 1))
    assert list(frame["noisies"]) == list(range(1_001, MAX_TRIED + 1_001))
    assert (frame["quiet_count"], frame["noisy_count"]) == (MAX_TRIED, MAX_TRIED)


def test_forget_forgets(bench):
    learned = [name for name in WORKER.names or () if name.endswith(("_history", "_correction"))]
    assert len(learned) == 7
    for name in learned:
        bench.this[name] = 9
    forget(bench.array)
    assert not any(np.any(bench.this[name]) for name in learned)


def test_noisy_moves_are_captures_and_promotions():
    found = 0
    for board in random_boards(62, 6, 150):
        position = Position.from_board(board)
        for number, move in move_numbers(position, board).items():
            wanted = board.is_capture(move) or move.promotion is not None
            assert bool(noisy(position.record, number)) == wanted, f"{board.fen()} {move}"
            found += wanted
    assert found > 300
