"""What an engine loses when one of its techniques is switched off by an option.

An ablation is a gauntlet (journal.py) of the whole engine, named WHOLE, against itself without each
technique. Beside the games lie `ablation.json`: {"kind": "ablation", "limit", "bench": nodes of the
whole engine or null, "techniques": [{"name", "off": {option: value}, "games", "pairs": [0 to 2
points], "elo" lost and its "margin", or null, "bench"}]}, and a table `ablation.md`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chess.engine import Option

from zobra.arena.formats.files import read_toml, write_safely
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import estimate

WHOLE = "everything"
SWITCH = "use_"
HEADER = ("technique", "switched off by", "Elo lost", "games", "bench without")


def techniques(
    path: Path | None, texts: Sequence[str], spins: Mapping[str, Option]
) -> dict[str, dict[str, Any]]:
    """The options that switch each technique off, by a TOML file with a table [NAME] of options for
    each, and by texts [NAME:]OPTION=VALUE[,OPTION=VALUE...]. Without either, all options named
    use_… that are on. Raises ValueError or OSError.
    """
    found = list(read_toml(path).items()) if path else []
    for name, off in found:
        if (
            not isinstance(off, dict)
            or not off
            or any(isinstance(value, dict | list) for value in off.values())
        ):
            raise ValueError(f"{path}: {name} is no table of options")
    for text in texts:
        name, _, rest = text.rpartition(":")
        pairs = [part.partition("=") for part in rest.split(",")]
        if not all(option.strip() and separator for option, separator, _ in pairs):
            raise ValueError(f"technique {text!r}: not [NAME:]OPTION=VALUE[,OPTION=VALUE...]")
        found.append(
            (name.strip() or text, {option.strip(): value.strip() for option, _, value in pairs})
        )
    if not (path or texts):
        switches = [
            name
            for name, spin in spins.items()
            if name.startswith(SWITCH) and (spin.min, spin.default) == (0, 1)
        ]
        found = [(name.removeprefix(SWITCH).replace("_", " "), {name: 0}) for name in switches]
    if not found:
        raise ValueError(
            f"no technique to switch off: name some, as the engine has no option {SWITCH}… "
            "that is on"
        )
    names = [name for name, _ in found]
    if repeated := {name for name in names if names.count(name) > 1 or name == WHOLE}:
        raise ValueError(f"more than one technique named {', '.join(sorted(repeated))}")
    return dict(found)


def content(
    settings: Settings, results: Results, benches: Mapping[str, int | None]
) -> dict[str, Any]:
    """The content of ablation.json by the games so far, the techniques with the greatest loss
    first.
    """
    whole, *others = settings.engines
    entries = []
    for engine in others:
        games, pairs = (
            sum(results.trinomial(WHOLE, engine.name)),
            results.pentanomial(WHOLE, engine.name),
        )
        found = estimate(results.best_counts(WHOLE, engine.name)) if games else None
        elo, margin = (found.elo, found.elo_margin) if found else (-math.inf, math.nan)
        known = {
            key: round(v, 2) if math.isfinite(v) else None
            for key, v in (("elo", elo), ("margin", margin))
        }
        off = {
            name: value
            for name, value in engine.options.items()
            if whole.options.get(name) != value
        }
        entry = {
            "name": engine.name,
            "off": off,
            "games": games,
            "pairs": pairs,
            **known,
            "bench": benches.get(engine.name),
        }
        entries.append((elo, entry))
    techniques = [entry for _, entry in sorted(entries, key=lambda item: -item[0])]
    return {
        "kind": "ablation",
        "limit": settings.time_control,
        "bench": benches.get(WHOLE),
        "techniques": techniques,
    }


def rows(found: Mapping[str, Any]) -> list[list[str]]:
    """The table of an ablation, under HEADER: Elo with its margin, as far as known."""
    table = []
    for entry in found["techniques"]:
        pairs = entry["pairs"]
        off = ", ".join(f"{name}={value}" for name, value in entry["off"].items())
        elo = "-" if not entry["games"] else "all won" if pairs[-1] == sum(pairs) else "all lost"
        if entry["elo"] is not None:
            elo = f"{entry['elo']:+.0f}" + (
                "" if entry["margin"] is None else f" ± {entry['margin']:.0f}"
            )
        bench = "-" if entry["bench"] is None else f"{entry['bench']:,}"
        table.append([entry["name"], off, elo, str(entry["games"]), bench])
    return table


def save(folder: Path, found: Mapping[str, Any]) -> None:
    """Writes ablation.json and ablation.md. Raises OSError."""
    lines = [f"| {' | '.join(HEADER)} |", "|---|---|---:|---:|---:|"]
    lines += ["| {} | `{}` | {} | {} | {} |".format(*row) for row in rows(found)]
    whole = "" if found["bench"] is None else f" Bench of the whole engine: {found['bench']:,}."
    below = (
        f"The whole engine against itself without the technique at {found['limit']}, with 95 "
        f"% margins.{whole}"
    )
    write_safely(folder / "ablation.json", json.dumps(found, indent=1))
    write_safely(folder / "ablation.md", "\n".join([*lines, "", below, ""]))
