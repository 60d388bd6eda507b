"""Recipes: the numbers with which a network is made, in one TOML file.

A recipe is read into the dataclasses below, which give each number's meaning, default and range.
Zobra's own recipes are in the folder `recipes` and are known by their names.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

from zobra.arena.formats.files import read_toml, typed
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.statistics import LOGISTIC, Sprt
from zobra.engine.network_file import OUTPUT_UNITS, SCALE, WIDTH, WIDTHS

FOLDER = Path(__file__).parent / "recipes"
NAME = re.compile(r"[\w.-]+")  # a valid name of an engine in a match

# Networks that no recipe makes
FIRST_NAME = "first"  # computed from the values of pieces and squares (see first_network.py)
BUILT_IN_NAME = "built-in"  # the one of the engine


class Range(NamedTuple):
    """The smallest and the largest allowed value of a number."""

    low: float
    high: float = math.inf


Plies = Annotated[int, Range(0, 200)]
Pieces = Annotated[int, Range(2, 32)]
Fraction = Annotated[float, Range(0, 1)]
# Internal units and small numbers: a score is kept in 16 bits.
Small = Annotated[int, Range(0, 30_000)]
AtLeastOne = Annotated[int, Range(1, 30_000)]


@dataclass(frozen=True)
class GameRules:
    """How a self-play game opens, how deep it is searched, and when it is adjudicated.

    Scores are in internal units. A game also ends as soon as a search announces a mate.
    """

    # Soft and hard limit: a search starts no new depth after `nodes`, and stops at `node_limit`.
    nodes: Annotated[int, Range(1, 1 << 40)] = 800
    node_limit: Annotated[int, Range(500, 1 << 40)] = 8_000

    # The game opens with `opening_plies` random moves, or one more. An opening whose score is
    # outside ±margin is replaced.
    opening_plies: Plies = 8
    opening_margin: Small = 300

    # A win is adjudicated when the score was at least `win_score` for `win_plies` plies in a row.
    win_score: AtLeastOne = 2_000
    win_plies: AtLeastOne = 5

    # A draw is adjudicated when the score was within ±draw_score for `draw_plies` plies in a row,
    # not counting the first `draw_after` plies after the opening.
    draw_score: Small = 8
    draw_plies: AtLeastOne = 12
    draw_after: Small = 80

    # Every n-th game (n = `branches`, 0 for none) opens with `branch_plies` random moves, or one
    # more, from a random position of another game. Both scores, of that position and after the
    # moves, are within the margin.
    branches: Annotated[int, Range(0, 1_000)] = 0
    branch_plies: Plies = 1
    branch_margin: Small = 600


@dataclass(frozen=True)
class Filter:
    """Which quiet positions of the games the network learns from."""

    first_ply: Plies = 16  # from the start position
    largest_score: AtLeastOne = 3_000  # internal units; games.py stores none from 2,214 to 29,999
    fewest_pieces: Pieces = 4

    # Of the positions with at most `thinned_pieces`, one in `thinning` is kept, chosen by its key.
    thinned_pieces: Annotated[int, Range(0, 32)] = 0
    thinning: AtLeastOne = 2


@dataclass(frozen=True)
class DataPlan:
    """The games to play, which become a set with the name of the recipe.

    `network` plays them: FIRST_NAME, BUILT_IN_NAME or the name of a recipe. `engine` is a hint for
    the user, the commit of an engine that plays the same games again; the set has the commit that
    played it. Training also uses the sets in `also`.
    """

    games: Annotated[int, Range(1)] = 1_000
    seed: int = 1
    engine: str = ""
    network: str = FIRST_NAME
    also: tuple[str, ...] = ()
    rules: GameRules = field(default_factory=GameRules)


@dataclass(frozen=True)
class Schedule:
    """How a network is trained: AdamW with a cosine-annealed learning rate."""

    epochs: Annotated[int, Range(1)] = 12
    batch_size: Annotated[int, Range(1)] = 16_384  # positions per step

    # The learning rate rises linearly for `warmup` steps, and falls by half a cosine.
    learning_rate: Annotated[float, Range(1e-9, 1)] = 1e-3
    final_learning_rate: Fraction = 1e-5
    warmup: Annotated[int, Range(0)] = 200
    weight_decay: Fraction = 0.01

    # The WDL proportion (lambda): the share of the game's result in the target. The rest is the
    # score. If `wdl_end` is given, the share changes linearly to it.
    wdl_start: Fraction = 0.1
    wdl_end: Annotated[float | None, Range(0, 1)] = None

    eval_scale: Annotated[float, Range(10, 10_000)] = SCALE  # score that means odds of e : 1

    # Every n-th game is kept for validation, or every n-th group of games if games branch.
    validation_every: Annotated[int, Range(2)] = 50
    seed: Annotated[int, Range(0)] = 1  # of the first weights and of the order of positions

    def learning_rate_at(self, step: int, steps: int) -> float:
        """Return the learning rate of a step from 0 to steps - 1."""
        cosine = (1 + math.cos(math.pi * step / max(1, steps))) / 2
        final = self.final_learning_rate
        annealed = final + (self.learning_rate - final) * cosine
        return annealed * min(1.0, (step + 1) / max(1, self.warmup))

    @property
    def final_wdl(self) -> float:
        """The share of the result at the end of training."""
        return self.wdl_start if self.wdl_end is None else self.wdl_end

    def wdl_at(self, step: int, steps: int) -> float:
        """Return the share of the result in the target of a step from 0 to steps - 1."""
        return self.wdl_start + (self.final_wdl - self.wdl_start) * step / max(1, steps - 1)


@dataclass(frozen=True)
class Gate:
    """The match of a new network against the one that played its games.

    The network passes if an SPRT accepts within `games` that it is `elo1` logistic Elo stronger,
    and not `elo0`.
    """

    games: Annotated[int, Range(2)] = 4_000
    time_control: str = "nodes=25000"
    elo0: float = 0.0
    elo1: float = 8.0

    def sprt(self) -> Sprt:
        """Return the test. Raise ValueError if it makes no sense."""
        return Sprt(self.elo0, self.elo1, model=LOGISTIC)


@dataclass(frozen=True)
class Recipe:
    """A whole recipe.

    `hidden` is the number of neurons per side, and `qb` the integer for 1.0 in an output weight.
    Training starts from the network `start`, BUILT_IN_NAME or the name of a recipe, or from random
    weights if it is empty. If `built_in` is given, BUILT_IN_NAME means the network with this digest
    only.
    """

    name: str
    hidden: int = WIDTH
    qb: int = 256
    start: str = ""
    built_in: str = ""
    data: DataPlan = field(default_factory=DataPlan)
    filter: Filter = field(default_factory=Filter)
    training: Schedule = field(default_factory=Schedule)
    gate: Gate = field(default_factory=Gate)

    def facts(self) -> dict[str, Any]:
        """Return the recipe as plain values."""
        return asdict(self)


def read_recipe(name: str) -> Recipe:
    """Read and check a recipe: one of Zobra's by its name, or a file by its path.

    Raise ValueError or OSError that names the file and the mistake.
    """
    path = _find(name)
    content = read_toml(path)
    try:
        recipe: Recipe = typed(Recipe, {**content, "name": path.stem})
        for fault in _faults(recipe, content):
            raise ValueError(fault)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return recipe


def _find(name: str) -> Path:
    """Return the file of a recipe: Zobra's own with this name, or else the file with this path.

    Raise ValueError if there is neither.
    """
    own = {path.stem: path for path in FOLDER.glob("*.toml")}
    if name in own:
        return own[name]
    if Path(name).is_file():
        return Path(name)
    known = ", ".join(sorted(own))
    raise ValueError(f"there is no recipe {name!r}: it is neither a file nor one of {known}")


def _faults(recipe: Recipe, content: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a recipe: otherwise it might fail after hours."""
    known = recipe.facts()
    del known["name"]
    yield from _unknown_entries(content, known)
    yield from _out_of_range(recipe)
    yield from _name_faults(recipe)
    rules = recipe.data.rules
    if rules.node_limit < rules.nodes:
        yield f"data.rules.node_limit = {rules.node_limit}: it is less than nodes = {rules.nodes}"
    if rules.branches == 1:
        yield "data.rules.branches = 1: there would be no game to branch off; 0 means no branches"
    if recipe.hidden not in WIDTHS:
        yield f"hidden = {recipe.hidden}: it must be a multiple of 32, and at most {WIDTH}"
    if recipe.qb not in OUTPUT_UNITS:
        yield f"qb = {recipe.qb}: it must be one of {', '.join(map(str, OUTPUT_UNITS))}"
    rate = recipe.training.learning_rate
    final_rate = recipe.training.final_learning_rate
    if final_rate > rate:
        yield f"training.final_learning_rate = {final_rate}: it exceeds learning_rate = {rate}"
    if recipe.gate.games % 2:
        yield f"gate.games = {recipe.gate.games}: it must be even, as each opening is played twice"
    try:
        TimeControl.parse(recipe.gate.time_control)
        recipe.gate.sprt()
    except ValueError as error:
        yield f"gate: {error}"


