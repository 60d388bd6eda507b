"""The loss of an engine when one of its techniques is switched off by an option.

An ablation is a gauntlet (journal.py) of the whole engine, named WHOLE, against itself without each
technique. The folder also has `ablation.json`: {"kind": "ablation", "limit", "bench": nodes of the
whole engine or null, "techniques": [{"name", "off": {option: value}, "games", "points" of the whole
engine, "pairs": [0 to 2 points], "elo" lost and its "margin", or null, "bench"}]}, and a table
`ablation.md`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chess.engine import Option

from zobra.arena.formats.files import read_json, read_toml, typed, write_safely
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import estimate

WHOLE = "everything"
SWITCH = "use_"
SHIPPED = Path(__file__).parent / "data" / "techniques.toml"  # of Zobra
HEADER = ("technique", "switched off by", "Elo lost", "games", "bench without")


def techniques(
    path: Path | None, texts: Sequence[str], spins: Mapping[str, Option]
) -> dict[str, dict[str, Any]]:
    """Return the options that switch off each technique.

    They come from a TOML file, with a table [NAME] of options for each technique, and from strings
    [NAME:]OPTION=VALUE[,OPTION=VALUE...]. Without either, they are those of Zobra's own techniques
    whose options the engine has, and all options named use_… that are on. Raise ValueError or
    OSError.
    """
    found = _read_techniques(path) if path is not None else []
    found += [_parse_technique(text) for text in texts]
    if path is None and not texts:
        found = _usual_techniques(spins)
    if not found:
        raise ValueError(
            f"no technique to switch off: name some, as the engine has no option {SWITCH}… "
            "that is on"
        )
    names = [name for name, _ in found]
    repeated = {name for name in names if names.count(name) > 1 or name == WHOLE}
    if repeated:
        raise ValueError(f"more than one technique named {', '.join(sorted(repeated))}")
    return dict(found)


def _read_techniques(path: Path) -> list[tuple[str, dict[str, Any]]]:
    found = list(read_toml(path).items())
    for name, off in found:
        is_table = isinstance(off, dict) and len(off) > 0
        if not is_table or any(isinstance(value, dict | list) for value in off.values()):
            raise ValueError(f"{path}: {name} is not a table of options")
    return found


def _parse_technique(text: str) -> tuple[str, dict[str, Any]]:
    name, _, rest = text.rpartition(":")
    off = {}
    for part in rest.split(","):
        option, separator, value = part.partition("=")
        if not option.strip() or not separator:
            raise ValueError(f"technique {text!r}: must be [NAME:]OPTION=VALUE[,OPTION=VALUE...]")
        off[option.strip()] = value.strip()
    return name.strip() or text, off


def _usual_techniques(spins: Mapping[str, Option]) -> list[tuple[str, dict[str, Any]]]:
    found = []
    known: set[str] = set()
    for name, off in _read_techniques(SHIPPED):
        if off.keys() <= spins.keys():
            found.append((name, off))
            known |= off.keys()
    for option, spin in spins.items():
        is_on = (spin.min, spin.default) == (0, 1)
        if option.startswith(SWITCH) and is_on and option not in known:
            found.append((option.removeprefix(SWITCH).replace("_", " "), {option: 0}))
    return found


def kept_benches(folder: Path) -> dict[str, int | None]:
    """Return the benches that an earlier run left in this folder, by engine name.

    Raise ValueError or OSError.
    """
    path = folder / "ablation.json"
    if not path.exists():
        return {}
    kept = read_json(
        path, "an ablation", lambda values: [values | {"name": WHOLE}, *values["techniques"]]
    )
    return {entry["name"]: typed(int | None, entry["bench"], "bench") for entry in kept}


def content(
    settings: Settings, results: Results, benches: Mapping[str, int | None]
) -> dict[str, Any]:
    """Return the content of ablation.json after the games so far, the largest loss first."""
    whole, *others = settings.engines
    entries = []
    for engine in others:
        games = sum(results.trinomial(WHOLE, engine.name))
        elo = -math.inf
        margin = math.nan
        if games:
            found = estimate(results.best_counts(WHOLE, engine.name))
            elo = found.elo
            margin = found.elo_margin
        off = {}
        for name, value in engine.options.items():
            if whole.options.get(name) != value:
                off[name] = value
        entry = {
            "name": engine.name,
            "off": off,
            "games": games,
            "points": results.points(WHOLE, engine.name),
            "pairs": results.pentanomial(WHOLE, engine.name),
            "elo": _known(elo),
            "margin": _known(margin),
            "bench": benches.get(engine.name),
        }
        entries.append((elo, entry))
    entries.sort(key=lambda item: -item[0])
    return {
        "kind": "ablation",
        "limit": settings.time_control,
        "bench": benches.get(WHOLE),
        "techniques": [entry for _, entry in entries],
    }


def _known(number: float) -> float | None:
    """Return a rounded number for JSON, or None if it is not finite."""
    return round(number, 2) if math.isfinite(number) else None


def rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Return the rows of the ablation's table, with the columns HEADER.

    Elo has its margin where one is known.
    """
    table = []
    for entry in found["techniques"]:
        off = ", ".join(f"{name}={value}" for name, value in entry["off"].items())
        bench = "-" if entry["bench"] is None else f"{entry['bench']:,}"
        table.append([entry["name"], off, _elo_text(entry), str(entry["games"]), bench])
    return table


def _elo_text(entry: Mapping[str, Any]) -> str:
    if not entry["games"]:
        return "-"
    if entry["elo"] is None:
        return "all won" if entry["points"] else "all lost"
    if entry["margin"] is None:
        return f"{entry['elo']:+.0f}"
    return f"{entry['elo']:+.0f} ± {entry['margin']:.0f}"


def save(folder: Path, found: Mapping[str, Any]) -> None:
    """Write ablation.json and ablation.md. Raise OSError."""
    lines = [f"| {' | '.join(HEADER)} |", "|---|---|---:|---:|---:|"]
    for name, off, elo, games, bench in rows(found):
        lines.append(f"| {name} | `{off}` | {elo} | {games} | {bench} |")
    whole = "" if found["bench"] is None else f" Bench of the whole engine: {found['bench']:,}."
    below = (
        f"The whole engine against itself without the technique at {found['limit']}, with 95 "
        f"% margins.{whole}"
    )
    write_safely(folder / "ablation.json", json.dumps(found, indent=1))
    write_safely(folder / "ablation.md", "\n".join([*lines, "", below, ""]))
