"""Recipes: every number that makes a network, in one TOML file.

The recipes of Zobra have short names.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from zobra.arena.formats.files import read_toml, typed
from zobra.engine.network_file import OUTPUT_UNITS, WIDTH, WIDTHS
from zobra.train.game_kernel import OTHER_BOUNDS, RULE_BOUNDS, RULE_DEFAULTS
from zobra.train.positions import FILTER_DEFAULTS
from zobra.train.trainer import Schedule

FOLDER = Path(__file__).parent / "recipes"
NAME = re.compile(r"[\w.-]+")  # a valid name of an engine in a match
# Time controls of `zobra match`: at least a millisecond, or a limit above 0.
TIME_CONTROL = re.compile(
    r"(?=0*\.?0{0,2}[1-9])\d*\.?\d+(\+\d*\.?\d+)?|(nodes|movetime|depth)=[1-9]\d*"
)
# Least and largest of each number that could make a step endless or empty; OTHER_BOUNDS of all
# others
LIMITS = {
    **{f"data.rules.{name}": bounds for name, bounds in RULE_BOUNDS.items()},
    **{
        f"training.{name}": (least, inf)
        for name, least in (("epochs", 1), ("batch", 1), ("warmup", 0), ("seed", 0))
    },
    **{f"training.{name}": (0, 1) for name in ("last_rate", "decay", "blend", "last_blend")},
    **{
        "training.rate": (1e-9, 1),
        "training.chance_scale": (10, 10_000),
        "training.validation": (2, inf),
        "filter.thinning": (1, OTHER_BOUNDS[1]),
        "data.games": (1, inf),
        "data.seed": (-inf, inf),
    },
    **{
        "gate.games": (2, inf),
        "gate.least_elo": (-2_000, 2_000),
    },  # a larger difference means all points
}
# Networks that no recipe makes, as values of `network`
FIRST_NAME = "first"  # the one that is computed from piece values (see first_network)
BUILT_IN_NAME = "built-in"  # the one of the engine


@dataclass(frozen=True)
class DataPlan:
    """The games to play, as a set with the name of the recipe; the sets in `also` are trained on as
    well. `network` plays the games: FIRST_NAME, the name of a recipe, or BUILT_IN_NAME. `engine`:
    the commit that plays them, kept with the set. `rules`: see RULE_DEFAULTS.
    """

    games: int = 1_000
    seed: int = 1
    engine: str = ""
    network: str = FIRST_NAME
    also: tuple[str, ...] = ()
    rules: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Gate:
    """The match of a new network against the engine that played its games."""

    games: int = 200
    time_control: str = "2+0.02"
    least_elo: float = 0.0


@dataclass(frozen=True)
class Recipe:
    """A whole recipe, read from `path`.

    `hidden`: neurons for each side; `qb`: what stands for 1.0 in an output weight; `start`: the
    network that training goes on from, named as in DataPlan, or "" for random weights.
    """

    name: str
    hidden: int = WIDTH
    qb: int = 256
    start: str = ""
    data: DataPlan = field(default_factory=DataPlan)
    filter: dict[str, int] = field(default_factory=dict)
    training: Schedule = field(default_factory=Schedule)
    gate: Gate = field(default_factory=Gate)
    path: Path = field(default_factory=Path)

    def facts(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return {name: value for name, value in asdict(self).items() if name != "path"}


def _faults_of_tables(facts: dict[str, Any], given: dict[str, Any]) -> Iterator[str]:
    """Numbers of a recipe that are out of bounds, and names in its file that are not known."""
    rules, kept = RULE_DEFAULTS | facts["data"]["rules"], FILTER_DEFAULTS | facts["filter"]
    given = {"data.rules": given.get("data", {}).get("rules", {}), **given}
    for table, known, values in (
        ("data.rules", RULE_DEFAULTS, rules),
        ("filter", FILTER_DEFAULTS, kept),
        *((table, facts[table], facts[table]) for table in ("data", "training", "gate")),
    ):
        if unknown := sorted(given.get(table, {}).keys() - known):
            yield f"[{table}] has no entry {unknown[0]!r}; it has {', '.join(known)}"
        for name, value in values.items():
            least, most = LIMITS.get(f"{table}.{name}", OTHER_BOUNDS)
            if isinstance(value, int | float) and not least <= value <= most:
                yield (
                    f"{table}.{name} = {value}: it must be "
                    f"{f'at least {least}' if most == inf else f'{least} to {most}'}"
                )


def _faults(facts: dict[str, Any], given: dict[str, Any]) -> Iterator[str]:
    """What would fail only after hours."""
    yield from _faults_of_tables(facts, given)
    if facts["data"]["rules"].get("branches") == 1:
        yield "data.rules.branches = 1: a game must be left to branch off; 0 means no branches"
    if facts["hidden"] not in WIDTHS:
        yield f"hidden = {facts['hidden']}: it must be a multiple of 32, and at most {WIDTH}"
    if facts["qb"] not in OUTPUT_UNITS:
        yield f"qb = {facts['qb']}: it must be one of {', '.join(map(str, OUTPUT_UNITS))}"
    if facts["gate"]["games"] % 2:
        yield (
            f"gate.games = {facts['gate']['games']}: it must be even, as each opening is "
            "played twice"
        )
    if not TIME_CONTROL.fullmatch(facts["gate"]["time_control"]):
        yield (
            f"gate.time_control = {facts['gate']['time_control']!r}: not like 2+0.02 or nodes=5000"
        )
    if not NAME.fullmatch(facts["name"]):
        yield (
            "a recipe's name has letters, digits, and . _ - only, as it names an engine in a match"
        )


def read_recipe(name: str) -> Recipe:
    """Read and check a recipe, by one of Zobra's names or by path; ValueError or OSError names file
    and mistake.
    """
    path = next((path for path in (Path(name), FOLDER / f"{name}.toml") if path.is_file()), None)
    if path is None:
        known = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
        raise ValueError(f"there is no recipe {name!r}: neither a file nor one of {known}")
    content = read_toml(path)
    if unknown := content.keys() - {"hidden", "qb", "start", "data", "filter", "training", "gate"}:
        known = "hidden, qb, start, [data], [filter], [training] and [gate]"
        raise ValueError(f"{path}: it has {known}, and nothing like {sorted(unknown)}")
    try:
        recipe = replace(typed(Recipe, content | {"name": path.stem}), path=path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for fault in _faults(recipe.facts(), content):
        raise ValueError(f"{path}: {fault}")
    return recipe
