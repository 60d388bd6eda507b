"""The win/draw/loss model, fitted to games of Zobra against itself by maximum likelihood.

`zobra train wdl` does it; it has to be run again after every change of the evaluation.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from zobra.search.wdl import MOST_PIECES, USUAL_MATERIAL, Model
from zobra.train.game_kernel import DataError
from zobra.train.games import write_atomically
from zobra.train.positions import mailboxes

PAWN = 100.0  # centipawns; the optimisers work in pawns
TINY = 1e-9  # a probability
BEGIN = Model(20.0, 80.0, 0.1, 80.0, 0.5)
UNITS = np.array(Model(PAWN, PAWN, 1.0, PAWN, 1.0))
BOUNDS = (None, None), (0, None), (0.02, None), (0.05, None), (0, 1)  # of a Model in UNITS
CHECKED_SCORES = (-200, -100, -50, 0, 50, 100, 200)  # centipawns as shown
NEAR = 15  # centipawns


def material_shares(boards: np.ndarray) -> np.ndarray:
    """Share of the pieces that is left on each board, as `material_of` counts it."""
    return ((boards < 12).sum(axis=1) - 2) / MOST_PIECES


def outcome_probabilities(model: Model, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """Probabilities of loss, draw and win, one row each."""
    win, loss = model.win(scores, material), model.win(-scores, material)
    return np.stack([loss, np.maximum(1 - win - loss, TINY), win])


def fit_model(scores: np.ndarray, material: np.ndarray, results: np.ndarray) -> tuple[Model, float]:
    """The likeliest model, and its mean negative log likelihood (nats); scores in centipawns,
    results in half points.
    """

    def loss(numbers: np.ndarray) -> float:
        likelihood = outcome_probabilities(Model(*(UNITS * numbers)), scores, material)[
            results, np.arange(len(results))
        ]
        return float(-np.log(np.maximum(likelihood, TINY)).mean())

    found = minimize(loss, np.array(BEGIN) / UNITS, bounds=BOUNDS)
    return Model(*(round(float(value), 3) for value in UNITS * found.x)), float(found.fun)


def compare_wdl(model: Model, positions: np.ndarray) -> Iterator[str]:
    """Lines of a table: shares of wins, draws and losses that the model predicts and that games
    had, near CHECKED_SCORES.
    """
    scores, material = positions["score"].astype(np.float64), material_shares(mailboxes(positions))
    shown = 100 * scores / model.even_chance(USUAL_MATERIAL)
    predicted = outcome_probabilities(model, scores, material)[::-1]
    observed = positions["result"] == np.array([[2], [1], [0]])
    yield "score  positions  predicted: won drawn lost  observed: won drawn lost"
    for score in CHECKED_SCORES:
        if (near := np.abs(shown - score) <= NEAR).any():
            shares = [
                " ".join(f"{share:5.1%}" for share in each[:, near].mean(axis=1))
                for each in (predicted, observed)
            ]
            yield f"{score:+5d} {near.sum():10,d}        {shares[0]}         {shares[1]}"


def fit_wdl(positions: np.ndarray, facts: dict[str, object], output: Path) -> Model:
    """Fit the model to positions of self-play (dtype PACKED), write it with these facts, and return
    it. DataError where no sensible model comes out; then the file is unchanged.
    """
    material = material_shares(mailboxes(positions))
    model, loss = fit_model(
        positions["score"].astype(np.float64), material, positions["result"].astype(np.int64)
    )
    if not model.even_chance(USUAL_MATERIAL) > 0:  # also for NaN
        raise DataError(f"the fit to these games failed: {model}")
    facts = {
        "made_by": "zobra train wdl",
        **facts,
        "nats_a_position": round(loss, 5),
        **model._asdict(),
    }
    write_atomically(output, (json.dumps(facts, indent=1) + "\n").encode())
    return model
