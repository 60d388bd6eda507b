"""The scale of scores: internal units, and distance to mate.

An output of 1.0 of the network is 400 internal units. They become centipawns when a score is shown
(`normalised` in search/wdl.py).
"""

import numpy as np

MAX_PLY = 128  # deepest node of a search, in plies from the root

INFINITY = np.int64(32_000)
MATE = np.int64(31_000)  # the side to move is mated: -MATE + plies from the root
LONGEST_MATE = MATE - np.int64(2 * MAX_PLY)  # a score of at least this announces a mate
NO_SCORE = np.int64(32_001)  # a value that no search returns
DRAW = np.int64(0)


def is_mate(score: int) -> bool:
    """Return whether a score announces a mate, for either side."""
    return abs(score) >= int(LONGEST_MATE)


def mate_in_moves(score: int) -> int:
    """Return the moves to the mate that `score` announces.

    As in UCI, they are positive if the side to move gives mate.
    """
    plies = int(MATE) - abs(score)
    return (plies + 1) // 2 if score > 0 else -(plies // 2)
