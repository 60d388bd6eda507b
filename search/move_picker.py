"""The move picker: the moves of a node, best first, generated in stages as they are needed.

Stages: the TT move; captures and promotions that lose no material by SEE, by most valuable victim and capture history; quiet
moves by history, threats and checks; bad captures. Quiescence stops after the good captures, unless it is in check.
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
from zobra.search.threats import set_threats, threat_score
from zobra.search.worker import is_root_move

TT_MOVE, GENERATE_CAPTURES, GOOD_CAPTURES, GENERATE_QUIETS, QUIETS, BAD_CAPTURES = range(6)
WEIGHT_SCALE = 1024
VICTIM_WEIGHT = 32  # history values for a centipawn of captured material


@kernel
def legal_or_none(position, tables, move):
    """A move from the table, any 16-bit number, if it is legal here, and NO_MOVE if not."""
    return move if is_legal(position, tables, move) else NO_MOVE


@kernel
def start_picking(node, tt_move):
    """Begin the moves of a node. `tt_move` is legal or NO_MOVE."""
    node.moves.count = ZERO
    node.bad_count = ZERO
    node.quiet_count = ZERO
    node.capture_count = ZERO
    node.move_count = 0
    node.stage = TT_MOVE
    node.tt_move = tt_move


@kernel
def score_captures(worker, node):
    """Score captures and promotions: by the value of what they win, and capture history."""
    for index in range(node.moves.count):
        move = np.uint64(node.moves.moves[index])
        history = capture_score(worker, node.position, move)
        node.scores[index] = np.int32(VICTIM_WEIGHT * capture_value(node.position, move) + history)


@kernel
def score_quiets(worker, tables, ply):
    """Score quiet moves by their histories, threats and checks."""
    node = worker.stack[ply]
    set_threats(node, tables)
    for index in range(node.next, node.moves.count):
        move = np.uint64(node.moves.moves[index])
        node.scores[index] = np.int32(quiet_score(worker, ply, move) + threat_score(worker, node, move))


@kernel
def pick_best(node):
    """Swap the best move left to the place `next`, and step over it (selection sort)."""
    first = best = node.next
    highest = node.scores[first]
    for index in range(first + ONE, node.moves.count):
        if node.scores[index] > highest:
            best, highest = index, node.scores[index]
    move = node.moves.moves[best]
    node.moves.moves[best], node.scores[best] = node.moves.moves[first], node.scores[first]
    node.moves.moves[first], node.scores[first] = move, highest
    node.next = first + ONE
    return np.uint64(move)


@kernel
def next_good_capture(worker, node, tables, weight):
    """The next capture or promotion that loses no material by SEE; bad ones go to the head of the list.

    Capture history moves the SEE threshold: by `weight` 1024ths of a centipawn for a history value.
    """
    while node.next < node.moves.count:
        move = pick_best(node)
        if move == node.tt_move:
            continue
        threshold = -(capture_score(worker, node.position, move) * weight // WEIGHT_SCALE)
        if see_at_least(node.position, tables, move, threshold):
            return move
        node.moves.moves[node.bad_count] = np.uint16(move)
        node.bad_count += ONE
    return NO_MOVE


@kernel
def next_quiet(node):
    """The next quiet move but the TT move, best first."""
    while node.next < node.moves.count:
        move = pick_best(node)
        if move != node.tt_move:
            return move
    return NO_MOVE


@kernel
def next_capture(worker, node, tables, weight):
    """The next move of the first three stages, NO_MOVE after the last; `weight` as in `next_good_capture`."""
    if node.stage == TT_MOVE:
        node.stage = GENERATE_CAPTURES
        if node.tt_move != NO_MOVE:
            return node.tt_move
    if node.stage == GENERATE_CAPTURES:
        generate(node.position, tables, node.moves, NOISY)
        score_captures(worker, node)
        node.next = ZERO
        node.stage = GOOD_CAPTURES
    return next_good_capture(worker, node, tables, weight)


@kernel
def next_probcut_move(worker, tables, ply, bound):
    """The next capture whose SEE lifts the static evaluation to `bound`, NO_MOVE after the last."""
    node = worker.stack[ply]
    while True:
        move = next_capture(worker, node, tables, 0)
        if move == NO_MOVE or see_at_least(node.position, tables, move, bound - node.static_evaluation):
            return move


@kernel
def skip_quiets(node):
    """Skip the quiet moves that are left, once their stage has begun. Bad captures still follow."""
    if node.stage == QUIETS:
        node.stage, node.next = BAD_CAPTURES, ZERO


@kernel
def next_move(worker, tables, ply):
    """The next move of the node at `ply`, NO_MOVE after the last."""
    node = worker.stack[ply]
    if node.stage <= GOOD_CAPTURES:
        move = next_capture(worker, node, tables, worker.parameters.capture_history_weight)
        if move != NO_MOVE:
            return move
        node.stage = GENERATE_QUIETS
    if node.stage == GENERATE_QUIETS:
        node.next = node.moves.count
        generate(node.position, tables, node.moves, QUIET)
        score_quiets(worker, tables, ply)
        node.stage = QUIETS
    if node.stage == QUIETS:
        move = next_quiet(node)
        if move != NO_MOVE:
            return move
        skip_quiets(node)
    if node.next == node.bad_count:
        return NO_MOVE
    node.next += ONE
    return np.uint64(node.moves.moves[node.next - ONE])


@kernel
def next_search_move(worker, tables, ply):
    """The next move to search, counted: without the excluded one, at the root allowed ones only. NO_MOVE after the last."""
    node = worker.stack[ply]
    while True:
        move = next_move(worker, tables, ply)
        if move == NO_MOVE:
            return move
        if move != node.excluded and (ply > 0 or is_root_move(worker, move)):
            node.move_count += 1
            return move
