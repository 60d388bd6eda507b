"""Fits the win/draw/loss model to games of Zobra against itself: `zobra train wdl`.

Maximum likelihood of the game results, given score and material of each position. To be run again after every change of the
evaluation. The numbers are written to the file that the engine reads.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from zobra.search.wdl import FULL_MATERIAL, LEAST_SPREAD, PIECE_VALUES, USUAL_MATERIAL, Model
from zobra.train.games import write_atomically
from zobra.train.positions import mailboxes
from zobra.train.training_game import DataError

BEGIN = Model(150.0, 50.0, 80.0, 20.0)
PAWN = 100.0  # centipawns; the optimiser works in pawns
TINY = 1e-9


def material_shares(boards: np.ndarray) -> np.ndarray:
    """Share of the full material on each board, as `material_of` counts it."""
    worth = np.array([PIECE_VALUES[piece >> 1] for piece in range(12)] + [0])
    return np.minimum(1.0, worth[boards].sum(axis=1) / FULL_MATERIAL)


def outcome_probabilities(model: np.ndarray, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """Probabilities of loss, draw and win, one row each."""
    half, half_slope, spread, spread_slope = model
    middle, width = half + half_slope * material, np.maximum(spread + spread_slope * material, LEAST_SPREAD)
    win, loss = expit((scores - middle) / width), expit((-scores - middle) / width)
    return np.stack([loss, np.maximum(1 - win - loss, TINY), win])


def fit(scores: np.ndarray, material: np.ndarray, results: np.ndarray) -> tuple[Model, float]:
    """The model of greatest likelihood, and the mean negative log likelihood (nats a position).

    Scores in centipawns, results in half points, both from the same side.
    """

    def loss(pawns: np.ndarray) -> float:
        likelihood = outcome_probabilities(PAWN * pawns, scores, material)[results, np.arange(len(results))]
        return float(-np.log(np.maximum(likelihood, TINY)).mean())

    found = minimize(loss, np.array(BEGIN) / PAWN, method="BFGS")
    return Model(*(round(float(value), 2) for value in PAWN * found.x)), float(found.fun)


def fit_positions(positions: np.ndarray, facts: dict[str, object], output: Path) -> dict[str, object]:
    """Fit to positions of self-play (dtype PACKED), write the model with these facts, and return what was written.

    DataError where no sensible model comes out; then the file is unchanged.
    """
    material = material_shares(mailboxes(positions))
    model, loss = fit(positions["score"].astype(np.float64), material, positions["result"].astype(np.int64))
    if not model.even_chance(USUAL_MATERIAL) > 0:  # also for NaN
        raise DataError(f"the fit to these games failed: {model}")
    facts = {"made_by": "zobra train wdl", **facts, "nats_a_position": round(loss, 5), **model._asdict()}
    write_atomically(output, (json.dumps(facts, indent=1) + "\n").encode())
    return facts
