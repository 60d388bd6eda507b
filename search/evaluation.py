"""Static evaluation of a node: by the NNUE network, or by piece-square values."""

import numpy as np

from zobra.engine.kernels import kernel
from zobra.engine.layouts import ACCUMULATOR
from zobra.engine.network import evaluate_anew, network_score
from zobra.engine.piece_square import evaluate as evaluate_by_pieces
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD, Position


@kernel
def evaluate(worker, tables, ply):
    """Static evaluation of the position at `ply` in centipawns, from the side to move."""
    node = worker.stack[ply]
    if worker.parameters.use_network == 0:
        return evaluate_by_pieces(node.position, tables)
    return network_score(tables.network, node.accumulator, node.position)


def evaluate_position(position: Position, use_network: bool) -> int:
    """Static evaluation in centipawns, from the side to move: by the network, or else by
    piece-square values.
    """
    if use_network:
        return int(
            evaluate_anew(TABLES_RECORD["network"], np.zeros(1, ACCUMULATOR)[0], position.record)
        )
    return int(static_evaluation(position.record, TABLES_RECORD))
