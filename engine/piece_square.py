"""The piece-square evaluation's weights, fitted on games that Zobra played against itself (see zobra.train.piece_square)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from zobra.engine.scores import pack

MATERIAL = (100, 300, 300, 500, 900, 0)  # where the fit begins, by piece type, in centipawns
KIND_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")
WEIGHTS_FILE = Path(__file__).parent / "data" / "piece_square.json"


def table() -> np.ndarray:
    """Packed scores of shape (12, 64), dtype int64, by piece and square, positive for White's pieces."""
    weights = json.loads(WEIGHTS_FILE.read_text())
    packed = np.zeros((12, 64), np.int64)
    for kind, name in enumerate(KIND_NAMES):
        middle = np.array(weights["middlegame"][name]).ravel()
        end = np.array(weights["endgame"][name]).ravel()
        for square in range(64):
            value = pack(int(middle[square]), int(end[square]))
            packed[2 * kind, square] = value
            packed[2 * kind + 1, square ^ 56] = -value
    return packed
