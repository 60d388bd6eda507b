"""The moves of a node, best first, made only when they are needed.

Stages: the table's move; captures and promotions that lose nothing, the most valuable victim first; the killers; quiet moves by
history; at last the captures that lose material. Quiescence stops after the second stage unless in check.
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.exchange import exchange_reaches, gain
from zobra.engine.generator import NOISY, QUIET, generate
from zobra.engine.jit import kernel
from zobra.engine.legality import is_legal
from zobra.engine.move import NO_MOVE, from_square, to_square
from zobra.search.history import FIRST, SECOND, is_noisy

(
    TABLE_MOVE,
    MAKE_NOISY,
    GOOD_NOISY,
    FIRST_KILLER,
    SECOND_KILLER,
    MAKE_QUIET,
    QUIETS,
    START_BAD_NOISY,
    BAD_NOISY,
    DONE,
) = (np.int64(stage) for stage in range(10))
NEXT_STAGE = np.int64(1)
EVEN_TRADE = np.int64(0)
VICTIM_WEIGHT = np.int64(16)  # the victim decides, the taker breaks ties


@kernel
def start_picking(position, tables, frame, table_move):
    """Begin the moves of a node. `table_move` may be any 16-bit number."""
    frame.moves.count = ZERO
    frame.bad_count = ZERO
    frame.stage = TABLE_MOVE
    frame.table_move = table_move if is_legal(position, tables, table_move) else NO_MOVE


@kernel
def score_noisy(frame):
    """Score captures and promotions: most valuable gain first, least valuable taker first."""
    index = ZERO
    while index < frame.moves.count:
        move = np.uint64(frame.moves.moves[index])
        taker = np.int64(frame.position.board[from_square(move)] >> ONE)
        frame.scores[index] = np.int32(VICTIM_WEIGHT * gain(frame.position, move) - taker)
        index += ONE


@kernel
def score_quiets(worker, frame):
    """Score quiet moves by their history."""
    side = frame.position.side
    index = frame.next
    while index < frame.moves.count:
        move = np.uint64(frame.moves.moves[index])
        frame.scores[index] = worker.history[side, from_square(move), to_square(move)]
        index += ONE


@kernel
def take_best(frame):
    """Bring the best move left to the place `next`, and step over it."""
    first = frame.next
    best = first
    index = first + ONE
    while index < frame.moves.count:
        if frame.scores[index] > frame.scores[best]:
            best = index
        index += ONE
    move, score = frame.moves.moves[best], frame.scores[best]
    frame.moves.moves[best], frame.scores[best] = frame.moves.moves[first], frame.scores[first]
    frame.moves.moves[first], frame.scores[first] = move, score
    frame.next = first + ONE
    return np.uint64(move)


@kernel
def next_good_noisy(frame, tables):
    """The next capture or promotion that loses no material; those that do are moved to the head of the list."""
    while frame.next < frame.moves.count:
        move = take_best(frame)
        if move == frame.table_move:
            continue
        if exchange_reaches(frame.position, tables, move, EVEN_TRADE):
            return move
        frame.moves.moves[frame.bad_count] = np.uint16(move)
        frame.bad_count += ONE
    return NO_MOVE


@kernel
def killer_move(frame, tables, which):
    """A killer, if it is a legal quiet move here that has not been tried."""
    move = frame.killers[which]
    if move == frame.table_move or not is_legal(frame.position, tables, move) or is_noisy(frame.position, move):
        return NO_MOVE
    return move


@kernel
def next_quiet(frame):
    """The next quiet move by history that was not a killer or the table's."""
    while frame.next < frame.moves.count:
        move = take_best(frame)
        if move != frame.table_move and move != frame.killers[FIRST] and move != frame.killers[SECOND]:
            return move
    return NO_MOVE


@kernel
def next_noisy(frame, tables):
    """The next move of the first three stages, NO_MOVE when they are exhausted."""
    if frame.stage == TABLE_MOVE:
        frame.stage = MAKE_NOISY
        if frame.table_move != NO_MOVE:
            return frame.table_move
    if frame.stage == MAKE_NOISY:
        generate(frame.position, tables, frame.moves, NOISY)
        score_noisy(frame)
        frame.next = ZERO
        frame.stage = GOOD_NOISY
    return next_good_noisy(frame, tables)


@kernel
def next_move(worker, frame, tables):
    """The next move of a node, NO_MOVE after the last."""
    if frame.stage <= GOOD_NOISY:
        move = next_noisy(frame, tables)
        if move != NO_MOVE:
            return move
        frame.stage = FIRST_KILLER
    while frame.stage == FIRST_KILLER or frame.stage == SECOND_KILLER:
        move = killer_move(frame, tables, np.uint64(frame.stage - FIRST_KILLER))
        frame.stage += NEXT_STAGE
        if move != NO_MOVE:
            return move
    if frame.stage == MAKE_QUIET:
        frame.next = frame.moves.count
        generate(frame.position, tables, frame.moves, QUIET)
        score_quiets(worker, frame)
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
    """Leave out the quiet moves that are still to come."""
    if frame.stage < START_BAD_NOISY:
        frame.stage = START_BAD_NOISY
