"""What is said of the keys, against brute force on small cases."""

import itertools
from functools import reduce
from operator import xor

import numpy as np
import pytest

from zobra.engine import key_quality as quality
from zobra.engine.zobrist import PUBLISHED_KEYS


def random_vectors(count: int, bits: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 1 << bits, count, dtype=np.uint64)


def sums(vectors: np.ndarray, largest: int) -> set[int]:
    """What the subsets of one to `largest` vectors add up to, by trying them all."""
    found = set()
    for size in range(1, largest + 1):
        found |= {reduce(xor, each) for each in itertools.combinations(vectors.tolist(), size)}
    return found


def test_rank_is_the_dimension_of_the_span():
    for seed in range(20):
        vectors = random_vectors(8, 3 + seed % 7, seed)
        assert len({0} | sums(vectors, 8)) == 2 ** quality.rank(vectors)


def test_dependent_subsets_are_found():
    for seed, largest in itertools.product(range(20), (2, 4, 6)):
        vectors = random_vectors(11, 5 + seed % 12, seed)
        is_dependent = 0 in sums(vectors, largest)
        assert quality.has_dependent_subset(vectors, largest) == is_dependent


def test_a_zero_vector_is_dependent_alone():
    assert quality.has_dependent_subset(np.array([5, 0, 7], np.uint64), 2)
    with pytest.raises(ValueError, match="not 5"):
        quality.has_dependent_subset(PUBLISHED_KEYS, 5)


def test_the_published_numbers():
    names = quality.number_names()
    assert len(PUBLISHED_KEYS) == len(names) == len(set(names)) == 781
    assert quality.rank(PUBLISHED_KEYS) == 64
    assert not quality.has_dependent_subset(PUBLISHED_KEYS, 4)
    dependent = [int(PUBLISHED_KEYS[names.index(name)]) for name in quality.KNOWN_DEPENDENT]
    assert reduce(xor, dependent) == 0


@pytest.mark.slow
def test_no_six_of_the_published_numbers_add_up_to_zero():
    assert not quality.has_dependent_subset(PUBLISHED_KEYS, 6)


@pytest.mark.parametrize("bits", [3, 6, 20])
def test_colliding_pairs_are_counted(bits):
    keys = random_vectors(60, 63, bits)
    pairs = itertools.combinations(keys.tolist(), 2)
    colliding = [pair for pair in pairs if xor(*pair) % (1 << bits) == 0]
    assert quality.colliding_pairs(keys, bits) == len(colliding)


def test_the_birthday_prediction():
    assert quality.expected_dependent(23, 2, 3) == 23 * 22 / 2 / 8


def test_buckets_keep_the_first_that_fit():
    stored, used = quality.fill_buckets(np.array([1, 9, 2, 17, 25], np.uint64), 3, 3)
    assert used.tolist() == [0, 3, 1, 0, 0, 0, 0, 0]
    assert stored[1].tolist() == [1, 9, 17]
    assert stored[2][0] == 2


def test_false_matches_are_counted_as_predicted():
    present = np.array([0b1010_01, 0b1111_01, 0b0000_10], np.uint64)
    absent = np.array([0b0010_01, 0b1111_10, 0b10_00], np.uint64)
    table = quality.fill_buckets(present, 2, 4)
    assert quality.false_matches(table, absent, 4) == (0, 3 / 16)
    assert quality.false_matches(table, absent, 3) == (1, 3 / 8)
    keys = random_vectors(60_000, 63, 8)
    table = quality.fill_buckets(keys[:20_000], 12, 4)
    matches, expected = quality.false_matches(table, keys[20_000:], 8)
    assert expected == pytest.approx(40_000 * table[1].mean() / 256, rel=0.01)
    assert matches == pytest.approx(expected, rel=0.2)
