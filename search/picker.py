"""The moves of a node, best first, made only when they are needed.

Stages: the table's move; captures and promotions that lose nothing, the most valuable victim first; quiet moves by history
and threats; at last the captures that lose material. Quiescence stops after the second stage unless in check.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.generator import NOISY, QUIET, generate
from zobra.engine.kernels import kernel
from zobra.engine.legality import is_legal
from zobra.engine.move import NO_MOVE
from zobra.engine.see import capture_value, see_at_least
from zobra.search.history import capture_score, quiet_score
from zobra.search.threats import note_threats, threat_score

(
    TABLE_MOVE,
    MAKE_NOISY,
    GOOD_NOISY,
    MAKE_QUIET,
    QUIETS,
    START_BAD_NOISY,
    BAD_NOISY,
    DONE,
) = (np.int64(stage) for stage in range(8))
WEIGHT_SCALE = np.int64(1024)
VICTIM_WEIGHT = np.int64(32)  # history values to a centipawn of gain


@kernel
def start_picking(position, tables, frame, table_move):
    """Begin the moves of a node. `table_move` may be any 16-bit number."""
    frame.moves.count = ZERO
    frame.bad_count = ZERO
    frame.quiet_count = ZERO
    frame.noisy_count = ZERO
    frame.stage = TABLE_MOVE
    frame.table_move = table_move if is_legal(position, tables, table_move) else NO_MOVE


@kernel
def score_noisy(worker, frame):
    """Score captures and promotions: by what they gain, and how often they were best."""
    index = ZERO
    while index < frame.moves.count:
        move = np.uint64(frame.moves.moves[index])
        known = capture_score(worker, frame.position, move)
        frame.scores[index] = np.int32(VICTIM_WEIGHT * capture_value(frame.position, move) + known)
        index += ONE


@kernel
def score_quiets(worker, tables, ply):
    """Score quiet moves by their history, and by what they do about threats."""
    frame = worker.frames[ply]
    note_threats(frame, tables)
    index = frame.next
    while index < frame.moves.count:
        move = np.uint64(frame.moves.moves[index])
        frame.scores[index] = np.int32(quiet_score(worker, ply, move) + threat_score(worker, frame, move))
        index += ONE


@kernel
def take_best(frame):
    """Bring the best move left to the place `next`, and step over it."""
    first, count = frame.next, frame.moves.count
    best, highest = first, frame.scores[first]
    index = first + ONE
    while index < count:
        score = frame.scores[index]
        if score > highest:
            best, highest = index, score
        index += ONE
    move = frame.moves.moves[best]
    frame.moves.moves[best], frame.scores[best] = frame.moves.moves[first], frame.scores[first]
    frame.moves.moves[first], frame.scores[first] = move, highest
    frame.next = first + ONE
    return np.uint64(move)


@kernel
def next_good_noisy(worker, frame, tables, weight):
    """The next capture or promotion that loses no material; those that do go to the head of the list.

    A good history makes up for some material, a bad one asks for some: `weight` 1024ths of a centipawn a point.
    """
    while frame.next < frame.moves.count:
        move = take_best(frame)
        if move == frame.table_move:
            continue
        allowed = capture_score(worker, frame.position, move) * weight // WEIGHT_SCALE
        if see_at_least(frame.position, tables, move, -allowed):
            return move
        frame.moves.moves[frame.bad_count] = np.uint16(move)
        frame.bad_count += ONE
    return NO_MOVE


@kernel
def next_quiet(frame):
    """The next quiet move by history that was not the table's."""
    while frame.next < frame.moves.count:
        move = take_best(frame)
        if move != frame.table_move:
            return move
    return NO_MOVE


@kernel
def next_noisy(worker, frame, tables, weight):
    """The next move of the first three stages, NO_MOVE when they are exhausted; `weight` as above."""
    if frame.stage == TABLE_MOVE:
        frame.stage = MAKE_NOISY
        if frame.table_move != NO_MOVE:
            return frame.table_move
    if frame.stage == MAKE_NOISY:
        generate(frame.position, tables, frame.moves, NOISY)
        score_noisy(worker, frame)
        frame.next = ZERO
        frame.stage = GOOD_NOISY
    return next_good_noisy(worker, frame, tables, weight)


@kernel
def next_move(worker, tables, ply):
    """The next move of the node at `ply`, NO_MOVE after the last."""
    frame = worker.frames[ply]
    if frame.stage <= GOOD_NOISY:
        move = next_noisy(worker, frame, tables, worker.parameters.capture_history_weight)
        if move != NO_MOVE:
            return move
        frame.stage = MAKE_QUIET
    if frame.stage == MAKE_QUIET:
        frame.next = frame.moves.count
        generate(frame.position, tables, frame.moves, QUIET)
        score_quiets(worker, tables, ply)
        frame.stage = QUIETS
    if frame.stage == QUIETS:
        move = next_quiet(frame)
        if move != NO_MOVE:
            return move
        frame.stage = START_BAD_NOISY
    if frame.stage == START_BAD_NOISY:
        frame.next = ZERO
        frame.stage = BAD_NOISY
    if frame.next < frame.bad_count:
        move = np.uint64(frame.moves.moves[frame.next])
        frame.next += ONE
        return move
    frame.stage = DONE
    return NO_MOVE


@kernel
def skip_quiets(frame):
    """Leave out the quiet moves that are still to come, once the first of them is out (captures left before it stay)."""
    if frame.stage == QUIETS:
        frame.stage = START_BAD_NOISY
