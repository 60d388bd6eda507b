"""Fits of what the engine reads from files, to games of Zobra against itself.

`zobra train wdl`: the win/draw/loss model, by maximum likelihood; to be run again after every
change of the evaluation. `zobra train pieces`: the piece-square values, by logistic regression,
from material only; play games, fit, and repeat with the better engine. Idea: Peter Österlund's
Texel tuning, and the tapered evaluation of Fruit, via the Chess Programming Wiki.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from scipy.special import expit

from zobra.engine.piece_square import FULL_PHASE, KIND_NAMES, MATERIAL, STAGES, TEMPO
from zobra.search.wdl import MOST_PIECES, USUAL_MATERIAL, Model
from zobra.train.game_kernel import DataError
from zobra.train.games import write_atomically
from zobra.train.positions import mailboxes

PAWN = 100.0  # centipawns; the optimisers work in pawns
TINY = 1e-9  # a probability
BEGIN, UNITS = Model(20.0, 80.0, 0.1, 80.0, 0.5), np.array(Model(PAWN, PAWN, 1.0, PAWN, 1.0))
BOUNDS = (None, None), (0, None), (0.02, None), (0.05, None), (0, 1)  # of a Model in UNITS
SCALE = 400 / np.log(10)  # centipawns: 400 means odds of 10 to 1
PHASES = np.array(
    [0, 0, 1, 1, 1, 1, 2, 2, 4, 4, 0, 0, 0], np.float64
)  # by piece, the empty square last
KINDS, SQUARES = 6, 64
CHECKED_SCORES, NEAR = (-200, -100, -50, 0, 50, 100, 200), 15  # centipawns as shown
STIFFNESS = 1e-3  # pull towards the starting values, per squared pawn; matters for rare squares


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


def fit_pieces(
    positions: np.ndarray, facts: dict[str, object], blend: float, output: Path
) -> dict[str, object]:
    """Fit piece-square values to positions of self-play (dtype PACKED), write them with these
    facts, and return the facts. `blend` is the share of the result in the target. The average pawn
    is worth 100 centipawns.
    """
    boards, tempo = mailboxes(positions), int(TEMPO)
    phase = np.minimum(PHASES[boards].sum(axis=1), int(FULL_PHASE)) / int(FULL_PHASE)
    rows, squares = np.nonzero(boards < 12)
    pieces = boards[rows, squares].astype(np.int64)
    columns = (pieces >> 1) * SQUARES + np.where(
        pieces & 1, squares ^ 56, squares
    )  # seen from the side of the piece
    signs, shape = 1.0 - 2.0 * (pieces & 1), (len(boards), KINDS * SQUARES)
    # (positions, 2 × 384): middlegame and endgame weights of each piece kind and square, White
    # minus Black
    matrix = hstack(
        [csr_matrix((signs * part[rows], (rows, columns)), shape) for part in (phase, 1 - phase)]
    ).tocsr()
    target = blend * positions["result"] / 2 + (1 - blend) * expit(positions["score"] / SCALE)
    start = np.tile(np.repeat(np.array(MATERIAL) / PAWN, SQUARES), 2)

    def error(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        expected = expit((matrix @ (weights * PAWN) + tempo) / SCALE)
        return expected - target, expected

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        difference, expected = error(weights)
        slope = difference * expected * (1 - expected) * (2 * PAWN / SCALE / len(boards))
        pull = weights - start
        value = float(np.mean(difference**2)) + STIFFNESS * float(pull @ pull) / len(pull)
        return value, matrix.T @ slope + 2 * STIFFNESS * pull / len(pull)

    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 500, "ftol": 1e-12, "gtol": 1e-9},
    )
    weights = found.x.reshape(2, KINDS, SQUARES)
    pawns = (boards == 0).sum(axis=0) + (boards == 1).sum(axis=0)[np.arange(SQUARES) ^ 56]
    weights = np.rint(100 * weights / np.average(weights[:, 0].mean(axis=0), weights=pawns)).astype(
        np.int64
    )
    mean_error = round(float(np.mean(error(found.x)[0] ** 2)), 6)
    origin = {
        "made_by": "zobra train pieces",
        **facts,
        "blend": blend,
        "mean_squared_error": mean_error,
    }
    tables = {
        stage: {
            name: table.reshape(8, 8).tolist()
            for name, table in zip(KIND_NAMES, of_stage, strict=True)
        }
        for stage, of_stage in zip(STAGES, weights, strict=True)
    }
    text = json.dumps({"origin": origin, **tables}, indent=1)
    ranks = re.sub(
        r"\[\s+([-\d,\s]+?)\s+\]", lambda rank: f"[{' '.join(rank[1].split())}]", text
    )  # one line is one rank
    write_atomically(output, (ranks + "\n").encode())
    return origin
