"""What a match result means: Elo, normalised Elo, likelihood of superiority, and the sequential probability ratio test.

Counts are either trinomial (losses, draws, wins of single games) or pentanomial (pairs of games with reversed colours that
scored 0, 1/2, 1, 3/2, 2). Pairs are the better unit, as both games of a pair share an opening. The formulas are those of
fastchess and fishtest, after Michel Van den Bergh, "Comments on Normalized Elo" (2021).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

NORMALIZED, LOGISTIC = "normalized", "logistic"
MODELS = (NORMALIZED, LOGISTIC)
# one unit of normalised Elo, so that it equals logistic Elo near zero for drawless games
_ELO_PER_SIGMA = 800 / math.log(10)
MOST_ELO = 5_000  # that a hypothesis may name: beyond it scores are 0 or 1 but for rounding
Z_95 = NormalDist().inv_cdf(0.975)  # standard deviations on either side hold 95 %
# stands for a count of zero, so that every outcome stays possible
_ALMOST_ZERO = 1e-3


@dataclass(frozen=True)
class Estimate:
    """Strength of the first side with 95 % margins; `score` is points per game, the ratios are shares of units.

    Elo is infinite after a clean sweep. What is unknown when all results are alike is NaN: the margin of Elo, and
    normalised Elo away from 50 %.
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
    """A sequential test of H1 "at least elo1 stronger" against H0 "at most elo0", with its error probabilities."""

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
        if min(self.alpha, self.beta) <= 0 or self.alpha + self.beta >= 1:
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
        """The log-likelihood ratio of H1 against H0, given trinomial or pentanomial counts; 0 without any."""
        if not sum(counts):
            return 0.0
        regular = [count or _ALMOST_ZERO for count in counts]
        total = sum(regular)
        shares, scores = [count / total for count in regular], _scores(counts)
        if self.model == LOGISTIC:
            likeliest = [_likeliest_with_score(shares, scores, score_of_elo(elo)) for elo in (self.elo0, self.elo1)]
        else:
            unit = math.sqrt(_games_per_unit(counts)) / _ELO_PER_SIGMA
            likeliest = [_likeliest_with_t_value(shares, scores, elo * unit) for elo in (self.elo0, self.elo1)]
        return total * sum(share * math.log(p1 / p0) for share, p0, p1 in zip(shares, *likeliest, strict=True))


def estimate(counts: Sequence[int]) -> Estimate:
    """Elo and its company from trinomial or pentanomial counts. Raises ValueError without any game."""
    total = sum(counts)
    if not total:
        raise ValueError("no games to estimate from")
    shares, scores = [count / total for count in counts], _scores(counts)
    score, variance = _mean_and_variance(shares, scores)
    deviation = math.sqrt(variance / total)
    low, high = score - Z_95 * deviation, score + Z_95 * deviation
    sigma = math.sqrt(variance * _games_per_unit(counts))
    middle = len(counts) // 2
    decisive = total - counts[middle]
    return Estimate(
        score=score,
        elo=elo_of_score(score),
        elo_margin=(elo_of_score(high) - elo_of_score(low)) / 2 if deviation and low > 0 and high < 1 else math.nan,
        normalized_elo=(score - 0.5) / sigma * _ELO_PER_SIGMA if sigma else 0.0 if score == 0.5 else math.nan,
        normalized_margin=Z_95 / math.sqrt(total * _games_per_unit(counts)) * _ELO_PER_SIGMA,
        superiority=NormalDist().cdf(_ratio(score - 0.5, deviation)),
        draw_ratio=shares[middle],
        decisive_ratio=_ratio(sum(counts[middle + 1 :]), sum(counts[:middle])) if decisive else math.nan,
    )


def elo_of_score(score: float) -> float:
    """Logistic Elo difference that gives this expected score."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return 400 * math.log10(score / (1 - score))


def score_of_elo(elo: float) -> float:
    """Expected score of the side that is `elo` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def _ratio(above: float, below: float) -> float:
    """Quotient where a division by zero gives infinity, and zero by zero gives zero."""
    return above / below if below else math.copysign(math.inf, above) if above else 0.0


def _scores(counts: Sequence[int]) -> list[float]:
    return [index / (len(counts) - 1) for index in range(len(counts))]


def _games_per_unit(counts: Sequence[int]) -> int:
    return (len(counts) - 1) // 2


def _mean_and_variance(shares: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    return mean, sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True))


def _tilted(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """The distribution nearest to `shares` in likelihood under which `values` have mean zero (proposition 1.1)."""
    from scipy.optimize import brentq

    def mean(theta: float) -> float:
        return sum(share * value / (1 + theta * value) for share, value in zip(shares, values, strict=True))

    if not min(values) < 0 < max(values):
        raise ValueError("mean zero is out of reach")
    low, high = -1 / max(values), -1 / min(values)
    edge = (high - low) * 1e-13
    theta = brentq(mean, low + edge, high - edge, xtol=1e-12)
    return [share / (1 + theta * value) for share, value in zip(shares, values, strict=True)]


def _likeliest_with_score(shares: Sequence[float], scores: Sequence[float], score: float) -> list[float]:
    return _tilted(shares, [value - score for value in scores])


def _likeliest_with_t_value(shares: Sequence[float], scores: Sequence[float], t_value: float) -> list[float]:
    """Maximum likelihood under (mean - 1/2) / sigma = t_value, by the fixed-point iteration of section 4.1.

    It starts from the uniform distribution or, where extreme counts allow no step from there, from the likeliest one with
    a mean of about this t value. NaN when neither leads anywhere.
    """
    uniform = [1 / len(shares)] * len(shares)
    for start in (lambda: uniform, lambda: _likeliest_with_means_t_value(shares, scores, t_value)):
        try:
            return _iterate_to_t_value(shares, scores, t_value, start())
        except (ValueError, ZeroDivisionError):
            continue
    return [math.nan] * len(shares)


def _likeliest_with_means_t_value(shares: Sequence[float], scores: Sequence[float], t_value: float) -> list[float]:
    """Among the likeliest distributions of each mean, the one that has this t value."""
    from scipy.optimize import brentq

    def excess(mean: float) -> float:
        _, variance = _mean_and_variance(_likeliest_with_score(shares, scores, mean), scores)
        return mean - 0.5 - t_value * math.sqrt(variance)

    return _likeliest_with_score(shares, scores, brentq(excess, 1e-6, 1 - 1e-6))


def _iterate_to_t_value(
    shares: Sequence[float], scores: Sequence[float], t_value: float, likeliest: list[float]
) -> list[float]:
    for _ in range(100):
        mean, variance = _mean_and_variance(likeliest, scores)
        sigma = math.sqrt(variance)
        values = [score - 0.5 - t_value * sigma * (1 + ((score - mean) / sigma) ** 2) / 2 for score in scores]
        before, likeliest = likeliest, _tilted(shares, values)
        if max(abs(old - new) for old, new in zip(before, likeliest, strict=True)) < 1e-7:
            break
    return likeliest
