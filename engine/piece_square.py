"""The piece-square evaluation's weights, fitted on games that Zobra played against itself (see zobra.train.piece_square)."""

from __future__ import annotations

import numpy as np

from zobra.engine.scores import pack

MATERIAL = (100, 300, 300, 500, 900, 0)


def table() -> np.ndarray:
    """Packed scores of shape (12, 64), dtype int64, by piece and square, positive for White's pieces."""
    packed = np.zeros((12, 64), np.int64)
    for kind, worth in enumerate(MATERIAL):
        packed[2 * kind] = pack(worth, worth)
        packed[2 * kind + 1] = -pack(worth, worth)
    return packed
