"""Engines as the user describes them, [NAME=]COMMAND or a TOML file, and the options they announce.

A TOML file describes one engine by its top-level keys, or several in tables [[engine]]. The keys
are name, command (a string or a list), protocol ("uci" or "xboard"), directory (where it runs),
time_control (instead of the match's), time_odds (a factor on its time or nodes), and a table of
options. Engines of a ladder also have rating, sigma and source. No other key is allowed.
"""

import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

import chess.engine

from zobra.arena.formats.files import read_toml, typed
from zobra.arena.formats.text import counted, printable

LADDER_KEYS = ("rating", "sigma", "source")
# Lower-case names of the options for the number of threads and for the size of the hash table
THREADS = ("threads", "cores")
HASH = ("hash", "memory")
_WINDOWS_WORD = re.compile(r'(?:[^\s"]|"[^"]*")+')
_SWITCHES = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class EngineSpec:
    """How an engine is started, its options, and its own time control or time odds in a match."""

    name: str
    command: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    protocol: str = "uci"
    directory: str | None = None
    time_control: str | None = None
    time_odds: float = 1.0

    def __post_init__(self) -> None:
        """Raise ValueError if a value is missing or invalid.

        Control characters in the name are escaped.
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
                    f"engine {self.name}: option {name} must be a string, a number, true or false"
                )
            if name.lower() in THREADS and not re.fullmatch("[0-9]{1,6}", str(value)):
                raise ValueError(
                    f"engine {self.name}: option {name} must be an integer, not {value!r}"
                )
        if not 0 < self.time_odds < math.inf:
            raise ValueError(f"engine {self.name}: time_odds must be a number above 0")

    def program(self) -> str:
        """Return the path of the engine's program. Raise ValueError if it is not found.

        It is searched for in the engine's directory, on the PATH, beside this Python, and in
        Debian's folder for games, which is not on every user's PATH.
        """
        name = self.command[0]
        found = None
        if self.directory:
            found = shutil.which(str(Path(self.directory) / name))
        if not found:
            found = shutil.which(name)
        if not found:
            others = [str(Path(sys.executable).parent), "/usr/games"]
            found = shutil.which(name, path=os.pathsep.join(others))
        if not found:
            raise ValueError(f"engine {self.name}: no program {name}")
        return str(Path(found).absolute())

    def anchored(self) -> "EngineSpec":
        """Return the same engine with absolute paths, so that a run can be resumed from any folder.

        An engine without a directory gets the current one if arguments or options name files there.
        Raise ValueError if the program is not found.
        """
        directory = str(Path(self.directory).absolute()) if self.directory else self.directory
        first, *rest = self.command
        if directory is None and any(map(_is_relative_path, self._given_words())):
            first = self.program()  # from the PATH, not from the folder that is added here
            directory = str(Path.cwd())
        elif Path(first).name != first:
            first = self.program()
        return replace(self, command=(first, *rest), directory=directory)

    def _given_words(self) -> Iterator[str]:
        """Yield the arguments of the command and the texts of the options."""
        yield from self.command[1:]
        yield from (value for value in self.options.values() if isinstance(value, str))

    @property
    def threads(self) -> int:
        """The number of threads that the engine's options ask for."""
        asked = [int(value) for name, value in self.options.items() if name.lower() in THREADS]
        return max(asked, default=1)


@dataclass(frozen=True)
class Resources:
    """The number of threads of an engine and its hash table in MB; None if it is unknown."""

    threads: int | None = None
    hash: int | None = None

    @property
    def text(self) -> str:
        """The resources as text: "1 thread, 16 MB hash"."""
        parts = []
        if self.threads is not None:
            parts.append(counted(self.threads, "thread"))
        if self.hash is not None:
            parts.append(f"{self.hash} MB hash")
        return ", ".join(parts)


def _is_relative_path(word: str) -> bool:
    """Return whether a word names a file or folder relative to the current folder."""
    try:
        return bool(word) and not Path(word).is_absolute() and Path(word).exists()
    except (OSError, ValueError):  # a word that no path can be
        return False


def resources_text(found: Sequence[Resources]) -> str:
    """Return the resources of the engines of a match, as match runners print them: "1t, 16MB"."""
    parts = []
    for values, unit in (
        ([each.threads for each in found], "t"),
        ([each.hash for each in found], "MB"),
    ):
        if any(value is not None for value in values):
            texts = ["?" if value is None else str(value) for value in values]
            parts.append(" - ".join(dict.fromkeys(texts)) + unit)
    return ", ".join(parts)


