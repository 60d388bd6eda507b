"""The scale of scores: the distance to mate."""

import numpy as np
import pytest

from zobra.engine.scores import DRAW, INFINITY, LONGEST_MATE, MATE, MAX_PLY, NO_SCORE, is_mate, mate_in_moves


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
