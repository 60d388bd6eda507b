"""What a tuning run tunes: parameters from a TOML file or the command line, and its plan.

The plan lies in the folder of a match (journal.py) as `tune.json`: the fields of Plan and Gains.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from chess.engine import Option

from zobra.arena.formats.files import read_json, read_toml, typed, write_safely
from zobra.arena.formats.text import listed
from zobra.arena.model.journal import Journal
from zobra.arena.model.spsa import SMALLEST_C, Gains, Tunable

TUNE_PLAN = "tune.json"  # lies beside a journal whose games tune an engine
_KEYS = ("default", "low", "high", "c_end", "r_end")
FORM = "NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]"


def _stated_numbers(path: Path | None, texts: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return what a TOML file and the command line state of each parameter, by its name."""
    tables = _tables(path) if path else {}
    for text in texts:
        name, separator, rest = text.partition("=")
        try:
            numbers = [float(number) for number in rest.split(",")] if separator else []
        except ValueError:
            numbers = []
        if separator and not 3 <= len(numbers) <= len(_KEYS):
            raise ValueError(f"--parameter {text}: must be {FORM}")
        tables[name.strip()] = dict(zip(_KEYS, numbers, strict=False))
    if not tables:
        raise ValueError(
            "nothing to tune: give a file of parameters, or options of the engine with --parameter"
        )
    return tables


def _tables(path: Path) -> dict[str, dict[str, float]]:
    """Return what a TOML file states of each parameter. Raise ValueError or OSError."""
    tables = read_toml(path).get("parameter")
    if not isinstance(tables, dict) or not all(
        isinstance(table, dict) for table in tables.values()
    ):
        raise ValueError(f"{path}: no tables [parameter.NAME]")
    for name, table in tables.items():
        for key, value in table.items():
            if key not in _KEYS:
                known = ", ".join(_KEYS)
                raise ValueError(f"{path}: {name}: unknown key {key} (known: {known})")
            if type(value) not in (int, float):
                raise ValueError(f"{path}: {name}: {key} must be a number")
    return tables


def tunables(path: Path | None, texts: Sequence[str], spins: Mapping[str, Option]) -> list[Tunable]:
    """Return the parameters to tune.

    They are those of a TOML file, with a table [parameter.NAME] of _KEYS for each, and those given
    on the command line in the form FORM. Missing values come from the engine's spin option. Raise
    OSError, or ValueError, also for a value outside the option's bounds.
    """
    found = []
    for name, table in _stated_numbers(path, texts).items():
        if name not in spins:
            known = listed(spins) or "none"
            raise ValueError(f"the engine has no spin option {name} (it has: {known})")
        spin: dict[str, Any] = {
            "default": spins[name].default,
            "low": spins[name].min,
            "high": spins[name].max,
        }
        values = spin | table
        if not spin["low"] <= values["low"] <= values["high"] <= spin["high"]:
            raise ValueError(
                f"{name}: {values['low']:g} to {values['high']:g} is not a range within the "
                f"engine's, {spin['low']} to {spin['high']}"
            )
        if "c_end" not in values:
            values["c_end"] = max(SMALLEST_C, (values["high"] - values["low"]) / 20)
        found.append(Tunable(name, **values))
    return found


def as_toml(chosen: Sequence[Tunable], values: Mapping[str, float]) -> str:
    """Return parameters in the form of the TOML file, with new default values."""
    tables = []
    for entry in chosen:
        name = entry.name
        if not name.isidentifier() or not name.isascii():
            name = json.dumps(name, ensure_ascii=False)
        lines = [f"[parameter.{name}]", f"default = {round(values[entry.name])}"]
        lines += [f"{key} = {getattr(entry, key):.15g}" for key in _KEYS[1:]]
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


@dataclass(frozen=True)
class Plan:
    """What is tuned and how fast; `pairs` pairs of games make an iteration.

    The gains are computed for the number of iterations that the run had when it began. If the run
    is extended, they go on to decay.
    """

    tunables: tuple[Tunable, ...]
    gains: Gains
    pairs: int = 1

    @classmethod
    def read(cls, folder: Path) -> "Plan":
        """Return the plan of the run in a folder. Raise ValueError or OSError."""
        return read_json(
            folder / TUNE_PLAN,
            "a plan for tuning",
            lambda values: typed(cls, {"gains": values, **values}),
        )

    def extending(self, earlier: "Plan") -> "Plan":
        """Return this plan with the number of iterations that an earlier run began with."""
        return replace(self, gains=replace(self.gains, iterations=earlier.gains.iterations))

    def keep(self, folder: Path) -> None:
        """Write the plan, unless it is already there.

        Raise ValueError if another plan is there, or OSError.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / TUNE_PLAN).exists():
            if self != Plan.read(folder):
                raise ValueError(f"{folder} holds another run: its parameters or gains differ")
            return
        if (folder / "run.json").exists():
            raise ValueError(f"{folder} holds a match, not a tuning run")
        Journal.check_free(folder)
        content = {
            "tunables": [asdict(entry) for entry in self.tunables],
            "pairs": self.pairs,
            **asdict(self.gains),
        }
        write_safely(folder / TUNE_PLAN, json.dumps(content, indent=1))
