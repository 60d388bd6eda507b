"""Recipes: every number that makes a network, in one TOML file. The recipes of Zobra have short names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zobra.arena.files import read_toml
from zobra.engine.network_file import HIDDEN, WIDTHS
from zobra.train.game_kernel import OTHER_BOUNDS, RULE_BOUNDS, RULE_DEFAULTS
from zobra.train.positions import FILTER_DEFAULTS
from zobra.train.trainer import Schedule

FOLDER = Path(__file__).parent / "recipes"
NAME = re.compile(r"[\w.-]+")  # a valid name of an engine in a match
# Time controls of `zobra match`: at least a millisecond, or a limit above 0.
TIME_CONTROL = re.compile(r"(?=0*\.?0{0,2}[1-9])\d*\.?\d+(\+\d*\.?\d+)?|(nodes|movetime|depth)=[1-9]\d*")
LEAST_RATE = 1e-9
MOST_ELO = 2_000  # a larger difference means all points
BUILT_IN_NAME = "built-in"  # the network of the engine, as a value of `network`


class RecipeError(ValueError):
    """A recipe with a mistake; the message names the file and the entry."""


@dataclass(frozen=True)
class DataPlan:
    """The games to play, as a set with the name of the recipe; the sets in `also` are trained on as well.

    `network` plays the games: "" (piece-square values), the name of a recipe, or BUILT_IN_NAME. `rules`: see RULE_DEFAULTS.
    """

    games: int = 1_000
    seed: int = 1
    network: str = ""
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
    """A whole recipe, read from `path`; `hidden` is the number of neurons for each side."""

    path: Path
    name: str
    hidden: int
    data: DataPlan
    filter: dict[str, int]
    training: Schedule
    gate: Gate

    def facts(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return {name: value for name, value in asdict(self).items() if name != "path"}


def _checked(table: dict[str, Any], defaults: dict[str, Any], path: Path, name: str) -> dict[str, Any]:
    """The entries of a table of the file; RecipeError unless each is known and has the type of its default."""
    for key, value in table.items():
        if key not in defaults:
            raise RecipeError(f"{path}: [{name}] has no entry {key!r}; it has {', '.join(defaults)}")
        wanted = {float: (float, int), tuple: (list,)}.get(type(defaults[key]), (type(defaults[key]),))
        listed = value if isinstance(value, list) else []
        if not isinstance(value, wanted) or isinstance(value, bool) or not all(isinstance(entry, str) for entry in listed):
            raise RecipeError(f"{path}: [{name}] {key} = {value!r} is of the wrong kind")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _ranges(recipe: Recipe) -> Iterator[tuple[str, float, float, float | None]]:
    """Name, value, least and largest value of each number that could make a step endless or empty."""
    data, training = recipe.data, recipe.training
    yield "data.games", data.games, 1, None
    for name, value in data.rules.items():
        yield f"data.rules.{name}", value, *RULE_BOUNDS.get(name, OTHER_BOUNDS)
    for name, value in recipe.filter.items():
        yield f"filter.{name}", value, *OTHER_BOUNDS
    for name, least in (("epochs", 1), ("batch", 1), ("warmup", 0), ("seed", 0), ("validation", 2)):
        yield f"training.{name}", getattr(training, name), least, None
    for name, lowest in (("rate", LEAST_RATE), ("last_rate", 0), ("decay", 0), ("blend", 0), ("last_blend", 0)):
        yield f"training.{name}", getattr(training, name), lowest, 1
    yield "gate.games", recipe.gate.games, 2, None
    yield "gate.least_elo", recipe.gate.least_elo, -MOST_ELO, MOST_ELO


def _check_values(recipe: Recipe, path: Path) -> None:
    """RecipeError for values that would fail only after hours."""
    for name, value, least, most in _ranges(recipe):
        if not (value >= least and (most is None or value <= most)):  # also for NaN
            limits = f"at least {least}" if most is None else f"{least} to {most}"
            raise RecipeError(f"{path}: {name} = {value}: it must be {limits}")
    if recipe.gate.games % 2:
        raise RecipeError(f"{path}: gate.games = {recipe.gate.games}: it must be even, as each opening is played twice")
    if not TIME_CONTROL.fullmatch(recipe.gate.time_control):
        raise RecipeError(f"{path}: gate.time_control = {recipe.gate.time_control!r}: not like 2+0.02 or nodes=5000")
    if not NAME.fullmatch(recipe.name):
        raise RecipeError(f"{path}: a recipe's name has letters, digits, and . _ - only, as it names an engine in a match")


def recipe_path(name: str) -> Path:
    """The file of a recipe, by name or path; RecipeError if there is none."""
    for path in (Path(name), FOLDER / f"{name}.toml"):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
    raise RecipeError(f"there is no recipe {name!r}: neither a file nor one of {known}")


def read_recipe(name: str) -> Recipe:
    """Read and check a recipe; RecipeError names the mistake."""
    path = recipe_path(name)
    try:
        content = read_toml(path)
    except (OSError, ValueError) as error:
        raise RecipeError(str(error)) from error
    parts = {key: content.pop(key, {}) for key in ("data", "filter", "training", "gate")}
    hidden = content.pop("hidden", HIDDEN)
    if content or not all(isinstance(part, dict) for part in parts.values()):
        raise RecipeError(f"{path}: it has hidden, [data], [filter], [training] and [gate], and nothing like {list(content)}")
    if not isinstance(hidden, int) or hidden not in WIDTHS:
        raise RecipeError(f"{path}: hidden = {hidden!r}: it must be a multiple of 32, and at most 512")
    data = DataPlan(**_checked(parts["data"], asdict(DataPlan()), path, "data"))
    _checked(data.rules, RULE_DEFAULTS, path, "data.rules")
    kept = _checked(parts["filter"], FILTER_DEFAULTS, path, "filter")
    training = Schedule(**_checked(parts["training"], asdict(Schedule()), path, "training"))
    gate = Gate(**_checked(parts["gate"], asdict(Gate()), path, "gate"))
    recipe = Recipe(path, path.stem, hidden, data, kept, training, gate)
    _check_values(recipe, path)
    return recipe
