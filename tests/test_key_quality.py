"""What is said of the keys, against brute force on small cases."""

import itertools
import math
from functools import reduce
from operator import xor

import numpy as np
import pytest

from zobra.engine import key_quality as quality
from zobra.engine.zobrist import published_keys


def random_vectors(count: int, bits: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 1 << bits, count, dtype=np.uint64)


def span(vectors: list[int]) -> set[int]:
    return {reduce(xor, chosen, 0) for size in range(len(vectors) + 1) for chosen in itertools.combinations(vectors, size)}


def brute_force_dependent(vectors: list[int], largest: int) -> int:
    """Size of a smallest subset that adds up to zero; 0 if there is none."""
    for size in range(1, largest + 1):
        if any(reduce(xor, chosen) == 0 for chosen in itertools.combinations(vectors, size)):
            return size
    return 0


@pytest.mark.parametrize("seed", range(20))
def test_rank_is_the_dimension_of_the_span(seed):
    vectors = random_vectors(8, 3 + seed % 7, seed).tolist()
    assert len(span(vectors)) == 2 ** quality.rank(vectors)


@pytest.mark.parametrize("seed", range(40))
def test_the_smallest_dependent_subset_is_found(seed):
    vectors = random_vectors(11, 5 + seed % 12, seed)
    for largest in (2, 4, 6):
        found = quality.smallest_dependent(vectors, largest)
        assert len(found) == brute_force_dependent(vectors.tolist(), largest)
        assert len(set(found)) == len(found) and reduce(xor, vectors[list(found)].tolist(), 0) == 0


def test_every_size_of_dependent_subset_occurs_in_these_tests():
    units = [1 << bit for bit in range(20)]
    for size in range(2, 7):
        vectors = np.array([*units, reduce(xor, units[: size - 1])], np.uint64)
        assert len(quality.smallest_dependent(vectors, 6)) == size
    assert quality.smallest_dependent(np.array([5, 0, 7], np.uint64), 2) == (1,)
    assert quality.smallest_dependent(np.array([*units, reduce(xor, units[:6])], np.uint64), 6) == ()
    with pytest.raises(ValueError, match="not 5"):
        quality.smallest_dependent(published_keys(), 5)


def test_the_published_numbers():
    numbers, names = published_keys(), quality.number_names()
    assert len(numbers) == len(names) == len(set(numbers.tolist())) == len(set(names)) == 781
    assert quality.rank(numbers) == 64
    assert quality.smallest_dependent(numbers, 4) == ()
    assert reduce(xor, (int(numbers[names.index(name)]) for name in quality.KNOWN_DEPENDENT)) == 0
    assert quality.hamming_extremes(numbers) == (14, 52)


@pytest.mark.slow
def test_no_six_of_the_published_numbers_add_up_to_zero():
    told: list[float] = []
    assert quality.smallest_dependent(published_keys(), 6, told.append) == ()
    assert told == sorted(told) and told[-1] == 1


def test_another_basis_keeps_every_sum_and_changes_the_distances():
    vectors = random_vectors(12, 10, 3)
    rewritten = quality.coordinates(vectors)
    assert quality.rank(rewritten) == quality.rank(vectors)
    for size in range(1, 7):
        for chosen in itertools.combinations(range(len(vectors)), size):
            before, after = (reduce(xor, (int(these[index]) for index in chosen)) for these in (vectors, rewritten))
            assert (before == 0) == (after == 0)
    assert quality.hamming_extremes(np.array(quality.coordinates(published_keys()), np.uint64))[0] <= 2


def test_equal_distances_may_hide_a_dependence():
    """Sven Reichard's example: three vectors at the best of distances, which add up to zero."""
    vectors = np.array([0b11110000, 0b11001100, 0b00111100], np.uint64)
    assert quality.hamming_extremes(vectors) == (4, 4)
    assert quality.smallest_dependent(vectors, 4) == (0, 1, 2) and quality.rank(vectors) == 2


@pytest.mark.parametrize("bits", [3, 6, 20])
def test_colliding_pairs_are_counted(bits):
    keys = random_vectors(60, 63, bits)
    pairs = itertools.combinations(keys.tolist(), 2)
    assert quality.colliding_pairs(keys, bits) == sum((one ^ other) % (1 << bits) == 0 for one, other in pairs)


def test_the_birthday_prediction():
    assert quality.expected_pairs(23, 3) == 23 * 22 / 2 / 8
    same_day = sum(math.prod(1 - day / 365 for day in range(people)) for people in range(366))
    assert quality.expected_first_collision(16) == pytest.approx(math.sqrt(math.pi / 2) * 256)
    assert math.sqrt(math.pi / 2 * 365) == pytest.approx(same_day, rel=0.03)
    assert quality.expected_dependent(781, 2) == 781 * 780 / 2 / 2**64


def test_first_collisions_of_random_words_come_when_predicted():
    mean, runs = quality.mean_first_collision(random_vectors(200_000, 63, 5), 12)
    assert runs == 1000 and mean == pytest.approx(quality.expected_first_collision(12), rel=0.08)  # five standard deviations
    repeating = np.tile(np.arange(10, dtype=np.uint64), 100)
    assert quality.mean_first_collision(repeating, 8)[0] == 11
    assert quality.mean_first_collision(repeating, 32) == (0.0, 0)


def test_buckets_keep_the_first_that_fit():
    stored, used = quality.fill_buckets(np.array([1, 9, 2, 17, 25], np.uint64), 3, 3)
    assert used.tolist() == [0, 3, 1, 0, 0, 0, 0, 0]
    assert stored[1].tolist() == [1, 9, 17] and stored[2][0] == 2


def test_false_matches_are_counted_as_predicted():
    present, absent = (
        np.array([0b1010_01, 0b1111_01, 0b0000_10], np.uint64),
        np.array([0b0010_01, 0b1111_10, 0b10_00], np.uint64),
    )
    table = quality.fill_buckets(present, 2, 4)
    assert quality.false_matches(table, absent, 2, 4) == (0, 3 / 16)
    assert quality.false_matches(table, absent, 2, 3) == (1, 3 / 8)
    keys = random_vectors(60_000, 63, 8)
    table = quality.fill_buckets(keys[:20_000], 12, 4)
    matches, expected = quality.false_matches(table, keys[20_000:], 12, 8)
    assert expected == pytest.approx(40_000 * table[1].mean() / 256, rel=0.01) and matches == pytest.approx(expected, rel=0.2)
