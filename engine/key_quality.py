"""The quality of the Zobrist numbers as vectors over GF(2), in which addition is exclusive or.

Two positions collide when the numbers in which they differ add up to zero. So a set of numbers is
good if no small subset of it does (is "dependent"). The Hamming distance of two numbers, often
taken as a measure of quality, says nothing: it changes with the basis in which the vectors are
written, and the collisions do not.

Source of the argument: Sven Reichard, Computer Chess Club, 5 December 2001.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from zobra.engine.board import PIECE_LETTERS, SQUARE_NAMES

# Eight of the published numbers that add up to zero. Two are pawns on the first and last rank, so
# no two positions collide.
KNOWN_DEPENDENT = ("pg8", "Pa1", "nf2", "Bg6", "Bc7", "Ra5", "Qg3", "Kd4")
PARTS = 8  # sums are compared in this many portions, which need about 200 MB each for sums of three


def number_names() -> list[str]:
    """Return the names of the published numbers in order.

    They are 'pa1' for Black's pawn on a1, …, 'castling K', 'en passant a', 'White'.
    """
    pieces = [PIECE_LETTERS[piece ^ 1] + square for piece in range(12) for square in SQUARE_NAMES]
    return [
        *pieces,
        *(f"castling {wing}" for wing in "KQkq"),
        *(f"en passant {file}" for file in "abcdefgh"),
        "White",
    ]


def rank(vectors: Iterable[int]) -> int:
    """Return the dimension of the space that the vectors span, at most 64 for 64 bits."""
    basis: dict[int, int] = {}  # by the highest bit
    for vector in vectors:
        rest = int(vector)
        while rest and rest.bit_length() in basis:
            rest ^= basis[rest.bit_length()]
        if rest:
            basis[rest.bit_length()] = rest
    return len(basis)


def _sums(vectors: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """Yield all sums of at most `most` (1 to 3) different vectors, in chunks."""
    yield np.zeros(1, np.uint64)
    yield vectors
    if most >= 2:
        first, second = np.triu_indices(len(vectors), 1)
        pairs = vectors[first] ^ vectors[second]
        yield pairs
        if most == 3:
            for index, vector in enumerate(vectors):
                yield pairs[np.searchsorted(first, index, side="right") :] ^ vector


def has_dependent_subset(vectors: np.ndarray, largest: int) -> bool:
    """Return whether a subset of at most `largest` (2, 4 or 6) vectors adds up to zero.

    The search is exhaustive: such a subset falls into two halves with the same sum, so all sums of
    half as many are compared.
    """
    if largest not in (2, 4, 6):
        raise ValueError(f"subsets are searched up to a size of 2, 4 or 6, not {largest}")
    for part in range(PARTS):
        portion = np.sort(
            np.concatenate(
                [sums[sums % np.uint64(PARTS) == part] for sums in _sums(vectors, largest // 2)]
            )
        )
        if (portion[1:] == portion[:-1]).any():
            return True
    return False


def expected_dependent(count: int, size: int, bits: int = 64) -> float:
    """Return the expected number of dependent subsets of a size among `count` random vectors.

    Subsets of two are pairs that collide.
    """
    return math.comb(count, size) / 2.0**bits


def low_bits(keys: np.ndarray, bits: int) -> np.ndarray:
    """Return the keys truncated to their low bits."""
    return keys & np.uint64((1 << bits) - 1)


def colliding_pairs(keys: np.ndarray, bits: int) -> int:
    """Return how many pairs of keys have the same low bits. The keys must be distinct."""
    _, counts = np.unique(low_bits(keys, bits), return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def fill_buckets(present: np.ndarray, index_bits: int, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of 2^index_bits buckets, indexed by the low bits of the keys.

    It is an array of keys of shape (buckets, slots), and the number of used slots in each bucket.
    """
    buckets = low_bits(present, index_bits).astype(np.int64)
    order = np.argsort(buckets, kind="stable")
    ordered = buckets[order]
    place = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    kept = place < slots
    table = np.zeros((1 << index_bits, slots), np.uint64)
    table[ordered[kept], place[kept]] = present[order][kept]
    return table, np.bincount(ordered[kept], minlength=1 << index_bits)


def false_matches(
    table: tuple[np.ndarray, np.ndarray], absent: np.ndarray, signature_bits: int
) -> tuple[int, float]:
    """Return the number of type-1 errors of a table, and the expected number.

    In such an error an absent key matches an entry, because only `signature_bits` above the index
    are compared. Each used entry of the bucket matches with probability 2^-signature_bits.
    """
    stored, used = table
    index_bits = len(used).bit_length() - 1
    shift = np.uint64(index_bits)
    buckets = low_bits(absent, index_bits).astype(np.int64)
    wanted = low_bits(absent >> shift, signature_bits)

    is_used = used[buckets][:, None] > np.arange(stored.shape[1])
    is_same = low_bits(stored[buckets] >> shift, signature_bits) == wanted[:, None]
    matches = int((is_same & is_used).sum())
    return matches, float(used[buckets].sum()) / 2.0**signature_bits
