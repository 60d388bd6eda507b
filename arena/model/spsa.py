"""SPSA: simultaneous perturbation stochastic approximation of the best values of parameters.

It estimates the gradient of strength from games. Every iteration perturbs all parameters at once,
each up or down by its c; one side plays with these values, the other with the opposite ones. The
result moves all parameters a little towards the better side. J. C. Spall, "An Overview of the
Simultaneous Perturbation Method" (1998); the gains, with c_end and r_end for the last iteration,
are those of fishtest and OpenBench.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ELO = 1600 / math.log(10)  # for a whole point of score, near an even match
ITERATIONS_EACH = 10  # for each number, before effects are shown
SMALLEST_C = 0.5  # half a unit: less would often leave an integer unchanged


@dataclass(frozen=True)
class Tunable:
    """An integer parameter to tune.

    `c_end` and `r_end` are its perturbation and its learning rate in the last iteration.
    """

    name: str
    default: float
    low: float
    high: float
    c_end: float
    r_end: float = 0.002

    def __post_init__(self) -> None:
        if self.low == self.high:
            raise ValueError(f"{self.name}: its bounds are the same, {self.low:g}")
        if not self.low <= self.default <= self.high:
            raise ValueError(
                f"{self.name}: {self.default:g} is not between {self.low:g} and {self.high:g}"
            )
        if not (self.c_end >= SMALLEST_C and self.r_end > 0):
            raise ValueError(f"{self.name}: c_end must be at least {SMALLEST_C}, and r_end above 0")


@dataclass(frozen=True)
class Gains:
    """The gain sequences of SPSA: how perturbation and learning rate decay over the iterations.

    The stability constant A, which keeps the first steps small, is `stability` times the number of
    iterations.
    """

    iterations: int
    alpha: float = 0.602
    gamma: float = 0.101
    stability: float = 0.1

    def perturbation(self, tunable: Tunable, iteration: int) -> float:
        """Return c, the perturbation of a parameter in an iteration (counted from 0)."""
        return tunable.c_end * (self.iterations / (iteration + 1)) ** self.gamma

    def step(self, tunable: Tunable, iteration: int) -> float:
        """Return the step of a parameter for each game that one side won more than lost."""
        damping = self.stability * self.iterations
        decay = ((damping + self.iterations) / (damping + iteration + 1)) ** self.alpha
        return tunable.r_end * tunable.c_end**2 * decay / self.perturbation(tunable, iteration)


class Spsa:
    """The current values of the parameters, and the iterations that change them.

    The same seed gives the same perturbations.
    """

    def __init__(self, tunables: Sequence[Tunable], gains: Gains, seed: int) -> None:
        self.tunables = tunables
        self._gains = gains
        self._seed = seed
        self.values = {tunable.name: float(tunable.default) for tunable in tunables}

    def sides(self, iteration: int) -> list[dict[str, int]]:
        """Return the perturbed values of both sides in an iteration, as integers.

        They are rounded up with a probability of their fraction, so that on average fractions
        count.
        """
        rounding = random.Random(f"{self._seed}/{iteration}/rounding")
        signs = self.signs(iteration)
        sides = []
        for direction in (1, -1):
            side = {}
            for one in self.tunables:
                step = direction * signs[one.name] * self._gains.perturbation(one, iteration)
                perturbed = min(max(self.values[one.name] + step, one.low), one.high)
                side[one.name] = math.floor(perturbed + rounding.random())
            sides.append(side)
        return sides

    def learn(self, iteration: int, lead: int) -> None:
        """Move the values, given that the first side won `lead` games more than it lost."""
        signs = self.signs(iteration)
        for one in self.tunables:
            move = self._gains.step(one, iteration) * signs[one.name] * lead
            self.values[one.name] = min(max(self.values[one.name] + move, one.low), one.high)

    def signs(self, iteration: int) -> dict[str, int]:
        """Return the direction of each parameter for the first side of an iteration, by name.

        1 is the upper value, -1 the lower one.
        """
        generator = random.Random(f"{self._seed}/{iteration}/signs")
        return {tunable.name: generator.choice((-1, 1)) for tunable in self.tunables}


def effects(signs: np.ndarray, scores: np.ndarray) -> list[tuple[float, float]]:
    """Return the Elo gain of the upper value of each parameter, with its standard error.

    It is estimated by least squares over `signs`, of shape (iterations, parameters), and `scores`,
    of shape (iterations,), of the first side. It is right only if the values have hardly moved.
    """
    design = np.column_stack([signs, np.ones(len(signs))])
    covariance = np.linalg.pinv(design.T @ design)
    slopes = covariance @ design.T @ scores
    residuals = scores - design @ slopes
    freedom = max(1, len(scores) - design.shape[1])
    errors = np.sqrt(covariance.diagonal() * (residuals**2).sum() / freedom)
    pairs = zip(slopes[:-1], errors[:-1], strict=True)
    return [(ELO * slope, ELO * error) for slope, error in pairs]
