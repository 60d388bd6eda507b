"""What the search thinks of a position before it searches: by the network, or by piece-square values."""

from __future__ import annotations

import numpy as np

from zobra.engine.accumulator import orientation, refresh, update
from zobra.engine.board import BLACK, ONE, WHITE, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.network import network_score
from zobra.engine.piece_square import evaluate as evaluate_by_pieces

OFF, ROOT, BACK = np.int64(0), np.int64(0), np.int64(1)


@kernel
def forget_accumulator(frame):
    """The position of this frame is a new one."""
    frame.accumulator.computed = ZERO


@kernel
def has_side(frame, colour):
    """Is the accumulator of this frame computed as `colour` sees it?"""
    return frame.accumulator.computed >> colour & ONE != ZERO


@kernel
def bring_up_to_date(worker, tables, ply, colour):
    """Compute one side of the accumulator at `ply`, from the nearest ply before that has it if the king is in the same half."""
    frame = worker.frames[ply]
    back = ply
    while back > ROOT and not has_side(worker.frames[back], colour):
        back -= BACK
    known = worker.frames[back]
    found = has_side(known, colour)
    if found and back == ply:
        return
    if not found or orientation(known.position, colour) != orientation(frame.position, colour):
        refresh(tables.network, frame.accumulator, frame.position, colour)
    else:
        update(tables.network, frame.accumulator, frame.position, known.accumulator, known.position, colour)


@kernel
def evaluate(worker, tables, ply):
    """Static evaluation of the position at `ply` in centipawns, from the side to move."""
    frame = worker.frames[ply]
    if worker.parameters.use_network == OFF:
        return evaluate_by_pieces(frame.position, tables)
    bring_up_to_date(worker, tables, ply, WHITE)
    bring_up_to_date(worker, tables, ply, BLACK)
    return network_score(tables.network, frame.accumulator, frame.position)
