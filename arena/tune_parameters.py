"""The numbers to tune: from a TOML file with a table [parameter.NAME] for each, or by name from the engine's own options.

Keys of a table: default, low, high, c_end and r_end; what is left out comes from the engine's spin option.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zobra.arena.engines import Spin
from zobra.arena.files import read_toml
from zobra.arena.spsa import SMALLEST_C, Tunable

# c_end where none is given, as a share of the range
_SHARE_OF_RANGE = 1 / 20
_KEYS = ("default", "low", "high", "c_end", "r_end")


def tunables(path: Path | None, texts: Sequence[str], spins: Mapping[str, Spin]) -> list[Tunable]:
    """The numbers of the file, and those named as NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]].

    Raises ValueError, also for what is no spin option of the engine or exceeds its bounds; OSError.
    """
    tables = (_read(path) if path else {}) | dict(map(_parse, texts))
    if not tables:
        raise ValueError("nothing to tune: name a file of parameters or, with --parameter, some of the engine's options")
    found = []
    for name, table in tables.items():
        if name not in spins:
            raise ValueError(f"the engine has no spin option {name} (it has: {', '.join(spins) or 'none'})")
        spin, values = spins[name], asdict(spins[name]) | table
        if not spin.low <= values["low"] <= values["high"] <= spin.high:
            raise ValueError(f"{name}: the engine takes {spin.low} to {spin.high}")
        c_end = max(SMALLEST_C, (values["high"] - values["low"]) * _SHARE_OF_RANGE)
        found.append(Tunable(name, **({"c_end": c_end} | values)))
    return found


def as_toml(chosen: Sequence[Tunable], values: Mapping[str, float]) -> str:
    """These numbers with other defaults, in the form of the file."""
    tables = []
    for entry in chosen:
        name = entry.name
        key = name if name.isidentifier() and name.isascii() else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
        lines = [f"{key} = {getattr(entry, key):.15g}" for key in _KEYS[1:]]
        tables.append("\n".join([f"[parameter.{key}]", f"default = {round(values[name])}", *lines, ""]))
    return "\n".join(tables)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    found = read_toml(path).get("parameter")
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise ValueError(f"{path}: no tables [parameter.NAME]")
    for name, table in found.items():
        for key, value in table.items():
            if key not in _KEYS:
                raise ValueError(f"{path}: {name}: {key} is none of {', '.join(_KEYS)}")
            if type(value) not in (int, float):
                raise ValueError(f"{path}: {name}: {key} must be a number")
    return found


def _parse(text: str) -> tuple[str, dict[str, Any]]:
    name, separator, numbers = text.partition("=")
    try:
        values = [float(number) for number in numbers.split(",")] if separator else []
    except ValueError:
        values = []
    if separator and not 3 <= len(values) <= len(_KEYS):
        raise ValueError(f"--parameter {text}: not NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]")
    return name.strip(), dict(zip(_KEYS, values, strict=False))