def words(command: str, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """Split a command line into words; on Windows a backslash is part of a path.

    Raise ValueError for an unclosed quote.
    """
    if not windows:
        return tuple(shlex.split(command))
    if command.count('"') % 2:
        raise ValueError("No closing quotation")
    return tuple(word.replace('"', "") for word in _WINDOWS_WORD.findall(command))


def read_engine_file(path: Path) -> list[tuple[EngineSpec, dict[str, Any]]]:
    """Read a TOML file, and return each engine with its values of LADDER_KEYS.

    Raise ValueError or OSError.
    """
    content = read_toml(path)
    tables = content.get("engine", [content])
    is_list = isinstance(tables, list) and bool(tables)
    if not is_list or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{path}: no engines; each engine is a table [[engine]]")
    known = [entry.name for entry in fields(EngineSpec)] + list(LADDER_KEYS)
    found = []
    for raw in tables:
        table = {key.replace("-", "_"): value for key, value in raw.items()}
        where = f"{path}: engine {table['name']}" if "name" in table else str(path)
        unknown = sorted(table.keys() - known)
        if unknown:
            raise ValueError(
                f"{where}: unknown key {', '.join(unknown)} (known: {', '.join(known)})"
            )
        try:
            engine = _engine_of(table)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from error
        rating = {key: value for key, value in table.items() if key in LADDER_KEYS}
        found.append((engine, rating))
    return found


def _engine_of(table: dict[str, Any]) -> EngineSpec:
    """Return the engine that a table of a TOML file describes. Raise TypeError or ValueError."""
    command = table.get("command")
    given: Sequence[Any] = ()
    if isinstance(command, str):
        given = words(command)
    elif isinstance(command, list):
        given = command
    if not given:
        raise ValueError("no command (a string or a list)")
    name = Path(str(given[0])).name
    return typed(EngineSpec, {"name": name, **table, "command": [str(word) for word in given]})


def read_engines(texts: Sequence[str], options: Sequence[str] = ()) -> list[EngineSpec]:
    """Return the engines that arguments name: TOML files or [NAME=]COMMAND.

    Engines of the same name are numbered. `options` are NAME=VALUE for all engines, or
    ENGINE:NAME=VALUE for one. Raise ValueError or OSError.
    """
    specs = []
    for text in texts:
        if text.endswith(".toml"):
            specs += [spec for spec, _ in read_engine_file(Path(text))]
        else:
            specs.append(_engine_of_argument(text))

    given = {spec.name for spec in specs}
    distinct: dict[str, EngineSpec] = {}
    for spec in specs:
        name = spec.name
        if name in distinct:
            name = _free_name(name, given | distinct.keys())
        distinct[name] = replace(spec, name=name)

    for text in options:
        option, separator, value = text.partition("=")
        engine, colon, rest = option.partition(":")
        chosen = list(distinct)
        if colon and engine in distinct:
            chosen = [engine]
            option = rest
        option = option.strip()
        if not separator or not option:
            raise ValueError(f"option {text!r}: must be NAME=VALUE or ENGINE:NAME=VALUE")
        for name in chosen:
            changed = distinct[name].options | {option: value.strip()}
            distinct[name] = replace(distinct[name], options=changed)
    return list(distinct.values())


def _engine_of_argument(text: str) -> EngineSpec:
    """Return the engine that [NAME=]COMMAND describes. Raise ValueError."""
    name, separator, tail = text.partition("=")
    is_named = bool(separator) and "/" not in name and " " not in name
    command = words(tail if is_named else text)
    if not command:
        raise ValueError(f"engine {text!r}: no command")
    return EngineSpec(name if is_named else Path(command[0]).name, command)


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return the name with the lowest number that makes it different from the taken names."""
    for number in count(2):
        if f"{name} {number}" not in taken:
            return f"{name} {number}"
    raise AssertionError("unreachable: there is always a free number")


def read_engine(text: str, options: Sequence[str] = ()) -> EngineSpec:
    """Return the single engine that an argument describes, with the given options.

    Raise ValueError or OSError.
    """
    specs = read_engines([text], options)
    if len(specs) > 1:
        raise ValueError(
            f"{text}: {len(specs)} engines in this file, but only one is expected here"
        )
    return specs[0]


def spins(announced: Mapping[str, chess.engine.Option]) -> dict[str, chess.engine.Option]:
    """Return the options that are integers with bounds, by name."""
    found = {}
    for name, option in announced.items():
        numbers = (option.default, option.min, option.max)
        if option.type == "spin" and all(isinstance(number, int) for number in numbers):
            found[name] = option
    return found


def as_announced(
    options: Mapping[str, Any], announced: Mapping[str, chess.engine.Option]
) -> dict[str, Any]:
    """Convert the values of options to the announced types: bool for a check, int for a spin.

    python-chess takes every string but "false" for true, and sends an XBoard engine a number given
    as a string again before every move. Raise chess.engine.EngineError for a value that the option
    cannot have.
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
