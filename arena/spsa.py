"""Simultaneous perturbation stochastic approximation: the gradient of strength, guessed from games between two shaken selves.

Every iteration shakes all numbers at once, each up or down by its c, and lets the one side play the other; the result moves all
of them a little towards the side that did better. J. C. Spall, "An Overview of the Simultaneous Perturbation Method" (1998);
the gains, and c_end and r_end that state them for the last iteration, are those of fishtest and OpenBench.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SMALLEST_C = 0.5  # half a unit: less would often leave a whole number where it is


@dataclass(frozen=True)
class Tunable:
    """A whole number to tune. In the last iteration `c_end` is how far it is shaken, `r_end` how far it learns from that."""

    name: str
    default: float
    low: float
    high: float
    c_end: float
    r_end: float = 0.002

    def __post_init__(self) -> None:
        if not self.low <= self.default <= self.high or self.low == self.high:
            raise ValueError(f"{self.name}: {self.default:g} is not between {self.low:g} and {self.high:g}")
        if not self.c_end >= SMALLEST_C:
            raise ValueError(f"{self.name}: c_end {self.c_end:g} is below {SMALLEST_C}, which whole numbers would not feel")
        if not self.r_end > 0:
            raise ValueError(f"{self.name}: r_end must be above 0")

    def within(self, value: float) -> float:
        """The nearest value within the bounds."""
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Gains:
    """How fast shaking and learning fade over the iterations; `stability` is the share of iterations that damps the first."""

    iterations: int
    alpha: float = 0.602
    gamma: float = 0.101
    stability: float = 0.1

    def shake(self, tunable: Tunable, iteration: int) -> float:
        """c: how far a number is shaken in an iteration (counted from 0)."""
        return tunable.c_end * (self.iterations / (iteration + 1)) ** self.gamma

    def step(self, tunable: Tunable, iteration: int) -> float:
        """How far a number moves in an iteration for each game more that the better side won."""
        damping = self.stability * self.iterations
        end = tunable.r_end * tunable.c_end**2
        return end * ((damping + self.iterations) / (damping + iteration + 1)) ** self.alpha / self.shake(tunable, iteration)


class Spsa:
    """The values as they stand, and what an iteration makes of them. The same seed shakes the same ways."""

    def __init__(self, tunables: Sequence[Tunable], gains: Gains, seed: int) -> None:
        self.tunables, self._gains, self._seed = tunables, gains, seed
        self.values = {tunable.name: float(tunable.default) for tunable in tunables}

    def sides(self, iteration: int) -> tuple[dict[str, int], dict[str, int]]:
        """What the two sides of an iteration play with, rounded up or down by chance, so that fractions count."""
        rounding = random.Random(f"{self._seed}/{iteration}/rounding")
        signs = self._signs(iteration)

        def side(direction: int) -> dict[str, int]:
            result = {}
            for tunable in self.tunables:
                shaken = self.values[tunable.name] + direction * signs[tunable.name] * self._gains.shake(tunable, iteration)
                result[tunable.name] = math.floor(tunable.within(shaken) + rounding.random())
            return result

        return side(1), side(-1)

    def learn(self, iteration: int, lead: int) -> None:
        """The first side of an iteration won `lead` games more than it lost."""
        signs: Mapping[str, int] = self._signs(iteration)
        for tunable in self.tunables:
            move = self._gains.step(tunable, iteration) * signs[tunable.name] * lead
            self.values[tunable.name] = tunable.within(self.values[tunable.name] + move)

    def _signs(self, iteration: int) -> dict[str, int]:
        generator = random.Random(f"{self._seed}/{iteration}/signs")
        return {tunable.name: generator.choice((-1, 1)) for tunable in self.tunables}
