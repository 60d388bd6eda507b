"""Statistics of match results: Elo, normalised Elo, likelihood of superiority and SPRT.

The SPRT is the sequential probability ratio test. Counts are either trinomial (losses, draws, wins
of single games) or pentanomial (pairs of games with reversed colours that scored 0, 1/2, 1, 3/2,
2). Pairs are the better unit, because both games of a pair share an opening. The formulas are those
of fastchess and fishtest, after Michel Van den Bergh, "Comments on Normalized Elo" (2021).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy

NORMALIZED = "normalized"
LOGISTIC = "logistic"
MODELS = (NORMALIZED, LOGISTIC)
# The unit of normalised Elo, so that it equals logistic Elo near zero for games without draws
_ELO_PER_SIGMA = 800 / math.log(10)
MOST_ELO = 5_000  # that a hypothesis may name: beyond it scores are 0 or 1 but for rounding
# So many standard deviations to either side of the mean hold 95 %
Z_95 = NormalDist().inv_cdf(0.975)
_ALMOST_ZERO = 1e-3  # stands for a count of zero, so that every outcome stays possible


class Estimate(NamedTuple):
    """Strength of the first side with 95 % margins.

    `score` is points per game; the ratios are shares of games or pairs. Elo is infinite after a
    clean sweep. If all results are alike, its margin is NaN, and so is normalised Elo unless it is
    0.
    """

    score: float
    elo: float
    elo_margin: float
    normalized_elo: float
    normalized_margin: float
    superiority: float
    draw_ratio: float
    decisive_ratio: float


@dataclass(frozen=True)
class Sprt:
    """A sequential test of H1 "at least elo1 stronger" against H0 "at most elo0 stronger".

    `alpha` and `beta` are its error probabilities.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = NORMALIZED

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"SPRT: elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})")
        if max(abs(self.elo0), abs(self.elo1)) > MOST_ELO:
            raise ValueError(f"SPRT: elo0 and elo1 must be between -{MOST_ELO} and {MOST_ELO}")
        is_positive = self.alpha > 0 and self.beta > 0
        if not is_positive or not self.alpha + self.beta < 1:  # NaN is refused too
            raise ValueError("SPRT: alpha and beta must be above 0 and together below 1")
        if self.model not in MODELS:
            raise ValueError(f"SPRT: unknown model {self.model!r} (known: {', '.join(MODELS)})")

    @property
    def limits(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted (Wald's bounds)."""
        lower = math.log(self.beta / (1 - self.alpha))
        upper = math.log((1 - self.beta) / self.alpha)
        return lower, upper

    @property
    def text(self) -> str:
        """The hypotheses, as match runners print them."""
        return f"[{self.elo0:.2f}, {self.elo1:.2f}] {self.model}"

    def verdict(self, llr: float) -> str | None:
        """Return H0 or H1 once it is accepted, otherwise None."""
        lower, upper = self.limits
        if llr >= upper:
            return "H1"
        if llr <= lower:
            return "H0"
        return None

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 against H0, which is 0 before the first game.

        `counts` are trinomial or pentanomial.
        """
        if not any(counts):
            return 0.0
        regular = numpy.array([count or _ALMOST_ZERO for count in counts])
        p0 = self._likeliest(regular, self.elo0)
        p1 = self._likeliest(regular, self.elo1)
        return float(regular @ numpy.log(p1 / p0))

    def _likeliest(self, counts: numpy.ndarray, elo: float) -> numpy.ndarray:
        """Return the most likely distribution of outcomes under a difference of strength."""
        shares = counts / counts.sum()
        scores = numpy.linspace(0, 1, len(counts))
        if self.model == LOGISTIC:
            return _tilted(shares, scores - score_of_elo(elo))
        unit = math.sqrt(len(counts) // 2) / _ELO_PER_SIGMA
        return _likeliest_with_t_value(shares, scores, elo * unit)


def estimate(counts: Sequence[int]) -> Estimate:
    """Return Elo and the other statistics of trinomial or pentanomial counts.

    Raise ValueError if there are no games.
    """
    total = sum(counts)  # units: games, or pairs of games
    games = len(counts) // 2  # in each
    if not total:
        raise ValueError("no games to estimate from")
    shares = numpy.array(counts) / total
    score, deviation = _mean_and_deviation(shares, numpy.linspace(0, 1, len(counts)))

    reach = Z_95 * deviation / math.sqrt(total)
    elo_margin = math.nan
    if deviation and score - reach > 0 and score + reach < 1:
        elo_margin = (elo_of_score(score + reach) - elo_of_score(score - reach)) / 2

    sigma = deviation * math.sqrt(games)
    normalized_elo = 0.0 if score == 0.5 else math.nan
    if sigma:
        normalized_elo = (score - 0.5) / sigma * _ELO_PER_SIGMA

    won = sum(counts[games + 1 :])
    lost = sum(counts[:games])
    decisive_ratio = math.inf if won else math.nan
    if lost:
        decisive_ratio = won / lost
    return Estimate(
        score=score,
        elo=elo_of_score(score),
        elo_margin=elo_margin,
        normalized_elo=normalized_elo,
        normalized_margin=Z_95 / math.sqrt(total * games) * _ELO_PER_SIGMA,
        superiority=NormalDist().cdf((score - 0.5) * math.sqrt(total) / (deviation or 1e-12)),
        draw_ratio=counts[games] / total,
        decisive_ratio=decisive_ratio,
    )


def elo_of_score(score: float) -> float:
    """Return the logistic Elo difference for an expected score."""
    if 0 < score < 1:
        return 400 * math.log10(score / (1 - score))
    return math.copysign(math.inf, score - 0.5)


def sweep_bound(games: int) -> float:
    """Return the 95 % lower bound on the Elo difference after `games` games, all won.

    A side whose lead is smaller wins all of them in fewer than 5 of 100 such matches.
    """
    return elo_of_score(0.05 ** (1 / games))


def score_of_elo(elo: float) -> float:
    """Return the expected score for a logistic Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def _mean_and_deviation(shares: numpy.ndarray, scores: numpy.ndarray) -> tuple[float, float]:
    mean = float(shares @ scores)
    return mean, math.sqrt(shares @ (scores - mean) ** 2)


def _tilted(shares: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    """Return the distribution nearest to `shares` in which `values` have mean zero.

    Nearest is meant in likelihood (proposition 1.1). Raise ValueError if there is none.
    """
    from scipy.optimize import brentq

    smallest = float(values.min())
    largest = float(values.max())
    if not smallest < 0 < largest:
        raise ValueError("no distribution has mean zero")
    low = -1 / largest
    high = -1 / smallest
    edge = (high - low) * 1e-13

    # Plain numbers are faster than short arrays
    pairs = list(zip(shares.tolist(), values.tolist(), strict=True))

    def mean(theta: float) -> float:
        return sum(share * value / (1 + theta * value) for share, value in pairs)

    theta = brentq(mean, low + edge, high - edge, xtol=1e-12)
    return shares / (1 + theta * values)


def _likeliest_with_t_value(
    shares: numpy.ndarray, scores: numpy.ndarray, t_value: float
) -> numpy.ndarray:
    """Return the most likely distribution with (mean - 1/2) / sigma = t_value.

    The iteration starts from the uniform distribution. If extreme counts allow no step from there,
    it starts from the one with this t value among the most likely distributions for each mean.
    Return NaN if both fail.
    """
    from scipy.optimize import brentq

    def excess(mean: float) -> float:
        _, sigma = _mean_and_deviation(_tilted(shares, scores - mean), scores)
        return mean - 0.5 - t_value * sigma

    uniform = numpy.full(len(shares), 1 / len(shares))
    try:
        return _fixed_point(uniform, shares, scores, t_value)
    except ValueError:
        pass
    try:
        start = _tilted(shares, scores - brentq(excess, 1e-6, 1 - 1e-6))
        return _fixed_point(start, shares, scores, t_value)
    except ValueError:
        return shares * math.nan


def _fixed_point(
    likeliest: numpy.ndarray, shares: numpy.ndarray, scores: numpy.ndarray, t_value: float
) -> numpy.ndarray:
    """Return the limit of section 4.1's fixed-point iteration. Raise ValueError without one."""
    for _ in range(100):
        mean, sigma = _mean_and_deviation(likeliest, scores)
        if not sigma:
            raise ValueError("all on one score")
        values = scores - 0.5 - t_value * sigma * (1 + ((scores - mean) / sigma) ** 2) / 2
        before = likeliest
        likeliest = _tilted(shares, values)
        if abs(before - likeliest).max() < 1e-7:
            break
    return likeliest
