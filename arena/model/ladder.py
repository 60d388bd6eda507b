"""A ladder of engines with known ratings (rungs), and the rating of another engine on it.

Ratings are fitted by maximum likelihood in the Bradley-Terry model, with a draw as half a win, as
in Ordo and BayesElo. Each rung's known rating is a normal prior: a well-known rung keeps its
rating, and a doubtful one moves to the strength that it shows. In a calibration the rungs play each
other. This shows their differences well but hardly their common level; so the covariance of all
ratings is stored in `ladder.json`: {"time_control", "names", "ratings", "covariance": a row for
each name}.
"""

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy
import platformdirs

from zobra.arena.formats.files import read_json, typed, write_safely
from zobra.arena.model.engines import EngineSpec, read_engine_file
from zobra.arena.model.results import Results
from zobra.arena.model.statistics import Z_95

# The ratings that were calibrated on this machine
CALIBRATION = platformdirs.user_data_path("zobra") / "ladder.json"
SHIPPED = Path(__file__).parent / "data" / "ladder.toml"
_UNKNOWN_SIGMA = 700.0  # an engine of unknown strength may be anywhere around the rungs


class Rating(NamedTuple):
    """A fitted rating with its 95 % margin."""

    rating: float
    margin: float


@dataclass(frozen=True)
class Rung:
    """An engine with its rating, and the standard deviation of that rating."""

    engine: EngineSpec
    rating: float
    sigma: float


@dataclass(frozen=True)
class Ratings:
    """Fitted ratings and the covariance of their errors, both in the order of the names."""

    names: list[str]
    ratings: list[float]
    covariance: list[list[float]]

    def __getitem__(self, name: str) -> Rating:
        """Return the rating of one engine. Raise ValueError for an unknown name."""
        at = self.names.index(name)
        return Rating(self.ratings[at], Z_95 * math.sqrt(self.covariance[at][at]))

    def only(self, names: Collection[str]) -> "Ratings":
        """Return only the ratings of these engines."""
        places = [at for at, name in enumerate(self.names) if name in names]
        return Ratings(
            names=[self.names[at] for at in places],
            ratings=[self.ratings[at] for at in places],
            covariance=[[self.covariance[row][at] for at in places] for row in places],
        )


def read_rungs(path: Path) -> list[Rung]:
    """Read a ladder, and return its rungs, weakest first.

    Raise ValueError that names the mistake, or OSError.
    """
    rungs = []
    for engine, extra in read_engine_file(path):
        rating = extra.get("rating")
        sigma = extra.get("sigma", 50)
        if not isinstance(rating, int | float) or not isinstance(sigma, int | float) or sigma <= 0:
            raise ValueError(
                f"{path}: engine {engine.name}: rating and sigma must be numbers, sigma above 0"
            )
        rungs.append(Rung(engine, float(rating), float(sigma)))
    return sorted(rungs, key=lambda rung: rung.rating)


def nearest_first(rungs: Sequence[Rung], engine: EngineSpec) -> list[Rung]:
    """Sort the rungs by their distance from the likely rating of an engine.

    The likely rating is UCI_Elo for an engine of limited strength, otherwise that of the best rung:
    today's engines at full strength are at least about as strong.
    """
    options = {name.lower(): str(value) for name, value in engine.options.items()}
    is_limited = options.get("uci_limitstrength", "").lower() in ("true", "1")
    likely = max(rung.rating for rung in rungs)
    if is_limited and options.get("uci_elo", "").isdigit():
        likely = float(options["uci_elo"])
    return sorted(rungs, key=lambda rung: abs(rung.rating - likely))


