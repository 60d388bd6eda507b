"""How the strength of the first of two engines looked after each pair of games."""

import math
from dataclasses import dataclass

from zobra.arena.report_games import Match
from zobra.arena.results import Results
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


def strength_over_time(match: Match) -> list[Strength]:
    """The course of the estimate, at a few hundred points at most; the last one is that after all games."""
    step = max(2, 2 * math.ceil(len(match.games) / 2 / _MOST_POINTS))
    results, course = Results(match.engines), []
    for number, game in enumerate(match.games, start=1):
        results.add(game.record)
        if number % step == 0 or number == len(match.games):
            counts = tuple(results.best_counts(match.engines[0]))
            course.append(Strength(number, counts, estimate(counts), match.sprt.llr(counts) if match.sprt else None))
    return course
