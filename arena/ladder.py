"""A ladder of engines with known ratings, and the rating of another engine on it.

Ratings are fitted by maximum likelihood in the Bradley-Terry model, a draw being half a win, as Ordo and BayesElo do. Each
rung's known rating is a normal prior; so well-known rungs hold the scale, and doubtful ones move to where they play.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from zobra.arena.engines import EngineSpec, read_engine_file
from zobra.arena.results import Results
from zobra.arena.statistics import Z_95

SHIPPED = Path(__file__).parent / "data" / "ladder.toml"
# an engine of unknown strength may be anywhere around the rungs
_UNKNOWN_SIGMA = 700.0


@dataclass(frozen=True)
class Rung:
    """An engine with its rating, how far that may be off (one sigma), and where it is from."""

    engine: EngineSpec
    rating: float
    sigma: float
    source: str


@dataclass(frozen=True)
class Rating:
    """A fitted rating with its 95 % margin."""

    rating: float
    margin: float


def read_rungs(path: Path) -> list[Rung]:
    """Reads a ladder, the weakest rung first. Raises ValueError naming what is wrong, or OSError."""
    rungs = []
    for engine, extra in read_engine_file(path):
        rating, sigma = extra.get("rating"), extra.get("sigma", 50)
        if not isinstance(rating, int | float) or not isinstance(sigma, int | float) or sigma <= 0:
            raise ValueError(f"{path}: engine {engine.name}: rating and sigma must be numbers, sigma above 0")
        rungs.append(Rung(engine, float(rating), float(sigma), str(extra.get("source", "no source given"))))
    return sorted(rungs, key=lambda rung: rung.rating)


def installed(rungs: Sequence[Rung]) -> tuple[list[Rung], list[str]]:
    """Rungs whose program is here, and why the others are left out."""
    here, missing = [], []
    for rung in rungs:
        try:
            rung.engine.program()
            here.append(rung)
        except ValueError as error:
            missing.append(str(error))
    return here, missing


def fit(results: Results, rungs: Sequence[Rung]) -> dict[str, Rating]:
    """Ratings of all engines that played; those that are no rungs start from the middle of the ladder."""
    import numpy
    from scipy.optimize import minimize

    names = results.names
    known = {rung.engine.name: rung for rung in rungs}
    middle = sum(rung.rating for rung in rungs) / len(rungs)
    means = numpy.array([known[name].rating if name in known else middle for name in names])
    sigmas = numpy.array([known[name].sigma if name in known else _UNKNOWN_SIGMA for name in names])
    wins = numpy.array([[results.points(name, rival) for rival in names] for name in names])
    unit = numpy.log(10) / 400

    def expected(ratings: numpy.ndarray) -> numpy.ndarray:
        return 1 / (1 + numpy.exp(-unit * (ratings[:, None] - ratings[None, :])))

    def loss(ratings: numpy.ndarray) -> float:
        return float(-(wins * numpy.log(expected(ratings))).sum() + (((ratings - means) / sigmas) ** 2).sum() / 2)

    def slope(ratings: numpy.ndarray) -> numpy.ndarray:
        surprise = wins - (wins + wins.T) * expected(ratings)
        return -unit * surprise.sum(axis=1) + (ratings - means) / sigmas**2

    def curvature(ratings: numpy.ndarray) -> numpy.ndarray:
        share = expected(ratings)
        weights = unit**2 * (wins + wins.T) * share * (1 - share)
        return numpy.diag(weights.sum(axis=1) + 1 / sigmas**2) - weights

    best = minimize(loss, means, jac=slope, hess=curvature, method="trust-exact").x
    margins = Z_95 * numpy.sqrt(numpy.diag(numpy.linalg.inv(curvature(best))))
    return {name: Rating(float(rating), float(margin)) for name, rating, margin in zip(names, best, margins, strict=True)}


def calibration_file() -> Path:
    """Where this machine's own ratings of rungs are kept."""
    return platformdirs.user_data_path("zobra") / "ladder.json"


def calibrated(rungs: Sequence[Rung], path: Path) -> list[Rung]:
    """Rungs with the ratings that a calibration found, where there is one. Raises ValueError or OSError."""
    if not path.exists():
        return list(rungs)
    time_control, ratings = _read_calibration(path)
    source = f"calibrated at {time_control}, {path.name}"
    return [_recalibrated(rung, ratings.get(rung.engine.name), source) for rung in rungs]


def _read_calibration(path: Path) -> tuple[str, dict[str, Rating]]:
    """Time control and ratings. Raises ValueError or OSError."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return content["time_control"], {name: Rating(*values) for name, values in content["ratings"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path}: not a calibration ({error}); delete it or use --published") from error


def _recalibrated(rung: Rung, found: Rating | None, source: str) -> Rung:
    return rung if found is None else Rung(rung.engine, found.rating, found.margin / Z_95, source)


def save_calibration(ratings: Mapping[str, Rating], time_control: str, path: Path) -> None:
    """Keeps ratings for later ladders, beside those of other rungs at the same time control. Raises ValueError or OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before_at, before = _read_calibration(path) if path.exists() else (time_control, {})
    kept = before | dict(ratings) if before_at == time_control else ratings
    values = {name: [rating.rating, rating.margin] for name, rating in kept.items()}
    path.write_text(json.dumps({"time_control": time_control, "ratings": values}, indent=1), encoding="utf-8")
