"""Claims of well-known texts about Zobrist keys that the engine relies on; docs/zobrist.md lists all of them."""

import random

import numpy as np
import pytest

from zobra.engine import key_quality as quality
from zobra.engine.fen import START, parse_fen

NUMBERS = 781
ALL_BITS = (1 << 64) - 1


def key_after(moves: str, fen: str = START) -> int:
    position = parse_fen(fen)
    for move in moves.split():
        position = position.after(position.parse_move(move))
    return position.key


def pairs_of_sums_that_collide(numbers: list[int], lowest_bit: int) -> tuple[int, float]:
    """Pairs among all sums of two numbers that agree in 16 bits, and how many to expect."""
    vectors = np.array(numbers, np.uint64)
    first, second = np.triu_indices(len(vectors), 1)
    sums = (vectors[first] ^ vectors[second]) >> np.uint64(lowest_bit)
    return quality.colliding_pairs(sums, 16), quality.expected_pairs(len(sums), 16)


def test_transpositions_have_one_key():
    assert key_after("e2e4 e7e5 g1f3 b8c6") == key_after("g1f3 b8c6 e2e4 e7e5")
    assert key_after("g1f3 g8f6 f3g1 f6g8") == key_after("")


def test_a_double_step_that_no_pawn_can_answer_leaves_no_trace():
    """Hashing the square after every double step, as simple engines do, would tell equal positions apart."""
    assert key_after("e2e4") == parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").key
    assert key_after("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8") == key_after("e2e4 e7e5")


def test_a_generator_of_63_bits_loses_half_of_all_keys():
    source = random.Random(1)
    assert quality.rank([source.randrange((1 << 63) - 1) for _ in range(NUMBERS)]) == 63


def test_overlapping_calls_of_rand_collide_more_often():
    """Five results of C's rand(), 15 bits apart, joined by OR: sound where rand() has 15 bits, not where it has 31."""
    source = random.Random(1)
    results = {}
    for bits in (15, 31):
        numbers = []
        for _ in range(NUMBERS):
            parts = [source.getrandbits(bits) << shift for shift in (0, 15, 30, 45)]
            numbers.append((parts[0] | parts[1] | parts[2] | parts[3] | source.getrandbits(4) << 60) & ALL_BITS)
        found, expected = pairs_of_sums_that_collide(numbers, 32)
        results[bits] = found / expected
    assert results[15] == pytest.approx(1, abs=0.1) and results[31] > 2


def test_the_birthday_arithmetic_of_the_texts():
    assert quality.expected_first_collision(32) / 2**16 == pytest.approx(1.25, abs=0.01)  # "around 65 thousand"
    assert quality.expected_first_collision(64) / 2**32 == pytest.approx(1.25, abs=0.01)  # "about 4 billion"
    assert quality.expected_first_collision(48) / 2**24 == pytest.approx(1.25, abs=0.01)  # "16 million"
    assert quality.expected_pairs(2, 64) == 2.0**-64  # "1 in 10^19 for any two positions"
    assert quality.expected_pairs(10**9, 64) == pytest.approx(0.027, abs=0.001)  # not "10^-10"
