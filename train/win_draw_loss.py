"""Fits the win/draw/loss model to games of Zobra against itself: `python -m zobra.train.win_draw_loss`.

Maximum likelihood: each position's score and material against the result of its game, wins, draws and losses being three
outcomes. To be run again after every change of the evaluation; the numbers are written where the engine reads them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from rich.console import Console
from scipy.optimize import minimize
from scipy.special import expit

from zobra.search.win_draw_loss import FILE, FULL_MATERIAL, LEAST_SPREAD, WORTH, Model
from zobra.train.piece_square import PAWN, gather

BEGIN = Model(150.0, 50.0, 80.0, 20.0)
LARGEST_SCORE = 1_000  # centipawns: what is decided tells nothing of the slope
TINY = 1e-9


def material_shares(boards: np.ndarray) -> np.ndarray:
    """Share of all material left on each board, as `material_of` counts it."""
    worth = np.array([WORTH[piece >> 1] for piece in range(12)] + [0])
    return np.minimum(1.0, worth[boards].sum(axis=1) / FULL_MATERIAL)


def outcome_chances(model: np.ndarray, scores: np.ndarray, material: np.ndarray) -> np.ndarray:
    """Rows of the chances to lose, draw and win."""
    half, half_slope, spread, spread_slope = model
    middle, width = half + half_slope * material, np.maximum(spread + spread_slope * material, LEAST_SPREAD)
    win, loss = expit((scores - middle) / width), expit((-scores - middle) / width)
    return np.stack([loss, np.maximum(1 - win - loss, TINY), win])


def fit(scores: np.ndarray, material: np.ndarray, results: np.ndarray) -> tuple[Model, float]:
    """The model of greatest likelihood, and the mean negative log likelihood (nats a position).

    Scores in centipawns from White's side, results in half points for White.
    """

    def loss(pawns: np.ndarray) -> float:
        likelihood = outcome_chances(PAWN * pawns, scores, material)[results, np.arange(len(results))]
        return float(-np.log(np.maximum(likelihood, TINY)).mean())

    found = minimize(loss, np.array(BEGIN) / PAWN, method="BFGS")
    return Model(*(round(float(value), 2) for value in PAWN * found.x)), float(found.fun)


def fit_samples(samples: np.ndarray) -> tuple[Model, float]:
    """Fit to the positions of self-play that are not yet decided."""
    open_ = samples[np.abs(samples["score"]) <= LARGEST_SCORE]
    return fit(open_["score"].astype(np.float64), material_shares(open_["board"]), open_["result"].astype(np.int64))


def main() -> None:
    """Play, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=1_000_000, help="number of the first game")
    parser.add_argument("--nodes", type=int, default=5_000, help="nodes a move")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--samples", type=Path, nargs="*", default=[], help="samples of earlier runs to fit as well (.npy)")
    parser.add_argument("--save", type=Path, help="keep the samples of this run (.npy)")
    parser.add_argument("--output", type=Path, default=FILE)
    arguments = parser.parse_args()
    fresh = gather(arguments.first, arguments.games, arguments.nodes, arguments.workers)
    if arguments.save:
        np.save(arguments.save, fresh)
    samples = np.concatenate([fresh, *(np.load(path) for path in arguments.samples)])
    if not len(samples):
        parser.error("there are no games to fit to: --games or --samples")
    model, loss = fit_samples(samples)
    facts = {
        "made_by": "python -m zobra.train.win_draw_loss",
        "games": len(np.unique(samples["game"])),
        "positions": len(samples),
        "nodes_a_move": arguments.nodes,
        "nats_a_position": round(loss, 5),
    }
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps({**facts, **model._asdict()}, indent=1) + "\n")
    Console().print_json(data={**facts, **model._asdict()})


if __name__ == "__main__":
    main()