def _name_faults(recipe: Recipe) -> Iterator[str]:
    """Yield what is wrong with the names of a recipe and of the networks and sets that it uses."""
    name = recipe.name
    if not NAME.fullmatch(name):
        yield f"the name {name!r} may have only letters, digits and . _ -"
    if name in (FIRST_NAME, BUILT_IN_NAME):
        yield f"a recipe cannot have the name {name!r}, which means a network that no recipe makes"
    if recipe.data.network == name:
        yield f"data.network = {name!r}: training would overwrite the network that played the games"
    if recipe.start == name:
        yield f"start = {name!r}: training would overwrite the network that it starts from"
    if recipe.start == FIRST_NAME:
        yield f"start = {FIRST_NAME!r}: it only plays; without `start` the weights are random"
    if recipe.built_in and BUILT_IN_NAME not in (recipe.start, recipe.data.network):
        yield f"built_in = {recipe.built_in!r}: neither `start` nor data.network is 'built-in'"

    others = [Path(other) for other in recipe.data.also]
    if Path() in others:
        yield "data.also has an empty name"
    if Path(name) in others:
        yield f"data.also has {name!r}, the set of the recipe itself, which is used anyway"
    if len(set(others)) < len(others):
        yield "data.also names a set twice"


def _unknown_entries(
    content: dict[str, Any], known: dict[str, Any], table: str = ""
) -> Iterator[str]:
    """Yield the unknown entries of a recipe's file, or of one of its tables."""
    for name, value in content.items():
        if name not in known:
            place = f"[{table}]" if table else "a recipe"
            yield f"{place} has no entry {name!r}; it has {', '.join(known)}"
        elif isinstance(value, dict):
            yield from _unknown_entries(value, known[name], f"{table}.{name}".lstrip("."))


def _out_of_range(table: Any, prefix: str = "") -> Iterator[str]:
    """Yield the numbers of a recipe, or of one of its tables, that are out of range."""
    hints = get_type_hints(type(table), include_extras=True)
    for each in fields(table):
        name = prefix + each.name
        value = getattr(table, each.name)
        if is_dataclass(value):
            yield from _out_of_range(value, f"{name}.")
        for bounds in getattr(hints[each.name], "__metadata__", ()):
            if value is None or bounds.low <= value <= bounds.high:
                continue
            if bounds.high == math.inf:
                yield f"{name} = {value}: it must be at least {bounds.low}"
            else:
                yield f"{name} = {value}: it must be {bounds.low} to {bounds.high}"
