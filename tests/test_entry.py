"""One table entry: every field comes back as it went in, and mate scores count from where they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search_kernels import call, unpacked
from zobra.engine.scores import LONGEST_MATE, MATE, MAX_PLY, NO_SCORE
from zobra.tt.entry import ENTRY, pack, score_from_table, score_to_table

SCORES = st.integers(-32_000, 32_001)
ENTRIES = st.fixed_dictionaries(
    {
        "move": st.integers(0, 0xFFFF),
        "score": SCORES,
        "evaluation": SCORES,
        "depth": st.integers(0, 255),
        "bound": st.integers(0, 3),
        "generation": st.integers(0, 63),
    }
)


def packed(values: dict[str, int]) -> int:
    return call(pack, **values)


def to_table(score: int, ply: int) -> int:
    return call(score_to_table, score=score, ply=ply)


def from_table(score: int, ply: int) -> int:
    return call(score_from_table, score=score, ply=ply)


@given(ENTRIES)
def test_every_field_comes_back(values):
    assert unpacked(packed(values)) == values


@given(ENTRIES, ENTRIES)
def test_different_entries_are_different_words(one, other):
    assert (packed(one) == packed(other)) == (one == other)


@pytest.mark.parametrize("score", [-32_000, -31_000, -1, 0, 1, 31_000, int(NO_SCORE)])
def test_signs_survive(score):
    values = {
        "move": 0xFFFF,
        "score": score,
        "evaluation": -1 if score >= 0 else 1,
        "depth": 255,
        "bound": 3,
        "generation": 63,
    }
    assert unpacked(packed(values)) == values


def test_an_entry_is_sixteen_bytes():
    assert ENTRY.itemsize == 16


@given(SCORES, st.integers(0, MAX_PLY))
def test_conversion_is_undone(score, ply):
    if abs(score) < int(LONGEST_MATE) or MAX_PLY <= int(MATE) - abs(score) <= 2 * MAX_PLY:
        assert from_table(to_table(score, ply), ply) == score


@given(st.integers(0, MAX_PLY), st.integers(0, MAX_PLY), st.integers(0, MAX_PLY))
def test_mate_scores_keep_their_distance_at_another_ply(stored_at, distance, read_at):
    """A mate in `distance` plies from a position is that far from it wherever in the tree it is met."""
    mate = int(MATE)
    winning, losing = mate - (stored_at + distance), -mate + (stored_at + distance)
    in_table = to_table(winning, stored_at)
    assert in_table == mate - distance
    assert from_table(in_table, read_at) == mate - (read_at + distance)
    in_table = to_table(losing, stored_at)
    assert in_table == -mate + distance
    assert from_table(in_table, read_at) == -mate + (read_at + distance)


@given(st.integers(-int(LONGEST_MATE) + 1, int(LONGEST_MATE) - 1), st.integers(0, MAX_PLY))
def test_other_scores_are_left_alone(score, ply):
    assert to_table(score, ply) == from_table(score, ply) == score
