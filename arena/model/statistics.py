"""What a match result means: Elo, normalised Elo, likelihood of superiority, and the sequential
probability ratio test.

Counts are either trinomial (losses, draws, wins of single games) or pentanomial (pairs of games
with reversed colours that scored 0, 1/2, 1, 3/2, 2). Pairs are the better unit, as both games of a
pair share an opening. The formulas are those of fastchess and fishtest, after Michel Van den Bergh,
"Comments on Normalized Elo" (2021).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy

NORMALIZED, LOGISTIC = MODELS = ("normalized", "logistic")
_ELO_PER_SIGMA = 800 / math.log(
    10
)  # one unit of normalised Elo, so that it equals logistic Elo near zero for drawless games
MOST_ELO = 5_000  # that a hypothesis may name: beyond it scores are 0 or 1 but for rounding
Z_95 = NormalDist().inv_cdf(0.975)  # standard deviations on either side hold 95 %
_ALMOST_ZERO = 1e-3  # stands for a count of zero, so that every outcome stays possible


class Estimate(NamedTuple):
    """Strength of the first side with 95 % margins; `score` is points per game, the ratios are
    shares of units. Elo is infinite after a clean sweep. When all results are alike, its margin is
    NaN, and so is normalised Elo unless it is 0.
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
    """A sequential test of H1 "at least elo1 stronger" against H0 "at most elo0", with its error
    probabilities.
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
        if not (
            min(self.alpha, self.beta) > 0 and self.alpha + self.beta < 1
        ):  # not for NaN either
            raise ValueError("SPRT: alpha and beta must be above 0 and together below 1")
        if self.model not in MODELS:
            raise ValueError(f"SPRT: unknown model {self.model!r} (known: {', '.join(MODELS)})")

    @property
    def limits(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def text(self) -> str:
        """The hypotheses, as runners print them."""
        return f"[{self.elo0:.2f}, {self.elo1:.2f}] {self.model}"

    def verdict(self, llr: float) -> str | None:
        """H0 or H1 once accepted."""
        lower, upper = self.limits
        return "H1" if llr >= upper else "H0" if llr <= lower else None

    def llr(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 against H0, given trinomial or pentanomial counts; 0
        without any.
        """
        if not any(counts):
            return 0.0
        regular = numpy.array([count or _ALMOST_ZERO for count in counts])
        shares, scores = regular / regular.sum(), numpy.linspace(0, 1, len(counts))
        if self.model == LOGISTIC:
            p0, p1 = (_tilted(shares, scores - score_of_elo(elo)) for elo in (self.elo0, self.elo1))
        else:
            unit = math.sqrt(len(counts) // 2) / _ELO_PER_SIGMA
            p0, p1 = (
                _likeliest_with_t_value(shares, scores, elo * unit)
                for elo in (self.elo0, self.elo1)
            )
        return float(regular @ numpy.log(p1 / p0))


def estimate(counts: Sequence[int]) -> Estimate:
    """Elo and its company from trinomial or pentanomial counts.

    Raises ValueError without any game.
    """
    total, games = sum(counts), len(counts) // 2  # units, and the games of each
    if not total:
        raise ValueError("no games to estimate from")
    score, deviation = _mean_and_deviation(
        numpy.array(counts) / total, numpy.linspace(0, 1, len(counts))
    )
    reach, sigma = Z_95 * deviation / math.sqrt(total), deviation * math.sqrt(games)
    low, high = score - reach, score + reach
    won, lost = sum(counts[games + 1 :]), sum(counts[:games])
    return Estimate(
        score=score,
        elo=elo_of_score(score),
        elo_margin=(elo_of_score(high) - elo_of_score(low)) / 2
        if deviation and low > 0 and high < 1
        else math.nan,
        normalized_elo=(score - 0.5) / sigma * _ELO_PER_SIGMA
        if sigma
        else 0.0
        if score == 0.5
        else math.nan,
        normalized_margin=Z_95 / math.sqrt(total * games) * _ELO_PER_SIGMA,
        superiority=NormalDist().cdf((score - 0.5) * math.sqrt(total) / (deviation or 1e-12)),
        draw_ratio=counts[games] / total,
        decisive_ratio=won / lost if lost else math.inf if won else math.nan,
    )


def elo_of_score(score: float) -> float:
    """Logistic Elo difference that gives this expected score."""
    return (
        400 * math.log10(score / (1 - score))
        if 0 < score < 1
        else math.copysign(math.inf, score - 0.5)
    )


def score_of_elo(elo: float) -> float:
    """Expected score of the side that is `elo` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def _mean_and_deviation(shares: numpy.ndarray, scores: numpy.ndarray) -> tuple[float, float]:
    mean = float(shares @ scores)
    return mean, math.sqrt(shares @ (scores - mean) ** 2)


def _tilted(shares: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    """The distribution nearest to `shares` in likelihood in which `values` have mean zero
    (proposition 1.1), or ValueError.
    """
    from scipy.optimize import brentq

    smallest, largest = float(values.min()), float(values.max())
    if not smallest < 0 < largest:
        raise ValueError("mean zero is out of reach")
    low, high = -1 / largest, -1 / smallest
    edge = (high - low) * 1e-13
    pairs = list(
        zip(shares.tolist(), values.tolist(), strict=True)
    )  # plain numbers are faster than short arrays
    theta = brentq(
        lambda theta: sum(p * v / (1 + theta * v) for p, v in pairs),
        low + edge,
        high - edge,
        xtol=1e-12,
    )
    return shares / (1 + theta * values)


def _likeliest_with_t_value(
    shares: numpy.ndarray, scores: numpy.ndarray, t_value: float
) -> numpy.ndarray:
    """Maximum likelihood under (mean - 1/2) / sigma = t_value, by the fixed-point iteration of
    section 4.1. It starts from the uniform distribution or, where extreme counts allow no step from
    there, from that one among the likeliest distributions of each mean which has this t value. NaN
    when neither leads anywhere.
    """
    from scipy.optimize import brentq

    def excess(mean: float) -> float:
        return mean - 0.5 - t_value * _mean_and_deviation(_tilted(shares, scores - mean), scores)[1]

    for uniform in (True, False):
        try:
            likeliest = (
                shares * 0 + 1 / len(shares)
                if uniform
                else _tilted(shares, scores - brentq(excess, 1e-6, 1 - 1e-6))
            )
            for _ in range(100):
                mean, sigma = _mean_and_deviation(likeliest, scores)
                if not sigma:
                    raise ValueError("all on one score")
                values = scores - 0.5 - t_value * sigma * (1 + ((scores - mean) / sigma) ** 2) / 2
                before, likeliest = likeliest, _tilted(shares, values)
                if abs(before - likeliest).max() < 1e-7:
                    break
            return likeliest
        except ValueError:
            continue
    return shares * math.nan
