"""Simultaneous perturbation stochastic approximation (SPSA): the gradient of strength, estimated from games.

Every iteration perturbs all numbers at once, each up or down by its c; one side plays with the perturbed values, the other with
the opposite ones. The result moves all numbers a little towards the better side. J. C. Spall, "An Overview of the Simultaneous
Perturbation Method" (1998); the gains, with c_end and r_end for the last iteration, are those of fishtest and OpenBench.

The numbers come from a TOML file with a table [parameter.NAME] for each, or by name from the engine's own options. Keys of a
table: default, low, high, c_end and r_end; what is left out comes from the engine's spin option.
"""

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chess.engine import Option

from zobra.arena.files import read_toml

_SHARE_OF_RANGE = 1 / 20  # c_end where none is given, as a share of the range
_KEYS = ("default", "low", "high", "c_end", "r_end")
PARAMETER_FORM = "NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]"
SMALLEST_C = 0.5  # half a unit: less would often leave a whole number where it is


@dataclass(frozen=True)
class Tunable:
    """A whole number to tune. In the last iteration `c_end` is its perturbation and `r_end` its learning rate."""

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
    """The decay of perturbation and learning rate; `stability` is the share of iterations that damps the first."""

    iterations: int
    alpha: float = 0.602
    gamma: float = 0.101
    stability: float = 0.1

    def perturbation(self, tunable: Tunable, iteration: int) -> float:
        """c: the perturbation of a number in an iteration (counted from 0)."""
        return tunable.c_end * (self.iterations / (iteration + 1)) ** self.gamma

    def step(self, tunable: Tunable, iteration: int) -> float:
        """How far a number moves in an iteration for each point of the better side's lead."""
        damping = self.stability * self.iterations
        decay = ((damping + self.iterations) / (damping + iteration + 1)) ** self.alpha
        return tunable.r_end * tunable.c_end**2 * decay / self.perturbation(tunable, iteration)


class Spsa:
    """The present values, and how an iteration changes them. The same seed gives the same perturbations."""

    def __init__(self, tunables: Sequence[Tunable], gains: Gains, seed: int) -> None:
        self.tunables, self._gains, self._seed = tunables, gains, seed
        self.values = {tunable.name: float(tunable.default) for tunable in tunables}

    def sides(self, iteration: int) -> list[dict[str, int]]:
        """The values of the two sides of an iteration, rounded up or down at random, so that fractions count."""
        rounding = random.Random(f"{self._seed}/{iteration}/rounding")
        signs, sides = self._signs(iteration), list[dict[str, int]]([{}, {}])
        for side, direction in zip(sides, (1, -1), strict=True):
            for one in self.tunables:
                perturbed = self.values[one.name] + direction * signs[one.name] * self._gains.perturbation(one, iteration)
                side[one.name] = math.floor(one.within(perturbed) + rounding.random())
        return sides

    def learn(self, iteration: int, lead: int) -> None:
        """The first side of an iteration won `lead` games more than it lost."""
        signs = self._signs(iteration)
        for one in self.tunables:
            move = self._gains.step(one, iteration) * signs[one.name] * lead
            self.values[one.name] = one.within(self.values[one.name] + move)

    def _signs(self, iteration: int) -> dict[str, int]:
        generator = random.Random(f"{self._seed}/{iteration}/signs")
        return {tunable.name: generator.choice((-1, 1)) for tunable in self.tunables}


def tunables(path: Path | None, texts: Sequence[str], spins: Mapping[str, Option]) -> list[Tunable]:
    """The numbers of the file, and those named on the command line (PARAMETER_FORM). Raises ValueError, also for what is no
    spin option of the engine or exceeds its bounds; OSError."""
    tables = read_toml(path).get("parameter") if path else {}
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ValueError(f"{path}: no tables [parameter.NAME]")
    for name, key, value in ((name, key, value) for name, table in tables.items() for key, value in table.items()):
        if key not in _KEYS:
            raise ValueError(f"{path}: {name}: {key} is none of {', '.join(_KEYS)}")
        if type(value) not in (int, float):
            raise ValueError(f"{path}: {name}: {key} must be a number")
    for text in texts:
        name, separator, rest = text.partition("=")
        try:
            numbers = [float(number) for number in rest.split(",")] if separator else []
        except ValueError:
            numbers = []
        if separator and not 3 <= len(numbers) <= len(_KEYS):
            raise ValueError(f"--parameter {text}: not {PARAMETER_FORM}")
        tables[name.strip()] = dict(zip(_KEYS, numbers, strict=False))
    if not tables:
        raise ValueError("nothing to tune: name a file of parameters or, with --parameter, some of the engine's options")
    found = []
    for name, table in tables.items():
        if name not in spins:
            raise ValueError(f"the engine has no spin option {name} (it has: {', '.join(spins) or 'none'})")
        spin: dict[str, Any] = {"default": spins[name].default, "low": spins[name].min, "high": spins[name].max}
        values = spin | table
        if not spin["low"] <= values["low"] <= values["high"] <= spin["high"]:
            raise ValueError(f"{name}: the engine takes {spin['low']} to {spin['high']}")
        c_end = max(SMALLEST_C, (values["high"] - values["low"]) * _SHARE_OF_RANGE)
        found.append(Tunable(name, **({"c_end": c_end} | values)))
    return found


def as_toml(chosen: Sequence[Tunable], values: Mapping[str, float]) -> str:
    """These numbers with other defaults, in the form of the file."""
    tables = []
    for entry in chosen:
        name = entry.name if entry.name.isidentifier() and entry.name.isascii() else json.dumps(entry.name, ensure_ascii=False)
        lines = [f"{key} = {getattr(entry, key):.15g}" for key in _KEYS[1:]]
        tables.append("\n".join([f"[parameter.{name}]", f"default = {round(values[entry.name])}", *lines, ""]))
    return "\n".join(tables)
