"""Ablation: what an engine loses when one of its techniques is switched off by an option.

An ablation is a gauntlet (journal.py) of the whole engine, named WHOLE, against itself without each technique. Beside the games
lies `ablation.json`: {"kind": "ablation", "limit", "bench": nodes of the whole engine or null, "techniques": [{"name", "off":
{option: value}, "games", "pairs": [0 to 2 points], "elo", "margin" (null where they are unknown), "bench"}]}, and the same
as a Markdown table in `ablation.md`. Elo is what the engine loses without the technique.
"""

import json
import math
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import chess.engine

from zobra.arena.engine_options import Spin, as_announced
from zobra.arena.engines import EngineSpec
from zobra.arena.files import read_json, read_toml, typed, write_safely
from zobra.arena.results import Results
from zobra.arena.settings import Settings
from zobra.arena.statistics import estimate

WHOLE = "everything"
SWITCH = "use_"
# the last line of a bench, as OpenBench wants it, or as Stockfish prints it
_BENCH = re.compile(r"^\s*(\d+) nodes \d+ nps|^Nodes searched\s*:\s*(\d+)", re.MULTILINE)
_LONGEST_BENCH = 600.0  # seconds
HEADER = ("technique", "switched off by", "Elo lost", "games", "bench without")


@dataclass(frozen=True)
class Technique:
    """A part of an engine, and the options that switch it off."""

    name: str
    off: dict[str, Any]


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


def content(settings: Settings, results: Results, benches: Mapping[str, int | None]) -> dict[str, Any]:
    """The content of ablation.json by the games so far, the techniques with the greatest loss first."""
    whole, *others = settings.engines
    entries = []
    for engine in others:
        games = sum(results.trinomial(WHOLE, engine.name))
        found = estimate(results.best_counts(WHOLE, engine.name)) if games else None
        off = {name: value for name, value in engine.options.items() if whole.options.get(name) != value}
        entry = {"name": engine.name, "off": off, "games": games, "pairs": results.pentanomial(WHOLE, engine.name)}
        numbers = {"elo": _finite(found.elo if found else None), "margin": _finite(found.elo_margin if found else None)}
        entries.append((found.elo if found else -math.inf, entry | numbers | {"bench": benches.get(engine.name)}))
    entries.sort(key=lambda item: -item[0])
    techniques = [entry for _, entry in entries]
    return {"kind": "ablation", "limit": settings.time_control, "bench": benches.get(WHOLE), "techniques": techniques}


def _finite(value: float | None) -> float | None:
    return round(value, 2) if value is not None and math.isfinite(value) else None


def rows(found: Mapping[str, Any]) -> list[list[str]]:
    """The table of ablation.json's content as text, in the order of HEADER."""
    return [
        [
            entry["name"],
            ", ".join(f"{name}={value}" for name, value in entry["off"].items()),
            _elo_text(entry),
            str(entry["games"]),
            "-" if entry["bench"] is None else f"{entry['bench']:,}",
        ]
        for entry in found["techniques"]
    ]


def _elo_text(entry: Mapping[str, Any]) -> str:
    """Elo with its margin, as far as they are known."""
    if entry["elo"] is not None:
        return f"{entry['elo']:+.0f}" + ("" if entry["margin"] is None else f" ± {entry['margin']:.0f}")
    pairs = entry["pairs"]
    return "-" if not entry["games"] else "all won" if pairs[-1] == sum(pairs) else "all lost"


def save(folder: Path, found: Mapping[str, Any]) -> None:
    """Writes ablation.json and ablation.md. Raises OSError."""
    lines = [f"| {' | '.join(HEADER)} |", "|---|---|---:|---:|---:|"]
    lines += ["| {} | `{}` | {} | {} | {} |".format(*row) for row in rows(found)]
    whole = "" if found["bench"] is None else f" Bench of the whole engine: {found['bench']:,}."
    below = f"The whole engine against itself without the technique at {found['limit']}, with 95 % margins.{whole}"
    write_safely(folder / "ablation.json", json.dumps(found, indent=1))
    write_safely(folder / "ablation.md", "\n".join([*lines, "", below, ""]))


def known_benches(path: Path) -> dict[str, int]:
    """The bench of each engine by an earlier ablation.json. Raises ValueError or OSError."""
    if not path.exists():
        return {}

    def convert(values: dict) -> dict[str, int]:
        benches = {WHOLE: values["bench"]} | {entry["name"]: entry["bench"] for entry in values["techniques"]}
        return {name: typed(int, nodes, "bench") for name, nodes in benches.items() if nodes is not None}

    return read_json(path, "an ablation", convert)
