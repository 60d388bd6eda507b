"""The result of a match as plain values, which `zobra match --json` writes for other programs.

{"time_control", "games", "total", "engines": [{"name", "games", "wins", "draws", "losses",
"points", "pairs": [0 to 2 points], "elo", "elo_margin", "nelo", "nelo_margin", "los", "faults":
{reason: number}}], "sprt": null or {"elo0", "elo1", "alpha", "beta", "model", "llr", "lower",
"upper", "verdict": "H0", "H1" or null}}. Margins are 95 %; infinite and unknown values are null.
"""

import math
from dataclasses import asdict
from typing import Any

from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import estimate


def summary(
    settings: Settings, results: Results, total: int, llr: float | None, verdict: str | None
) -> dict[str, Any]:
    """Return the result of a match; `total` is its number of games once it is complete."""
    return {
        "time_control": settings.time_control,
        "games": results.games,
        "total": total,
        "engines": [_engine(results, name) for name in results.names],
        "sprt": _sprt(settings, llr, verdict),
    }


def _engine(results: Results, name: str) -> dict[str, Any]:
    losses, draws, wins = results.trinomial(name)
    faults = {}
    for (loser, reason), number in results.faults.items():
        if loser == name:
            faults[reason] = number
    entry = {
        "name": name,
        "games": wins + draws + losses,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "points": results.points(name),
        "pairs": results.pentanomial(name),
        "faults": faults,
    }
    if entry["games"] == 0:
        return entry
    found = estimate(results.best_counts(name))
    return entry | {
        "elo": _finite(found.elo),
        "elo_margin": _finite(found.elo_margin),
        "nelo": _finite(found.normalized_elo),
        "nelo_margin": _finite(found.normalized_margin),
        "los": _finite(found.superiority),
    }


def _sprt(settings: Settings, llr: float | None, verdict: str | None) -> dict[str, Any] | None:
    if settings.sprt is None:
        return None
    lower, upper = settings.sprt.limits
    bounds = {"lower": round(lower, 4), "upper": round(upper, 4)}
    return asdict(settings.sprt) | {"llr": _finite(llr or 0.0), "verdict": verdict} | bounds


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
