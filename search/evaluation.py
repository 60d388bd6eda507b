"""Static evaluation by the network."""

import numpy as np

from zobra.engine.kernels import kernel
from zobra.engine.layouts import ACCUMULATOR
from zobra.engine.network import evaluate_anew, network_at, network_score
from zobra.engine.position import Position


@kernel
def evaluate(worker, ply):
    """Return the static evaluation of the position at `ply`, for the side to move."""
    node = worker.stack[ply]
    return network_score(network_at(worker.network_address), node.accumulator, node.position)


def evaluate_position(position: Position, network: np.ndarray) -> int:
    """Return a network's static evaluation in internal units for the side to move.

    The network has shape (1,) and dtype NETWORK.
    """
    return int(evaluate_anew(network[0], np.zeros(1, ACCUMULATOR)[0], position.record))
