"""How the strength of the first of two engines looked after each pair of games."""

import math
from dataclasses import dataclass

from zobra.arena.report_games import Match
from zobra.arena.statistics import Estimate, estimate

_MOST_POINTS = 250


@dataclass(frozen=True)
class Strength:
    """The estimate after some games, from counts of pairs by points (0, 1/2, 1, 3/2, 2), or of games (lost, drawn, won)
    while no pair is whole; with the log-likelihood ratio where the match has an SPRT."""

    games: int
    counts: tuple[int, ...]
    estimate: Estimate
    llr: float | None

    @property
    def interval(self) -> tuple[float, float, float]:
        """Elo with the ends of its 95 % interval, NaN where it is infinite or cannot be told."""
        elo, margin = self.estimate.elo, self.estimate.elo_margin
        return (elo, elo - margin, elo + margin) if math.isfinite(elo) else (math.nan, math.nan, math.nan)


def strength(match: Match) -> Strength:
    """The estimate after all games. Raises ValueError without any."""
    return _after(match, len(match.games))


def strength_over_time(match: Match) -> list[Strength]:
    """The course of the estimate, at a few hundred points at most."""
    step = max(2, 2 * math.ceil(len(match.games) / 2 / _MOST_POINTS))
    ends = [*range(step, len(match.games), step), len(match.games)]
    return [_after(match, end) for end in ends]


def _after(match: Match, games: int) -> Strength:
    pairs: dict[int, list[float]] = {}
    for game in match.games[:games]:
        pairs.setdefault(game.pair, []).append(game.points_of(match.engines[0]))
    whole = [sum(points) for points in pairs.values() if len(points) == 2]
    single = [points for pair in pairs.values() for points in pair]
    counts = tuple(whole.count(half / 2) for half in range(5)) if whole else tuple(map(single.count, (0, 0.5, 1)))
    return Strength(games, counts, estimate(counts), match.sprt.llr(counts) if match.sprt else None)
