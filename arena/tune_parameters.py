"""The numbers to tune: from a TOML file with a table [parameter.NAME] for each, or by name from the engine's own options.

Keys of a table: default, low, high, c_end and r_end; what is left out comes from the engine's spin option.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zobra.arena.engine_options import Spin
from zobra.arena.files import read_toml
from zobra.arena.spsa import SMALLEST_C, Tunable

# c_end where none is given, as a share of the range
_SHARE_OF_RANGE = 1 / 20
_KEYS = ("default", "low", "high", "c_end", "r_end")


def tunables(path: Path | None, texts: Sequence[str], spins: Mapping[str, Spin]) -> list[Tunable]:
    """The numbers of the file, and those named as NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]].

    Raises ValueError, also for what is no spin option of the engine or exceeds its bounds; OSError.
    """
    tables = (_tables(path) if path else {}) | dict(map(_table_of_text, texts))
    if not tables:
        raise ValueError("nothing to tune: name a file of parameters or, with --parameter, some of the engine's options")
    return [_tunable(name, table, spins) for name, table in tables.items()]


def as_toml(chosen: Sequence[Tunable], values: Mapping[str, float]) -> str:
    """These numbers with other defaults, in the form of the file."""
    tables = []
    for entry in chosen:
        numbers = (round(values[entry.name]), *(f"{getattr(entry, key):.15g}" for key in _KEYS[1:]))
        tables.append(
            f"[parameter.{_key(entry.name)}]\n" + "".join(f"{k} = {v}\n" for k, v in zip(_KEYS, numbers, strict=True))
        )
    return "\n".join(tables)


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _tables(path: Path) -> dict[str, dict[str, Any]]:
    found = read_toml(path).get("parameter")
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise ValueError(f"{path}: no tables [parameter.NAME]")
    for name, table in found.items():
        for key, value in table.items():
            if key not in _KEYS:
                raise ValueError(f"{path}: {name}: {key} is none of {', '.join(_KEYS)}")
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise ValueError(f"{path}: {name}: {key} must be a number")
    return found


def _table_of_text(text: str) -> tuple[str, dict[str, Any]]:
    name, separator, numbers = text.partition("=")
    if not separator:
        return name.strip(), {}
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        values = []
    if not 3 <= len(values) <= len(_KEYS):
        raise ValueError(f"--parameter {text}: not NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]")
    return name.strip(), dict(zip(_KEYS, values, strict=False))


def _tunable(name: str, table: Mapping[str, Any], spins: Mapping[str, Spin]) -> Tunable:
    if name not in spins:
        raise ValueError(f"the engine has no spin option {name} (it has: {', '.join(spins) or 'none'})")
    spin = spins[name]
    values: dict[str, Any] = asdict(spin) | dict(table)
    if not spin.low <= values["low"] <= values["high"] <= spin.high:
        raise ValueError(f"{name}: the engine takes {spin.low} to {spin.high}")
    values.setdefault("c_end", max(SMALLEST_C, (values["high"] - values["low"]) * _SHARE_OF_RANGE))
    return Tunable(name, **values)
