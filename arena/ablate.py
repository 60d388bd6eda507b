"""What an engine's techniques are worth: it plays itself with each of them switched off by an option.

An ablation is a gauntlet (journal.py) of the whole engine, named WHOLE, against itself without each technique. Beside the games
lies `ablation.json`: {"kind": "ablation", "limit", "bench": nodes of the whole engine or null, "techniques": [{"name", "off":
{option: value}, "games", "pairs": [0 to 2 points], "elo", "margin" (null where they cannot be told), "bench"}]}, and the same
as a Markdown table in `ablation.md`. Elo is what the engine loses without the technique.
"""

import json
import math
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import chess.engine

from zobra.arena.announced import Spin, as_announced
from zobra.arena.engines import EngineSpec
from zobra.arena.journal import write_safely
from zobra.arena.results import Results
from zobra.arena.settings import Settings
from zobra.arena.statistics import Estimate, estimate
from zobra.arena.toml_file import read_toml

WHOLE = "everything"
SWITCH = "use_"
# the last line of a bench, as OpenBench wants it, or as Stockfish prints it
_BENCH = re.compile(r"^\s*(\d+) nodes \d+ nps|^Nodes searched\s*:\s*(\d+)", re.MULTILINE)
_LONGEST_BENCH = 600.0  # seconds
_BEGIN, _END = "<!-- ablation -->", "<!-- end of ablation -->"


@dataclass(frozen=True)
class Technique:
    """A part of an engine, and the options that switch it off."""

    name: str
    off: dict[str, Any]


@dataclass(frozen=True)
class Worth:
    """What a technique was found to be worth; `bench` counts nodes without it."""

    technique: Technique
    games: int
    pairs: list[int]
    estimate: Estimate | None
    bench: int | None


def techniques(path: Path | None, texts: Sequence[str], spins: Mapping[str, Spin]) -> list[Technique]:
    """Those of a TOML file with a table [NAME] of options each, and those given as [NAME:]OPTION=VALUE[,OPTION=VALUE...].

    Without either, all options named use_… that are on. Raises ValueError or OSError.
    """
    found = (_read(path) if path else []) + [_parse(text) for text in texts]
    if not (path or texts):
        switches = [name for name, spin in spins.items() if name.startswith(SWITCH) and spin.default == 1 and spin.low == 0]
        found = [Technique(name.removeprefix(SWITCH).replace("_", " "), {name: 0}) for name in switches]
    if not found:
        raise ValueError(f"no technique to switch off: name some, as the engine has no option {SWITCH}… that is on")
    names = [technique.name for technique in found]
    if repeated := {name for name in names if names.count(name) > 1 or name == WHOLE}:
        raise ValueError(f"more than one technique named {', '.join(sorted(repeated))}")
    return found


def _read(path: Path) -> list[Technique]:
    tables = read_toml(path)
    for name, off in tables.items():
        if not isinstance(off, dict) or not off or any(isinstance(value, dict | list) for value in off.values()):
            raise ValueError(f"{path}: {name} is no table of options")
    return [Technique(name, off) for name, off in tables.items()]


def _parse(text: str) -> Technique:
    name, colon, rest = text.rpartition(":")
    pairs = [part.partition("=") for part in (rest if colon else text).split(",")]
    if not all(option.strip() and separator for option, separator, _ in pairs):
        raise ValueError(f"technique {text!r}: not [NAME:]OPTION=VALUE[,OPTION=VALUE...]")
    return Technique(name.strip() or text, {option.strip(): value.strip() for option, _, value in pairs})


def engines(
    spec: EngineSpec, parts: Sequence[Technique], announced: Mapping[str, chess.engine.Option]
) -> tuple[EngineSpec, ...]:
    """The whole engine, and one without each technique. Raises chess.engine.EngineError for values that are none."""
    return tuple(
        replace(spec, name=part.name, options=as_announced(spec.options | part.off, announced))
        for part in (Technique(WHOLE, {}), *parts)
    )


def check(settings: Settings, folder: Path) -> None:
    """Raises ValueError if what lies in the folder is no ablation, whose figures would be written over others'."""
    if settings.engines[0].name != WHOLE:
        raise ValueError(f"{folder} holds a match that is no ablation")


