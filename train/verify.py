"""The verification of a quantised network before it plays."""

from typing import Any, NamedTuple

import chess
import numpy as np

from zobra.engine.network import load_network
from zobra.engine.network_file import Network
from zobra.engine.position import Position
from zobra.search.evaluation import evaluate_position
from zobra.train.float_network import float_scores, integer_scores
from zobra.train.positions import unpack_board

MAX_MEAN_ERROR = 12.0  # internal units of rounding error


class Findings(NamedTuple):
    """Rounding errors in internal units, and the number of positions that failed each check."""

    mean_error: float
    largest_error: float
    kernel_differences: int
    asymmetries: int

    def faults(self) -> list[str]:
        """Return the failed checks, as sentences."""
        found = []
        if self.mean_error > MAX_MEAN_ERROR:
            found.append(f"quantised scores are off by {self.mean_error:.1f} on average")
        if self.kernel_differences:
            found.append(f"{self.kernel_differences} positions score differently in the kernels")
        if self.asymmetries:
            found.append(
                f"{self.asymmetries} positions change their score if colours are exchanged or the "
                "board is mirrored"
            )
        return found


def verify(network: Network, weights: Any, positions: np.ndarray) -> Findings:
    """Compare the integers with the float weights, and the kernels with plain NumPy.

    `positions` have dtype PACKED. A score must not change when colours are exchanged or the board
    is mirrored.
    """
    plain = integer_scores(network, positions)
    errors = np.abs(float_scores(weights, positions) - plain)

    loaded = load_network(network)
    differences = 0
    asymmetries = 0
    for packed, expected in zip(positions, plain.tolist(), strict=True):
        board = unpack_board(packed)
        score = _score(board, loaded)
        exchanged = _score(board.mirror(), loaded)
        mirrored = _score(board.transform(chess.flip_horizontal), loaded)
        differences += score != expected
        asymmetries += not score == exchanged == mirrored
    return Findings(float(errors.mean()), float(errors.max()), differences, asymmetries)


def _score(board: chess.Board, network: np.ndarray) -> int:
    """Return the score of a board by the kernels, in internal units for the side to move."""
    return evaluate_position(Position.from_board(board), network)