def fit(results: Results, rungs: Sequence[Rung], calibration: Ratings | None = None) -> Ratings:
    """Return the ratings of all engines that played.

    The prior of an engine that is not a rung is the middle of the ladder, with a wide margin. A
    `calibration` replaces the known ratings of its rungs.
    """
    from scipy.optimize import minimize

    names = results.names
    unit = math.log(10) / 400
    known = {rung.engine.name: rung for rung in rungs}
    middle = sum(rung.rating for rung in rungs) / len(rungs)
    means = numpy.array([known[name].rating if name in known else middle for name in names])
    sigmas = [known[name].sigma if name in known else _UNKNOWN_SIGMA for name in names]
    prior = numpy.diag(numpy.array(sigmas) ** 2)
    if calibration is not None:
        found = calibration.only(known.keys() & set(names))
        if found.names:
            places = [names.index(name) for name in found.names]
            means[places] = found.ratings
            prior[numpy.ix_(places, places)] = found.covariance
    precision = numpy.linalg.inv(prior)
    wins = numpy.array([[results.points(name, rival) for rival in names] for name in names])

    def expected(ratings: numpy.ndarray) -> numpy.ndarray:
        return 1 / (1 + numpy.exp(-unit * (ratings[:, None] - ratings[None, :])))

    def loss(ratings: numpy.ndarray) -> float:
        off = ratings - means
        return float(-(wins * numpy.log(expected(ratings))).sum() + off @ precision @ off / 2)

    def slope(ratings: numpy.ndarray) -> numpy.ndarray:
        surplus = ((wins + wins.T) * expected(ratings) - wins).sum(axis=1)
        return unit * surplus + precision @ (ratings - means)

    def curvature(ratings: numpy.ndarray) -> numpy.ndarray:
        weights = unit**2 * (wins + wins.T) * expected(ratings) * expected(ratings).T
        return numpy.diag(weights.sum(axis=1)) - weights + precision

    best = minimize(loss, means, jac=slope, hess=curvature, method="trust-exact").x
    return Ratings(list(names), best.tolist(), numpy.linalg.inv(curvature(best)).tolist())


def read_calibration(path: Path) -> tuple[str, Ratings] | None:
    """Return the time control and the ratings of a calibration, or None if there is no file.

    Raise ValueError or OSError.
    """
    if not path.exists():
        return None

    def convert(values: dict) -> tuple[str, Ratings]:
        ratings: Ratings = typed(Ratings, values)
        number = len(ratings.names)
        sizes = {len(ratings.ratings), len(ratings.covariance)}
        sizes.update(len(row) for row in ratings.covariance)
        if sizes != {number} or any(ratings.covariance[at][at] < 0 for at in range(number)):
            raise ValueError("its parts differ in size, or a variance is negative")
        return typed(str, values["time_control"], "time_control"), ratings

    return read_json(path, "a calibration (delete it, or use --published)", convert)


def recalibrated(rungs: Sequence[Rung], calibration: Ratings) -> list[Rung]:
    """Return the rungs with their ratings from a calibration, where it has them."""
    found = []
    for rung in rungs:
        if rung.engine.name in calibration.names:
            new = calibration[rung.engine.name]
            found.append(replace(rung, rating=new.rating, sigma=new.margin / Z_95))
        else:
            found.append(rung)
    return found


def save_calibration(ratings: Ratings, time_control: str, path: Path) -> None:
    """Save calibrated ratings, and keep those of other rungs at the same time control.

    A calibration at another time control is replaced. Raise ValueError or OSError.
    """
    from scipy.linalg import block_diag

    path.parent.mkdir(parents=True, exist_ok=True)
    before = read_calibration(path)
    if before is not None and before[0] == time_control:
        kept = before[1].only(set(before[1].names) - set(ratings.names))
        blocks = [part.covariance for part in (kept, ratings) if part.names]
        ratings = Ratings(
            names=kept.names + ratings.names,
            ratings=kept.ratings + ratings.ratings,
            covariance=block_diag(*blocks).tolist(),  # as independent
        )
    write_safely(path, json.dumps({"time_control": time_control, **asdict(ratings)}, indent=1))


def save_ratings(ratings: Ratings, rungs: Sequence[Rung], folder: Path) -> None:
    """Write ratings.json for the report. Raise OSError.

    It is a list with [name, rating, 95 % margin, rating before or null] for each engine.
    """
    before = {rung.engine.name: rung.rating for rung in rungs}
    rows = [[name, *ratings[name], before.get(name)] for name in ratings.names]
    write_safely(folder / "ratings.json", json.dumps(rows))
