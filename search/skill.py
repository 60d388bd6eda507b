"""Play below full strength: fewer nodes per move, and a noisy choice among the best lines.

A level is an Elo number on the scale of Stockfish's UCI_Elo at 5+0.05; `benchmarks/strength.py`
plays the matches for it.
"""

import math
import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zobra.engine.scores import is_mate
from zobra.search.options import MAX_SKILL

CANDIDATES = 4  # lines to choose among


class Skill(NamedTuple):
    """A limited strength: at most `nodes` positions per move, and misjudged candidates.

    The error of each candidate's score has a standard deviation of `noise` internal units.
    """

    nodes: int
    noise: float


# By Elo. Between two points the logarithm of the nodes, and the noise, are straight lines. The
# points fit matches against Stockfish 15.1 (docs/strength.md), whose UCI_Elo ends at 2850; that of
# 3000 comes from a match against 2850, and from there on twice the nodes are taken for 70 Elo.
# Noise needs candidates to choose among: 60 nodes rarely reach a second one, 300 nearly always do.
CALIBRATION = {
    1000: Skill(400, 500.0),
    1400: Skill(500, 110.0),
    1800: Skill(2_700, 14.0),
    2200: Skill(17_000, 0.0),
    2600: Skill(100_000, 0.0),
    3000: Skill(280_000, 0.0),
    3190: Skill(1_800_000, 0.0),
}
LOWEST = min(CALIBRATION)
HIGHEST = max(CALIBRATION)


def skill_from_elo(elo: int) -> Skill:
    """Return the strength for an Elo number; numbers beyond the table are clipped to it."""
    levels = list(CALIBRATION)
    nodes, noise = zip(*CALIBRATION.values(), strict=True)
    log_nodes = float(np.interp(elo, levels, np.log(nodes)))
    deviation = float(np.interp(elo, levels, noise))
    return Skill(round(math.exp(log_nodes)), deviation)


def skill_from_level(level: int) -> Skill | None:
    """Return the strength for a Skill Level, or None for the highest, which is unrestricted.

    The levels are spread evenly over the table of Elo numbers.
    """
    if level >= MAX_SKILL:
        return None
    return skill_from_elo(LOWEST + (HIGHEST - LOWEST) * max(level, 0) // MAX_SKILL)


def choose(scores: Sequence[int], skill: Skill | None, source: random.Random) -> int:
    """Return the index of the best score after random noise is added to each.

    `scores` are in order, best first. The index is 0 without noise, or if the first score is a
    mate.
    """
    if skill is None or not skill.noise or is_mate(scores[0]):
        return 0
    noise = skill.noise
    return max(range(len(scores)), key=lambda index: scores[index] + source.gauss(0, noise))
