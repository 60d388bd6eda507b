"""A ladder of engines with known ratings (rungs), and the rating of another engine on it.

Ratings are fitted by maximum likelihood in the Bradley-Terry model, a draw being half a win, as
Ordo and BayesElo do. Each rung's known rating is a normal prior: a well-known rung keeps its
rating, a doubtful one moves to where it plays. In a calibration rungs play each other. That shows
their differences well, but hardly their common level; so the covariance of all ratings is kept, in
`ladder.json`: {"time_control", "names", "ratings", "covariance": a row for each name}.
"""

import json
import math
from collections import namedtuple
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy
import platformdirs

from zobra.arena.formats.files import read_json, typed, write_safely
from zobra.arena.model.engines import EngineSpec, read_engine_file
from zobra.arena.model.results import Results
from zobra.arena.model.statistics import Z_95

CALIBRATION = (
    platformdirs.user_data_path("zobra") / "ladder.json"
)  # the ratings that were calibrated on this machine
SHIPPED = Path(__file__).parent / "data" / "ladder.toml"
_UNKNOWN_SIGMA = 700.0  # an engine of unknown strength may be anywhere around the rungs
Rating = namedtuple("Rating", ("rating", "margin"))  # a fitted rating with its 95 % margin


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
        """The rating of one engine. Raises ValueError for an unknown name."""
        at = self.names.index(name)
        return Rating(self.ratings[at], Z_95 * math.sqrt(self.covariance[at][at]))

    def only(self, names: Collection[str]) -> "Ratings":
        """The ratings of these engines alone."""
        places = [at for at, name in enumerate(self.names) if name in names]
        covariance = [[self.covariance[row][column] for column in places] for row in places]
        return Ratings(
            [self.names[at] for at in places], [self.ratings[at] for at in places], covariance
        )


def read_rungs(path: Path) -> list[Rung]:
    """Reads a ladder, the weakest rung first.

    Raises ValueError naming what is wrong, or OSError.
    """
    rungs = []
    for engine, extra in read_engine_file(path):
        rating, sigma = extra.get("rating"), extra.get("sigma", 50)
        if not isinstance(rating, int | float) or not isinstance(sigma, int | float) or sigma <= 0:
            raise ValueError(
                f"{path}: engine {engine.name}: rating and sigma must be numbers, sigma above 0"
            )
        rungs.append(Rung(engine, float(rating), float(sigma)))
    return sorted(rungs, key=lambda rung: rung.rating)


def nearest_first(rungs: Sequence[Rung], engine: EngineSpec) -> list[Rung]:
    """Return the rungs in the order of their distance from the likely rating of an engine.

    That is its UCI_Elo if its strength is limited. At full strength today's engines are as strong
    as the best rungs, or stronger.
    """
    options = {name.lower(): str(value) for name, value in engine.options.items()}
    is_limited = options.get("uci_limitstrength", "").lower() in ("true", "1")
    likely = max(rung.rating for rung in rungs)
    if is_limited and options.get("uci_elo", "").isdigit():
        likely = float(options["uci_elo"])
    return sorted(rungs, key=lambda rung: abs(rung.rating - likely))


def fit(results: Results, rungs: Sequence[Rung], calibration: Ratings | None = None) -> Ratings:
    """Ratings of all engines that played.

    An engine that is no rung starts from the middle of the ladder. A `calibration` replaces the
    known ratings of its rungs.
    """
    from scipy.optimize import minimize

    names, unit = results.names, math.log(10) / 400
    known = {rung.engine.name: (rung.rating, rung.sigma) for rung in rungs}
    unknown = sum(rung.rating for rung in rungs) / len(rungs), _UNKNOWN_SIGMA
    means, sigmas = numpy.array([known.get(name, unknown) for name in names]).T
    prior = numpy.diag(sigmas**2)
    if calibration is not None and (found := calibration.only(known.keys() & set(names))).names:
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
        return unit * ((wins + wins.T) * expected(ratings) - wins).sum(axis=1) + precision @ (
            ratings - means
        )

    def curvature(ratings: numpy.ndarray) -> numpy.ndarray:
        weights = unit**2 * (wins + wins.T) * expected(ratings) * expected(ratings).T
        return numpy.diag(weights.sum(axis=1)) - weights + precision

    best = minimize(loss, means, jac=slope, hess=curvature, method="trust-exact").x
    return Ratings(list(names), best.tolist(), numpy.linalg.inv(curvature(best)).tolist())


def read_calibration(path: Path) -> tuple[str, Ratings] | None:
    """Its time control and ratings; None where there is none. Raises ValueError or OSError."""
    if not path.exists():
        return None

    def convert(values: dict) -> tuple[str, Ratings]:
        ratings: Ratings = typed(Ratings, values)
        sizes = {
            len(ratings.ratings),
            len(ratings.covariance),
            *(len(row) for row in ratings.covariance),
        }
        if sizes != {len(ratings.names)} or any(
            ratings.covariance[at][at] < 0 for at in range(len(ratings.names))
        ):
            raise ValueError("its parts differ in size, or a variance is negative")
        return typed(str, values["time_control"], "time_control"), ratings

    return read_json(path, "a calibration (delete it, or use --published)", convert)


def recalibrated(rungs: Sequence[Rung], calibration: Ratings) -> list[Rung]:
    """Rungs with the ratings that a calibration found."""
    found = {name: calibration[name] for name in calibration.names}
    pairs = [(rung, found.get(rung.engine.name)) for rung in rungs]
    return [
        replace(rung, rating=new.rating, sigma=new.margin / Z_95) if new else rung
        for rung, new in pairs
    ]


def save_calibration(ratings: Ratings, time_control: str, path: Path) -> None:
    """Saves ratings, beside earlier ones of other rungs at the same time control.

    Raises ValueError or OSError.
    """
    from scipy.linalg import block_diag

    path.parent.mkdir(parents=True, exist_ok=True)
    before_at, before = read_calibration(path) or (None, None)
    if before is not None and before_at == time_control:
        kept = before.only(set(before.names) - set(ratings.names))
        covariance = block_diag(
            *(part.covariance for part in (kept, ratings) if part.names)
        ).tolist()  # as independent
        ratings = Ratings(kept.names + ratings.names, kept.ratings + ratings.ratings, covariance)
    write_safely(path, json.dumps({"time_control": time_control} | asdict(ratings), indent=1))


def save_ratings(ratings: Ratings, rungs: Sequence[Rung], folder: Path) -> None:
    """Writes ratings.json for the report: [name, rating, 95 % margin, rating before or null] of
    each engine. Raises OSError.
    """
    before = {rung.engine.name: rung.rating for rung in rungs}
    write_safely(
        folder / "ratings.json",
        json.dumps([[name, *ratings[name], before.get(name)] for name in ratings.names]),
    )
