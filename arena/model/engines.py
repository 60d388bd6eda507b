"""Engines: described on the command line as [NAME=]COMMAND, or in a TOML file; and the options that
they announce.

A TOML file describes one engine by its top-level keys, or several in tables [[engine]]. The keys
are name, command (a string or a list), protocol ("uci" or "xboard"), directory (where it runs),
time_control (instead of the match's), time_odds (a factor on its time or nodes), and a table of
options. A ladder's engines have rating, sigma and source too. No other key is allowed.
"""

import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

import chess.engine

from zobra.arena.formats.files import read_toml, typed
from zobra.arena.formats.text import printable

LADDER_KEYS = ("rating", "sigma", "source")
THREADS = ("threads", "cores")  # lower-case names of the option for the number of processors
_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class EngineSpec:
    """An engine: how it is started, its options, and its own time control or time odds in a
    match.
    """

    name: str
    command: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    protocol: str = "uci"
    directory: str | None = None
    time_control: str | None = None
    time_odds: float = 1.0

    def __post_init__(self) -> None:
        """Raises ValueError for a description that names no engine.

        Control characters in the name become escapes.
        """
        object.__setattr__(self, "name", printable(self.name))
        if not self.command or not self.name:
            raise ValueError(f"engine {self.name!r} has no command or no name")
        if self.protocol not in ("uci", "xboard"):
            raise ValueError(
                f"engine {self.name}: protocol {self.protocol!r} is neither uci nor xboard"
            )
        for name, value in self.options.items():
            if not isinstance(value, str | int | float):
                raise ValueError(
                    f"engine {self.name}: option {name} must be a text, a number, true or false"
                )
            if name.lower() in THREADS and not re.fullmatch("[0-9]{1,6}", str(value)):
                raise ValueError(
                    f"engine {self.name}: option {name} must be a whole number, not {value!r}"
                )
        if not 0 < self.time_odds < math.inf:
            raise ValueError(f"engine {self.name}: time_odds must be a number above 0")

    def program(self) -> str:
        """The path of the engine's program, found in its directory, on the path, or beside this
        Python. Raises ValueError.
        """
        name = self.command[0]
        found = (
            shutil.which(str(Path(self.directory) / name)) if self.directory else None
        ) or shutil.which(name)
        # Debian's games stand in a folder of their own, which is not on every user's path
        found = found or shutil.which(
            name, path=os.pathsep.join([str(Path(sys.executable).parent), "/usr/games"])
        )
        if not found:
            raise ValueError(f"engine {self.name}: no program {name}")
        return str(Path(found).absolute())

    def anchored(self) -> "EngineSpec":
        """The same engine with absolute paths of its program and folder, to resume a run in any
        folder. Raises ValueError.
        """
        directory = self.directory and str(Path(self.directory).absolute())
        first = self.program() if Path(self.command[0]).name != self.command[0] else self.command[0]
        return replace(self, command=(first, *self.command[1:]), directory=directory)

    @property
    def threads(self) -> int:
        """The processors that the engine's options ask for."""
        return max(
            (int(value) for name, value in self.options.items() if name.lower() in THREADS),
            default=1,
        )


def words(command: str, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """The words of a command line; on Windows a backslash is part of a path.

    Raises ValueError for a quote without end.
    """
    if not windows:
        return tuple(shlex.split(command))
    return tuple(word.strip("\"'") for word in shlex.split(command, posix=False))


def read_engine_file(path: Path) -> list[tuple[EngineSpec, dict[str, Any]]]:
    """Reads a TOML file: each engine, and its values of LADDER_KEYS.

    Raises ValueError or OSError.
    """
    content = read_toml(path)
    tables = content.get("engine", [content])
    if (
        not isinstance(tables, list)
        or not tables
        or not all(isinstance(table, dict) for table in tables)
    ):
        raise ValueError(f"{path}: no engine, which would be a table [[engine]]")
    known = [entry.name for entry in fields(EngineSpec)] + list(LADDER_KEYS)
    found = []
    for raw in tables:
        table = {key.replace("-", "_"): value for key, value in raw.items()}
        where = f"{path}: engine {table.get('name', '')}"
        if unknown := sorted(table.keys() - known):
            raise ValueError(
                f"{where}: unknown key {', '.join(unknown)} (known: {', '.join(known)})"
            )
        try:
            command = table.get("command")
            given = (
                words(command)
                if isinstance(command, str)
                else command
                if isinstance(command, list)
                else ()
            )
            if not given:
                raise ValueError("no command, which is a text or a list")
            engine = typed(
                EngineSpec,
                {"name": Path(str(given[0])).name} | table | {"command": [*map(str, given)]},
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from error
        found.append((engine, {key: value for key, value in table.items() if key in LADDER_KEYS}))
    return found


def read_engines(texts: Sequence[str], options: Sequence[str] = ()) -> list[EngineSpec]:
    """The engines of arguments that are TOML files or [NAME=]COMMAND; engines of the same name are
    numbered. `options` are NAME=VALUE for all engines, or ENGINE:NAME=VALUE for one. Raises
    ValueError or OSError.
    """
    specs = []
    for text in texts:
        if text.endswith(".toml"):
            specs += [spec for spec, _ in read_engine_file(Path(text))]
            continue
        head, separator, tail = text.partition("=")
        named = bool(separator) and "/" not in head and " " not in head
        command = words(tail if named else text)
        if not command:
            raise ValueError(f"engine {text!r}: no command")
        specs.append(EngineSpec(head if named else Path(command[0]).name, command))
    given, distinct = {spec.name for spec in specs}, dict[str, EngineSpec]()
    for spec in specs:
        free = (
            name
            for number in count(2)
            if (name := f"{spec.name} {number}") not in given | distinct.keys()
        )
        name = next(free) if spec.name in distinct else spec.name
        distinct[name] = replace(spec, name=name)
    for text in options:
        option, separator, value = text.partition("=")
        engine, colon, rest = option.partition(":")
        only = engine if colon and engine in distinct else None
        option = (rest if only else option).strip()
        if not separator or not option:
            raise ValueError(f"option {text!r}: not NAME=VALUE or ENGINE:NAME=VALUE")
        for name in [only] if only else list(distinct):
            distinct[name] = replace(
                distinct[name], options=distinct[name].options | {option: value.strip()}
            )
    return list(distinct.values())


def read_engine(text: str, options: Sequence[str] = ()) -> EngineSpec:
    """The one engine that an argument describes, with options added.

    Raises ValueError or OSError.
    """
    specs = read_engines([text], options)
    if len(specs) > 1:
        raise ValueError(f"{text}: {len(specs)} engines, where one is asked for")
    return specs[0]


def spins(announced: Mapping[str, chess.engine.Option]) -> dict[str, chess.engine.Option]:
    """The options that are whole numbers with bounds, by name."""
    found = {name: option for name, option in announced.items() if option.type == "spin"}
    return {
        name: o
        for name, o in found.items()
        if all(isinstance(value, int) for value in (o.default, o.min, o.max))
    }


def as_announced(
    options: Mapping[str, Any], announced: Mapping[str, chess.engine.Option]
) -> dict[str, Any]:
    """The options with values of the announced types: bool for a check, int for a spin.
    python-chess takes every text but "false" for true, and sends an XBoard engine a number given as
    text before every move. Raises chess.engine.EngineError for a value that the option does not
    have.
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
