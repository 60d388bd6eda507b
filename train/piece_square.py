"""Fits the piece-square evaluation to games of Zobra against itself: `zobra train pieces`.

Starts from material only: play games, fit 12 × 64 values by logistic regression, write them to the file that the engine reads,
repeat with the better engine. The only inputs are the rules of chess and six starting values.
Idea: the tuning method of Peter Österlund's Texel, and the tapered evaluation of Fruit, via the Chess Programming Wiki.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from scipy.special import expit

from zobra.engine.piece_square import FULL_PHASE, KIND_NAMES, MATERIAL, STAGES, TEMPO
from zobra.train.games import write_atomically
from zobra.train.positions import mailboxes

SCALE = 400 / np.log(10)  # centipawns: 400 means odds of 10 to 1
PHASES = np.array([0, 0, 1, 1, 1, 1, 2, 2, 4, 4, 0, 0, 0], np.float64)  # by piece, the empty square last
KINDS, SQUARES = 6, 64
STIFFNESS = 1e-3  # pull towards the starting values, per squared pawn; matters for rare squares
PAWN = 100.0  # centipawns; the optimiser works in pawns


def features(boards: np.ndarray) -> csr_matrix:
    """Sparse matrix (positions, 2 × 384): middlegame and endgame weights of each piece kind and square, White minus Black."""
    phase = np.minimum(PHASES[boards].sum(axis=1), int(FULL_PHASE)) / int(FULL_PHASE)
    rows, squares = np.nonzero(boards < 12)
    pieces = boards[rows, squares]
    own_square = np.where(pieces & 1, squares ^ 56, squares)  # seen from the side of the piece
    columns = (pieces >> 1).astype(np.int64) * SQUARES + own_square
    signs = 1.0 - 2.0 * (pieces & 1)
    shape = (len(boards), KINDS * SQUARES)
    middle = csr_matrix((signs * phase[rows], (rows, columns)), shape)
    end = csr_matrix((signs * (1 - phase[rows]), (rows, columns)), shape)
    return hstack([middle, end]).tocsr()


def fit(boards: np.ndarray, scores: np.ndarray, results: np.ndarray, blend: float) -> tuple[np.ndarray, float]:
    """Weights of shape (2, 6, 64) in centipawns and the mean squared error; `blend` is the share of the result.

    Boards as `mailboxes` makes them; scores in centipawns and results in half points, for the side to move.
    """
    matrix, tempo = features(boards), int(TEMPO)
    target = blend * results / 2 + (1 - blend) * expit(scores / SCALE)
    start = np.tile(np.repeat(np.array(MATERIAL) / PAWN, SQUARES), 2)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        expected = expit((matrix @ (weights * PAWN) + tempo) / SCALE)
        error = expected - target
        slope = error * expected * (1 - expected) * (2 * PAWN / SCALE / len(boards))
        pull = weights - start
        value = float(np.mean(error**2)) + STIFFNESS * float(pull @ pull) / len(pull)
        return value, matrix.T @ slope + 2 * STIFFNESS * pull / len(pull)

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-12, "gtol": 1e-9})
    weights = found.x * PAWN
    error = float(np.mean((expit((matrix @ weights + tempo) / SCALE) - target) ** 2))
    return weights.reshape(2, KINDS, SQUARES), error


def normalised(weights: np.ndarray, boards: np.ndarray) -> np.ndarray:
    """Scaled so that the average pawn on the boards is worth 100 centipawns, and rounded."""
    counts = np.bincount(np.nonzero(boards == 0)[1], minlength=SQUARES) + np.bincount(
        np.nonzero(boards == 1)[1] ^ 56, minlength=SQUARES
    )
    pawn = float((weights[:, 0].mean(axis=0) * counts).sum() / counts.sum())
    return np.rint(weights * (100 / pawn)).astype(np.int64)


def write(weights: np.ndarray, facts: dict[str, object], path: Path) -> None:
    """Write the weights and their origin; one line of the file is one rank, from the first to the eighth."""
    tables = {
        phase: {name: weights[index, kind].reshape(8, 8).tolist() for kind, name in enumerate(KIND_NAMES)}
        for index, phase in enumerate(STAGES)
    }
    text = json.dumps({"origin": facts, **tables}, indent=1)
    ranks = re.sub(r"\[\s+([-\d,\s]+?)\s+\]", lambda rank: f"[{' '.join(rank[1].split())}]", text)
    write_atomically(path, (ranks + "\n").encode())


def fit_positions(positions: np.ndarray, facts: dict[str, object], blend: float, output: Path) -> dict[str, object]:
    """Fit to positions of self-play (dtype PACKED), write the weights with these facts, and return the facts."""
    boards = mailboxes(positions)
    weights, error = fit(boards, positions["score"], positions["result"], blend)
    origin = {"made_by": "zobra train pieces", **facts, "blend": blend, "mean_squared_error": round(error, 6)}
    write(normalised(weights, boards), origin, output)
    return origin
