"""A network in float32, as it is trained, and its quantisation to the integers of the engine.

1.0 becomes QA in the first layer and QB in the output weights. An output of 1.0 is SCALE internal
units.
"""

import math
from typing import Any

import numpy as np

from zobra.engine.network_file import (
    BUCKETS,
    FEATURES,
    LARGEST_OUTPUT,
    QA,
    SCALE,
    Network,
)
from zobra.train.game_kernel import DataError
from zobra.train.positions import EMPTY, MAX_PIECES, mailboxes

TYPICAL_PIECES = 20
PARTS = ("rows", "bias", "output", "output_bias")


def units(qb: int) -> dict[str, int]:
    """Return the integer that stands for 1.0 in each part of a network."""
    return {"rows": QA, "bias": QA, "output": qb, "output_bias": QA * qb}


def zero_weights(hidden: int) -> np.ndarray:
    """Return zero weights of a network with `hidden` neurons per side.

    The array has shape (1,) and the fields rows (FEATURES, hidden), bias (hidden,), output
    (BUCKETS, 2, hidden) and output_bias (BUCKETS,), all float32.
    """
    shapes = ((FEATURES, hidden), (hidden,), (BUCKETS, 2, hidden), (BUCKETS,))
    fields = [(name, "f4", shape) for name, shape in zip(PARTS, shapes, strict=True)]
    return np.zeros(1, np.dtype(fields))


def initial_weights(hidden: int, seed: int) -> np.ndarray:
    """Return random weights, in the layout of zero_weights.

    The distribution is uniform, so that few neurons are clipped at first.
    """
    weights = zero_weights(hidden)
    source = np.random.default_rng(seed)
    spread = 1 / math.sqrt(TYPICAL_PIECES)
    weights["rows"] = source.uniform(-spread, spread, (FEATURES, hidden))
    weights["bias"] = source.uniform(0, spread, hidden)
    # All buckets start with the same weights.
    weights["output"] = source.uniform(-1, 1, (2, hidden))[None] / math.sqrt(2 * hidden)
    return weights


def weights_of(network: Network) -> np.ndarray:
    """Return the float weights of a network, in the layout of zero_weights."""
    weights = zero_weights(network.hidden)
    for name, unit in units(network.qb).items():
        weights[name][0] = getattr(network, name) / np.float32(unit)
    return weights


def quantise(weights: Any, qb: int, header: dict[str, Any]) -> Network:
    """Round float weights (one element of zero_weights) to the integers of a network."""
    rounded = {}
    for name, unit in units(qb).items():
        rounded[name] = np.rint(weights[name].astype(float) * unit).astype(np.int32)
    output = np.clip(rounded["output"], -LARGEST_OUTPUT, LARGEST_OUTPUT)
    return Network(
        rounded["rows"].astype(np.int16),
        rounded["bias"].astype(np.int16),
        output.astype(np.int16),
        rounded["output_bias"],
        qb,
        header,
    )


def float_scores(weights: Any, positions: np.ndarray) -> np.ndarray:
    """Evaluate positions (dtype PACKED) with float weights.

    Return scores in internal units for the side to move.
    """
    parts = {name: weights[name].astype(float) for name in PARTS}
    return _outputs(parts, 1, positions) * SCALE


def integer_scores(network: Network, positions: np.ndarray) -> np.ndarray:
    """Evaluate positions (dtype PACKED) with a network, in plain NumPy without kernels.

    Return scores in internal units for the side to move.
    """
    parts = {name: getattr(network, name).astype(np.int64) for name in PARTS}
    parts["output_bias"] *= QA
    unit = QA * QA * network.qb
    return (_outputs(parts, QA, positions) * SCALE + unit // 2) // unit


def _outputs(parts: dict[str, np.ndarray], one: int, positions: np.ndarray) -> np.ndarray:
    """Return the outputs for positions. Neurons are clipped at `one`."""
    boards = mailboxes(positions)
    rows, squares = np.nonzero(boards != EMPTY)
    pieces = boards[rows, squares].astype(int)
    buckets = ((boards != EMPTY).sum(axis=1) - 1) * BUCKETS // MAX_PIECES
    total = parts["output_bias"][buckets]
    for side in range(2):
        is_mirrored = (positions["mirrored"] & 1 << side) != 0
        flip = 56 * side ^ np.where(is_mirrored, 7, 0)
        features = (pieces ^ side) * 64 + (squares ^ flip[rows])
        present = np.zeros((len(positions), FEATURES), parts["rows"].dtype)
        present[rows, features] = 1
        neurons = np.clip(parts["bias"] + present @ parts["rows"], 0, one)
        total = total + (neurons**2 * parts["output"][buckets, side]).sum(axis=1)
    return total


def restore_scale(weights: Any, positions: np.ndarray) -> float:
    """Scale the output of float weights to the scores of positions, and return the factor.

    A share of the game result in the target makes evaluations larger, but the margins of the search
    are tuned for the scale of scores. Only positions with scores below SCALE are compared. Raise
    DataError if there are none.
    """
    usual = positions[np.abs(positions["score"].astype(int)) < SCALE]
    if not len(usual):
        raise DataError(f"no validation position has a score below {SCALE} internal units")
    score = np.abs(usual["score"]).mean()
    value = np.abs(float_scores(weights, usual)).mean()
    factor = float(score / value)
    for name in ("output", "output_bias"):
        weights[name] *= np.float32(factor)
    return factor
