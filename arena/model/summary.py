"""The result of a match as plain values, which `zobra match --json` writes for other programs.

{"folder", "created", "command_line", "machine", "concurrency", "time_control", "tournament",
"chess960", "openings": {"book", "digest", "order", "plies", "seed"}, "games", "total", "engines":
[{"name", "version", "command", "options", "time_control", "threads", "hash", "games", "wins",
"draws", "losses", "points", "pairs": [0 to 2 points], "faults": {reason: number}, "elo",
"elo_margin", "elo_bound", "nelo", "nelo_margin", "los"}], "sprt": null or {"elo0", "elo1", "alpha",
"beta", "model", "llr", "lower", "upper", "verdict": "H0", "H1" or null}}. Margins are 95 %;
infinite and unknown values are null. The last six of an engine are missing before its first game.
"""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zobra.arena.model.engines import EngineSpec, Resources
from zobra.arena.model.journal import Journal, RunConditions
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.model.statistics import estimate, sweep_bound


def summary(
    journal: Journal, results: Results, total: int, llr: float | None, verdict: str | None
) -> dict[str, Any]:
    """Return the result of a match; `total` is its number of games once it is complete."""
    settings = journal.settings
    conditions = journal.conditions
    engines = []
    for engine in settings.engines:
        described = _description(engine, settings, conditions)
        engines.append(described | _score(results, engine.name))
    return {
        "folder": str(journal.folder.resolve()),
        "created": conditions.created,
        "command_line": conditions.command_line,
        "machine": conditions.machine,
        "concurrency": conditions.concurrency,
        "time_control": settings.time_control,
        "tournament": settings.tournament,
        "chess960": settings.chess960,
        "openings": {
            "book": settings.book,
            "digest": settings.book_digest,
            "order": settings.order,
            "plies": settings.plies,
            "seed": settings.seed,
        },
        "games": results.games,
        "total": total,
        "engines": engines,
        "sprt": _sprt(settings, llr, verdict),
    }


def check_replaceable(path: Path) -> None:
    """Raise ValueError if the file exists and does not hold the result of a match."""
    if not path.exists():
        return
    try:
        is_result = json.loads(path.read_bytes()).keys() >= {"sprt", "games", "total"}
    except (ValueError, AttributeError):
        is_result = False
    if not is_result:
        raise ValueError(
            f"{path} exists and does not hold the result of a match: name another file with --json"
        )


def _description(
    engine: EngineSpec, settings: Settings, conditions: RunConditions
) -> dict[str, Any]:
    return {
        "name": engine.name,
        "version": conditions.versions.get(engine.name),
        "command": list(engine.command),
        "options": engine.options,
        "time_control": str(settings.controls[engine.name]),
        **asdict(conditions.resources.get(engine.name, Resources())),
    }


def _score(results: Results, name: str) -> dict[str, Any]:
    losses, draws, wins = results.trinomial(name)
    faults = {}
    for (loser, reason), number in results.faults.items():
        if loser == name:
            faults[reason] = number
    games = wins + draws + losses
    entry = {
        "games": games,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "points": results.points(name),
        "pairs": results.pentanomial(name),
        "faults": faults,
    }
    if games == 0:
        return entry
    found = estimate(results.best_counts(name))
    bound = math.nan
    if math.isinf(found.elo) and sweep_bound(games) > 0:
        bound = math.copysign(sweep_bound(games), found.elo)
    normalized_margin = math.nan
    if math.isfinite(found.normalized_elo):
        normalized_margin = found.normalized_margin
    return entry | {
        "elo": _finite(found.elo),
        "elo_margin": _finite(found.elo_margin),
        "elo_bound": _finite(bound),
        "nelo": _finite(found.normalized_elo),
        "nelo_margin": _finite(normalized_margin),
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
