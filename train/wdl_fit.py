"""The fit of the win/draw/loss model to games of self-play, by maximum likelihood.

After a change of the evaluation, compare the engine's model with new games by `zobra train wdl`
with `--check`. If they no longer agree, fit it again: `--output` names the file that the engine
reads (FILE in search/wdl.py).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from zobra.search.wdl import MOST_PIECES, USUAL_MATERIAL, Model
from zobra.train.game_kernel import DataError
from zobra.train.games import write_atomically
from zobra.train.positions import EMPTY, mailboxes

PAWN = 100.0  # internal units: the optimiser works in pawns
TINY = 1e-9  # a probability
BEGIN = Model(20.0, 80.0, 0.1, 80.0, 0.5)
UNITS = np.array(Model(PAWN, PAWN, 1.0, PAWN, 1.0))
BOUNDS = ((None, None), (0, None), (0.02, None), (0.05, None), (0, 1))  # of a Model in UNITS
CHECKED_SCORES = (-200, -100, -50, 0, 50, 100, 200)  # centipawns as shown
NEAR = 15  # centipawns as shown


def material_shares(boards: np.ndarray) -> np.ndarray:
    """Return the share of pieces left on each board (see `material_of` in search/wdl.py)."""
    pieces = (boards != EMPTY).sum(axis=1)
    return (pieces - 2) / MOST_PIECES


def outcome_probabilities(model: Model, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """Return the probabilities of loss, draw and win, one row each."""
    win = model.win(scores, material)
    loss = model.win(-scores, material)
    return np.stack([loss, np.maximum(1 - win - loss, TINY), win])


def fit_model(scores: np.ndarray, material: np.ndarray, results: np.ndarray) -> tuple[Model, float]:
    """Return the most likely model, and its mean negative log-likelihood in nats.

    Scores are in internal units, and results in half points (integers).
    """
    games = np.arange(len(results))

    def loss(numbers: np.ndarray) -> float:
        probabilities = outcome_probabilities(Model(*(UNITS * numbers)), scores, material)
        likelihood = probabilities[results, games]
        return float(-np.log(np.maximum(likelihood, TINY)).mean())

    found = minimize(loss, np.array(BEGIN) / UNITS, bounds=BOUNDS)
    numbers = [round(float(value), 3) for value in UNITS * found.x]
    return Model(*numbers), float(found.fun)


def compare_wdl(model: Model, positions: np.ndarray) -> Iterator[str]:
    """Yield the lines of a table of wins, draws and losses near CHECKED_SCORES.

    It compares the shares that the model predicts with those at `positions` (dtype PACKED).
    """
    scores = positions["score"].astype(np.float64)
    material = material_shares(mailboxes(positions))
    shown = 100 * scores / model.even_chance(USUAL_MATERIAL)
    predicted = outcome_probabilities(model, scores, material)[::-1]
    observed = positions["result"] == np.array([[2], [1], [0]])
    yield "score  positions  predicted: won drawn lost  observed: won drawn lost"
    for score in CHECKED_SCORES:
        near = np.abs(shown - score) <= NEAR
        if near.any():
            yield (
                f"{score:+5d} {near.sum():10,d}        {_percentages(predicted[:, near])}"
                f"         {_percentages(observed[:, near])}"
            )


def _percentages(shares: np.ndarray) -> str:
    """Format the mean of each row in per cent."""
    return " ".join(f"{share:5.1%}" for share in shares.mean(axis=1))


def fit_wdl(positions: np.ndarray, facts: dict[str, Any], output: Path) -> Model:
    """Fit the model to positions (dtype PACKED), write it with these facts, and return it.

    If the model makes no sense, raise DataError and write nothing.
    """
    scores = positions["score"].astype(np.float64)
    material = material_shares(mailboxes(positions))
    model, loss = fit_model(scores, material, positions["result"].astype(np.int64))
    if not model.even_chance(USUAL_MATERIAL) > 0:  # also for NaN
        raise DataError(f"the fit to these games failed: {model}")
    content = {
        "made_by": "zobra train wdl",
        **facts,
        "nats_a_position": round(loss, 5),
        **model._asdict(),
    }
    write_atomically(output, (json.dumps(content, indent=1) + "\n").encode())
    return model