def bench(spec: EngineSpec) -> int | None:
    """The nodes that the engine's command `bench` searches with these options; None for an engine that has none."""
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in spec.options.items()}
    options = [f"setoption name {name} value {text}" for name, text in texts.items()]
    conversation = "\n".join(["uci", *options, "isready", "bench", "quit", ""])
    try:
        output = subprocess.run(
            [spec.program(), *spec.command[1:]], input=conversation, cwd=spec.directory, timeout=_LONGEST_BENCH,
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    counts = _BENCH.findall(f"{output.stdout}\n{output.stderr}")
    return int("".join(counts[-1])) if counts else None


def worths(settings: Settings, results: Results, benches: Mapping[str, int | None]) -> list[Worth]:
    """Every technique's worth by the games so far, the greatest first."""
    whole, *others = settings.engines
    found = []
    for engine in others:
        off = {name: value for name, value in engine.options.items() if whole.options.get(name) != value}
        games = sum(results.trinomial(WHOLE, engine.name))
        guess = estimate(results.best_counts(WHOLE, engine.name)) if games else None
        technique = Technique(engine.name, off)
        found.append(Worth(technique, games, results.pentanomial(WHOLE, engine.name), guess, benches.get(engine.name)))
    return sorted(found, key=lambda worth: -worth.estimate.elo if worth.estimate else math.inf)


def content(settings: Settings, found: Sequence[Worth], benches: Mapping[str, int | None]) -> dict[str, Any]:
    """What ablation.json holds."""
    entries = [
        asdict(worth.technique)
        | {"games": worth.games, "pairs": worth.pairs, "bench": worth.bench}
        | {"elo": _number(worth, "elo"), "margin": _number(worth, "elo_margin")}
        for worth in found
    ]
    return {"kind": "ablation", "limit": settings.time_control, "bench": benches.get(WHOLE), "techniques": entries}


def known_benches(path: Path) -> dict[str, int | None]:
    """The bench of each engine by an earlier ablation.json. Raises ValueError or OSError."""
    if not path.exists():
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        benches = {WHOLE: values["bench"]} | {entry["name"]: entry["bench"] for entry in values["techniques"]}
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not an ablation: {error}") from error
    return {name: nodes for name, nodes in benches.items() if nodes is not None}


def _number(worth: Worth, name: str) -> float | None:
    value = getattr(worth.estimate, name) if worth.estimate else math.nan
    return round(value, 2) if math.isfinite(value) else None


def rows(found: Sequence[Worth]) -> list[list[str]]:
    """Name, options, worth, games and bench of each technique as text."""
    return [
        [
            worth.technique.name,
            ", ".join(f"{name}={value}" for name, value in worth.technique.off.items()),
            elo_text(worth),
            str(worth.games),
            "-" if worth.bench is None else f"{worth.bench:,}",
        ]
        for worth in found
    ]


def elo_text(worth: Worth) -> str:
    """Elo with its margin, as far as they can be told."""
    elo, margin = _number(worth, "elo"), _number(worth, "elo_margin")
    if elo is None:
        return {1.0: "all won", 0.0: "all lost"}.get(worth.estimate.score, "-") if worth.estimate else "-"
    return f"{elo:+.0f}" + ("" if margin is None else f" ± {margin:.0f}")


def markdown(settings: Settings, found: Sequence[Worth], benches: Mapping[str, int | None]) -> str:
    """The table, with a line below that says how it was made."""
    lines = ["| technique | switched off by | worth in Elo | games | bench without |", "|---|---|---:|---:|---:|"]
    lines += ["| {} | `{}` | {} | {} | {} |".format(*row) for row in rows(found)]
    whole = "" if benches.get(WHOLE) is None else f" Bench of the whole engine: {benches[WHOLE]:,}."
    below = f"The whole engine against itself without the technique at {settings.time_control}, with 95 % margins.{whole}"
    return "\n".join([*lines, "", below, ""])


def around_table(path: Path) -> tuple[str, str]:
    """What a Markdown file has before and after the place of the table. Raises ValueError when it has none, or OSError."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(f"{path}: no place for the table, which is between the lines {_BEGIN} and {_END}")
    return before, after


def insert(path: Path, table: str) -> None:
    """Puts the table between the marks of a Markdown file. Raises ValueError when it has none, or OSError."""
    before, after = around_table(path)
    write_safely(path, f"{before}{_BEGIN}\n{table}{_END}{after}".encode())
