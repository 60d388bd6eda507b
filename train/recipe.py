"""Recipes: every number that makes a network, in one TOML file. Those that come with Zobra go by their bare names."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zobra.engine.layouts import HIDDEN
from zobra.train.game_kernel import OTHER_BOUNDS, RULE_BOUNDS, RULE_DEFAULTS
from zobra.train.positions import FILTER_DEFAULTS
from zobra.train.trainer import Schedule

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "recipes"


class RecipeError(ValueError):
    """A recipe that cannot be followed; the message names the file and the entry."""


@dataclass(frozen=True)
class DataPlan:
    """The games to play: `games` of them, into the set of the recipe's name; the sets in `also` are trained on as well.

    `network` plays them: "" (piece-square values), or the name of the recipe whose network does. `rules` are as RULE_DEFAULTS.
    """

    games: int = 1_000
    seed: int = 1
    network: str = ""
    also: tuple[str, ...] = ()
    rules: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Gate:
    """The match that a new network has to win: against what played its games, at a time control."""

    games: int = 200
    time_control: str = "2+0.02"
    least_elo: float = 0.0


@dataclass(frozen=True)
class Recipe:
    """All of it; `hidden` is the number of neurons for each side."""

    name: str
    hidden: int
    data: DataPlan
    filter: dict[str, int]
    training: Schedule
    gate: Gate

    def facts(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return asdict(self)


def _checked(table: dict[str, Any], defaults: dict[str, Any], path: Path, name: str) -> dict[str, Any]:
    """The entries of a table of the file, which must be known and of the kind that their default is of."""
    for key, value in table.items():
        if key not in defaults:
            raise RecipeError(f"{path}: [{name}] has no entry {key!r}; it has {', '.join(defaults)}")
        wanted = {float: (float, int), tuple: (list,)}.get(type(defaults[key]), (type(defaults[key]),))
        listed = value if isinstance(value, list) else []
        if not isinstance(value, wanted) or isinstance(value, bool) or not all(isinstance(entry, str) for entry in listed):
            raise RecipeError(f"{path}: [{name}] {key} = {value!r} is of the wrong kind")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _check_ranges(data: DataPlan, training: Schedule, path: Path) -> None:
    """Numbers with which a step would never end, or have nothing to do."""
    wanted: dict[str, tuple[int, int, int | None]]
    wanted = {"data.games": (data.games, 1, None), "training.epochs": (training.epochs, 1, None)}
    wanted |= {"training.seed": (training.seed, 0, None), "training.batch": (training.batch, 1, None)}
    wanted |= {"training.validation": (training.validation, 2, None)}
    wanted |= {f"data.rules.{name}": (value, *RULE_BOUNDS.get(name, OTHER_BOUNDS)) for name, value in data.rules.items()}
    for name, (value, least, most) in wanted.items():
        if value < least or (most is not None and value > most):
            limits = f"at least {least}" if most is None else f"{least} to {most}"
            raise RecipeError(f"{path}: {name} = {value}: it must be {limits}")


def recipe_path(name: str) -> Path:
    """The file that a name or a path stands for; RecipeError if there is none."""
    for path in (Path(name), FOLDER / f"{name}.toml"):
        if path.is_file():
            return path
    known = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
    raise RecipeError(f"there is no recipe {name!r}: neither a file nor one of {known}")


def read_recipe(name: str) -> Recipe:
    """Read and check a recipe; RecipeError says what is wrong with it."""
    path = recipe_path(name)
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise RecipeError(f"{path}: {error}") from error
    parts = {key: content.pop(key, {}) for key in ("data", "filter", "training", "gate")}
    hidden = content.pop("hidden", HIDDEN)
    if content or not all(isinstance(part, dict) for part in parts.values()):
        raise RecipeError(f"{path}: it has hidden, [data], [filter], [training] and [gate], and nothing like {list(content)}")
    if not isinstance(hidden, int) or not 1 <= hidden <= HIDDEN:
        raise RecipeError(f"{path}: hidden = {hidden!r}; this engine takes 1 to {HIDDEN} neurons")
    data = DataPlan(**_checked(parts["data"], asdict(DataPlan()), path, "data"))
    _checked(data.rules, RULE_DEFAULTS, path, "data.rules")
    kept = _checked(parts["filter"], FILTER_DEFAULTS, path, "filter")
    training = Schedule(**_checked(parts["training"], asdict(Schedule()), path, "training"))
    gate = Gate(**_checked(parts["gate"], asdict(Gate()), path, "gate"))
    _check_ranges(data, training, path)
    return Recipe(path.stem, hidden, data, kept, training, gate)
