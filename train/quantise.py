"""Quantisation: from float weights to the integers of the engine, and the score in centipawns by both."""

from __future__ import annotations

from typing import Any

import numpy as np

from zobra.engine.network_file import BUCKETS, LARGEST_OUTPUT, QA, QB, SCALE, Network
from zobra.train.positions import MAX_PIECES


def quantise(weights: Any, header: dict[str, Any]) -> Network:
    """The network of these float weights (a record of gradient.weights_dtype), each rounded to the nearest integer."""

    def rounded(values: np.ndarray, unit: int) -> np.ndarray:
        return np.rint(values * unit).astype(np.int16)

    output = np.clip(rounded(weights["output"], QB), -LARGEST_OUTPUT, LARGEST_OUTPUT)
    output_bias = np.rint(weights["output_bias"].astype(float) * QA * QB).astype(np.int32)
    return Network(rounded(weights["rows"], QA), rounded(weights["bias"], QA), output, output_bias, header)


def feature_lists(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features of both sides, of shape (positions, 32), padded with -1; written independently of the kernels."""
    squares = np.arange(64, dtype=np.uint64)
    sides = np.full((2, len(positions), MAX_PIECES), -1)
    for row, position in enumerate(positions):
        occupied = np.flatnonzero(position["occupied"] >> squares & np.uint64(1))
        nibbles = np.stack([position["pieces"] & 15, position["pieces"] >> 4], axis=1).ravel()[: len(occupied)].astype(int)
        for side, (turn, bit) in enumerate(((0, 1), (56, 2))):
            flip = turn ^ (7 if position["mirrored"] & bit else 0)
            sides[side, row, : len(occupied)] = (nibbles ^ side) * 64 + (occupied ^ flip)
    return sides[0], sides[1]


def _neurons(rows: np.ndarray, bias: np.ndarray, features: np.ndarray) -> np.ndarray:
    padded = np.concatenate([rows, np.zeros((1, rows.shape[1]), rows.dtype)])
    return bias + padded[features].sum(axis=1)


def _buckets(positions: np.ndarray) -> np.ndarray:
    """The output bucket of each position."""
    counts = np.array([int(occupied).bit_count() for occupied in positions["occupied"]])
    return (counts - 1) * BUCKETS // MAX_PIECES


def float_scores(weights: Any, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the float weights."""
    buckets = _buckets(positions)
    output = weights["output_bias"][buckets].astype(float)
    for side, features in enumerate(feature_lists(positions)):
        values = np.clip(_neurons(weights["rows"].astype(float), weights["bias"].astype(float), features), 0, 1)
        output += (values**2 * weights["output"][buckets, side]).sum(axis=1)
    return output * SCALE


def integer_scores(network: Network, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the integers, computed without any kernel."""
    buckets = _buckets(positions)
    total = QA * network.output_bias[buckets].astype(np.int64)
    for side, features in enumerate(feature_lists(positions)):
        values = np.clip(_neurons(network.rows.astype(np.int64), network.bias.astype(np.int64), features), 0, QA)
        total += (values**2 * network.output[buckets, side]).sum(axis=1)
    unit = QA * QA * QB
    return (total * SCALE + unit // 2) // unit
