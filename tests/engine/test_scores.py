"""The scale of scores: the distance to mate."""

import numpy as np

from zobra.engine.scores import (
    DRAW,
    INFINITY,
    LONGEST_MATE,
    MATE,
    MAX_PLY,
    NO_SCORE,
    is_mate,
    mate_in_moves,
)


def test_plies_to_mate_are_counted_in_moves():
    """An odd number of plies means that the side to move mates, an even one that it is mated."""
    for plies, moves in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (MAX_PLY, MAX_PLY // 2)):
        assert mate_in_moves(int(MATE) - plies) == moves
    for plies, moves in ((0, 0), (2, 1), (4, 2), (MAX_PLY, MAX_PLY // 2)):
        assert mate_in_moves(plies - int(MATE)) == -moves


def test_scores_of_mate_and_others_do_not_overlap():
    for sign in (-1, 1):
        assert all(is_mate(sign * int(score)) for score in (MATE, MATE - MAX_PLY, LONGEST_MATE))
        assert not is_mate(sign * (int(LONGEST_MATE) - 1))
    assert not is_mate(int(DRAW))
    assert MATE < INFINITY < NO_SCORE <= np.iinfo(np.int16).max  # the table keeps scores in 16 bits
