"""What the search learned of quiet moves: killers of a ply, and how often a move from here to there was best."""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.jit import kernel
from zobra.engine.move import EN_PASSANT, PROMOTION, flag_of, from_square, to_square

FIRST, SECOND = np.uint64(0), np.uint64(1)


@kernel
def is_noisy(position, move):
    """Is a legal move a capture or a promotion?"""
    flag = flag_of(move)
    return flag >= PROMOTION or flag == EN_PASSANT or position.colours[position.side ^ ONE] >> to_square(move) & ONE != ZERO


@kernel
def add_history(worker, side, move, bonus):
    """Move a history value towards the limit by `bonus` (any sign), the less the closer it is: it never overflows."""
    limit = worker.parameters.history_limit
    from_, to = from_square(move), to_square(move)
    value = np.int64(worker.history[side, from_, to])
    value += bonus - value * abs(bonus) // limit
    worker.history[side, from_, to] = np.int32(value)


@kernel
def remember_killer(frame, move):
    """Note a quiet move that refuted this ply's position; the two latest are kept."""
    if frame.killers[FIRST] != move:
        frame.killers[SECOND] = frame.killers[FIRST]
        frame.killers[FIRST] = move


@kernel
def reward_quiet(worker, frame, move, quiets_tried, depth):
    """A quiet move was good enough for a cutoff: it gains, and the quiet moves tried before it lose."""
    limit = worker.parameters.history_limit
    bonus = min(worker.parameters.history_slope * depth * depth, limit)
    side = frame.position.side
    remember_killer(frame, move)
    add_history(worker, side, move, bonus)
    index = ZERO
    while index < quiets_tried:
        add_history(worker, side, np.uint64(frame.quiets[index]), -bonus)
        index += ONE
