"""The scale of scores: two values in one number, and the distance to mate."""

import random

import numpy as np
import pytest

from zobra.engine import scores
from zobra.engine.jit import INT, entry
from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY, NO_SCORE, is_mate, mate_in_moves, pack, unpack

CORNERS = (0, 1, -1, 100, -100, 32_767, -32_768, 2**31 - 1, -(2**31))


@entry(INT, INT)
def middlegame_of(packed):
    """`middlegame` for Python."""
    return scores.middlegame(packed)


@entry(INT, INT)
def endgame_of(packed):
    """`endgame` for Python."""
    return scores.endgame(packed)


@pytest.mark.parametrize("middle", CORNERS)
@pytest.mark.parametrize("end", CORNERS[:-2])
def test_both_values_come_back_from_a_packed_score(middle, end):
    packed = pack(middle, end)
    assert unpack(packed) == (middle, end) == (middlegame_of(packed), endgame_of(packed))


def test_one_addition_adds_both_values():
    source = random.Random(8)
    total, middle_sum, end_sum = np.int64(0), 0, 0
    for _ in range(2_000):
        middle, end = source.randint(-500, 500), source.randint(-500, 500)
        sign = source.choice((-1, 1))
        total += sign * pack(middle, end)
        middle_sum, end_sum = middle_sum + sign * middle, end_sum + sign * end
        assert (middlegame_of(total), endgame_of(total)) == (middle_sum, end_sum)


@pytest.mark.parametrize(
    ("plies", "moves"),
    [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (MAX_PLY, MAX_PLY // 2)],
)
def test_plies_to_mate_are_counted_in_moves(plies, moves):
    """A side that mates does so with an odd number of plies to go; one that is mated, with an even number."""
    assert mate_in_moves(int(MATE) - plies) == moves
    if plies % 2 == 0:
        assert mate_in_moves(plies - int(MATE)) == -moves


def test_the_side_that_is_mated_now_has_no_moves_left():
    assert mate_in_moves(-int(MATE)) == 0


def test_scores_of_mate_and_others_do_not_overlap():
    deepest = int(MATE) - MAX_PLY
    for sign in (-1, 1):
        assert is_mate(sign * int(MATE)) and is_mate(sign * deepest) and is_mate(sign * int(LONGEST_MATE))
        assert not is_mate(sign * (int(LONGEST_MATE) - 1))
    assert not is_mate(int(DRAW))
    assert MATE < INFINITY < NO_SCORE <= np.iinfo(np.int16).max  # the table keeps scores in 16 bits
