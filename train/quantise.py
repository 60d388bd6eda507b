"""Quantisation: from float weights to the integers of the engine, and checks of the network that came of it."""

from typing import Any, NamedTuple

import chess
import numpy as np

from zobra.engine.layouts import ACCUMULATOR, NETWORK
from zobra.engine.network import evaluate_anew
from zobra.engine.network_file import BUCKETS, FEATURES, LARGEST_OUTPUT, QA, QB, SCALE, Network, install
from zobra.engine.position import Position
from zobra.train.positions import EMPTY, MAX_PIECES, mailboxes, unpack_board

LARGEST_MEAN_ERROR = 5.0  # centipawns of rounding error
PARTS = ("rows", "bias", "output", "output_bias")


def quantise(weights: Any, header: dict[str, Any]) -> Network:
    """The network of these float weights (a record of trainer.initial_weights), each rounded to the nearest integer."""
    rows, bias, output, output_bias = (
        np.rint(weights[name].astype(float) * unit).astype(np.int32)
        for name, unit in zip(PARTS, (QA, QA, QB, QA * QB), strict=True)
    )
    output = np.clip(output, -LARGEST_OUTPUT, LARGEST_OUTPUT)
    return Network(rows.astype(np.int16), bias.astype(np.int16), output.astype(np.int16), output_bias, header)


def _outputs(weights: dict[str, np.ndarray], one: int, positions: np.ndarray) -> np.ndarray:
    """The outputs for positions by plain arithmetic, independent of the kernels; a full neuron is `one`."""
    boards = mailboxes(positions)
    rows, squares = np.nonzero(boards != EMPTY)
    pieces = boards[rows, squares].astype(int)
    buckets = ((boards != EMPTY).sum(axis=1) - 1) * BUCKETS // MAX_PIECES
    total = weights["output_bias"][buckets]
    for side in range(2):
        flip = 56 * side ^ np.where(positions["mirrored"] & 1 << side, 7, 0)
        present = np.zeros((len(positions), FEATURES), weights["rows"].dtype)
        present[rows, (pieces ^ side) * 64 + (squares ^ flip[rows])] = 1
        neurons = np.clip(weights["bias"] + present @ weights["rows"], 0, one)
        total = total + (neurons**2 * weights["output"][buckets, side]).sum(axis=1)
    return total


def float_scores(weights: Any, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the float weights."""
    return _outputs({name: weights[name].astype(float) for name in PARTS}, 1, positions) * SCALE


def integer_scores(network: Network, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the integers, computed without any kernel."""
    weights = {name: getattr(network, name).astype(np.int64) for name in PARTS}
    unit = QA * QA * QB
    return (_outputs(weights | {"output_bias": QA * weights["output_bias"]}, QA, positions) * SCALE + unit // 2) // unit


class Findings(NamedTuple):
    """Errors in centipawns, and numbers of differences."""

    mean_error: float
    largest_error: float
    kernel_differences: int
    asymmetries: int

    def faults(self) -> list[str]:
        """Failed checks, in words."""
        checks = {
            f"integers are {self.mean_error:.1f} centipawns from the floats on average": self.mean_error > LARGEST_MEAN_ERROR,
            f"{self.kernel_differences} positions have another score in the kernels": self.kernel_differences,
            f"{self.asymmetries} positions change their score with colours exchanged, or mirrored": self.asymmetries,
        }
        return [fault for fault, is_found in checks.items() if is_found]


def verify(network: Network, weights: Any, positions: np.ndarray) -> Findings:
    """Compare a network with its float weights, and the kernels with plain arithmetic, on positions of dtype PACKED."""
    plain = integer_scores(network, positions)
    errors = np.abs(float_scores(weights, positions) - plain)
    record, accumulator = np.zeros(1, NETWORK), np.zeros(1, ACCUMULATOR)
    install(network, record[0])

    def score(board: chess.Board) -> int:
        return int(evaluate_anew(record[0], accumulator[0], Position.from_board(board).record))

    boards = [unpack_board(packed) for packed in positions]
    scores = [score(board) for board in boards]
    mirrored = [{score(board.mirror()), score(board.transform(chess.flip_horizontal))} for board in boards]
    differences = int((np.array(scores, np.int64) != plain).sum())
    asymmetries = sum(others != {found} for others, found in zip(mirrored, scores, strict=True))
    return Findings(float(errors.mean()), float(errors.max()), differences, asymmetries)
