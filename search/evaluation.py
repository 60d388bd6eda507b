"""Static evaluation of a node: by the NNUE network, or by piece-square values."""

import numpy as np

from zobra.engine.accumulator import orientation, refresh, update
from zobra.engine.board import BLACK, ONE, WHITE, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.layouts import ACCUMULATOR
from zobra.engine.network import evaluate_anew, network_score
from zobra.engine.piece_square import evaluate as evaluate_by_pieces
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD, Position


@kernel
def update_accumulator(worker, tables, ply, colour):
    """Compute one side of the accumulator at `ply`: from the nearest computed ply, or anew if the king changed half."""
    node, back, side = worker.stack[ply], ply, ONE << colour
    while back > 0 and worker.stack[back].accumulator.computed & side == ZERO:
        back -= 1
    known = worker.stack[back]
    if known.accumulator.computed & side == ZERO or orientation(known.position, colour) != orientation(node.position, colour):
        refresh(tables.network, node.accumulator, node.position, colour)
    elif back < ply:
        update(tables.network, node.accumulator, node.position, known.accumulator, known.position, colour)


@kernel
def evaluate(worker, tables, ply):
    """Static evaluation of the position at `ply` in centipawns, from the side to move."""
    node = worker.stack[ply]
    if worker.parameters.use_network == 0:
        return evaluate_by_pieces(node.position, tables)
    update_accumulator(worker, tables, ply, WHITE)
    update_accumulator(worker, tables, ply, BLACK)
    return network_score(tables.network, node.accumulator, node.position)


def evaluate_position(position: Position, use_network: bool) -> int:
    """Static evaluation in centipawns, from the side to move: by the network, or else by piece-square values."""
    if use_network:
        return int(evaluate_anew(TABLES_RECORD["network"], np.zeros(1, ACCUMULATOR)[0], position.record))
    return int(static_evaluation(position.record, TABLES_RECORD))
