"""The options that an engine announces, and the values that a user gives for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import chess.engine

from zobra.arena.engines import THREADS

_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Spin:
    """An option that is a whole number, as the engine announced it."""

    default: int
    low: int
    high: int


def spins(announced: Mapping[str, chess.engine.Option]) -> dict[str, Spin]:
    """The options that are whole numbers, with bounds, by name."""
    return {
        name: Spin(option.default, option.min, option.max)
        for name, option in announced.items()
        if option.type == "spin"
        and isinstance(option.default, int)
        and isinstance(option.min, int)
        and isinstance(option.max, int)
    }


def as_announced(options: Mapping[str, Any], announced: Mapping[str, chess.engine.Option]) -> dict[str, Any]:
    """The options with values of the announced types: bool for a check, int for a spin.

    python-chess takes every text but "false" for true, and sends an XBoard engine a number given as text before every move.
    Raises chess.engine.EngineError for a value that the option does not have.
    """
    result = dict(options)
    for name, value in options.items():
        kind = announced[name].type if name in announced else ""
        if kind == "check":
            if str(value).lower() not in _SWITCHES:
                raise chess.engine.EngineError(f"option {name} is true or false, not {value!r}")
            result[name] = _SWITCHES[str(value).lower()]
        elif kind == "spin":
            result[name] = announced[name].parse(value)
    return result


def with_one_thread(options: Mapping[str, Any], announced: Mapping[str, chess.engine.Option]) -> dict[str, Any]:
    """The options, with Threads (XBoard: cores) at 1 if it is not among them. Some engines would take every processor."""
    is_asked = any(name.lower() in THREADS for name in options)
    return {name: 1 for name in announced if name.lower() in THREADS and not is_asked} | dict(options)
