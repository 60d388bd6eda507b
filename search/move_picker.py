"""The move picker: the moves of a node, best first, generated in stages as they are needed.

Stages: the TT move; captures and promotions that lose no material by SEE, by most valuable victim
and capture history; quiet moves by history, threats and checks; bad captures. Quiescence stops
after the good captures, unless it is in check.
"""

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.generator import NOISY, QUIET, generate
from zobra.engine.kernels import first_maximum, inlined, kernel
from zobra.engine.layouts import MAX_MOVES
from zobra.engine.legality import is_legal
from zobra.engine.move import NO_MOVE
from zobra.engine.see import capture_value, see_at_least
from zobra.search.history import capture_score, history_sum, prefetch_rows, quiet_histories
from zobra.search.root import next_root_move
from zobra.search.threats import set_threats, threat_score
from zobra.search.worker import NODE

# The stages, in their order
TT_MOVE, GENERATE_CAPTURES, GOOD_CAPTURES, GENERATE_QUIETS, QUIETS, BAD_CAPTURES = range(6)
VICTIM_WEIGHT = 32  # history values for a unit of captured material

best_place = first_maximum(NODE, "scores", MAX_MOVES.bit_length())


@kernel
def legal_or_none(position, constants, move):
    """Return a move from the table, any 16-bit number, if it is legal, otherwise NO_MOVE."""
    return move if is_legal(position, constants, move) else NO_MOVE


@kernel
def start_picking(node, tt_move):
    """Begin to pick the moves of a node. `tt_move` is legal or NO_MOVE."""
    node.stage = TT_MOVE
    node.tt_move = tt_move
    node.moves.count = ZERO
    node.move_count = 0
    node.bad_count = ZERO
    node.quiet_count = ZERO
    node.capture_count = ZERO
    node.attacked = ZERO


@kernel
def pick_best(node):
    """Return the best remaining move other than the TT move, or NO_MOVE after the last.

    This is selection sort: a cutoff often comes early, so sorting the rest would be wasted.
    """
    while node.next < node.moves.count:
        first = node.next
        best = best_place(node, first, node.moves.count)
        move = node.moves.moves[best]
        node.moves.moves[best] = node.moves.moves[first]
        node.scores[best] = node.scores[first]
        node.moves.moves[first] = move
        node.next = first + ONE
        if move != node.tt_move:
            return np.uint64(move)
    return NO_MOVE


@kernel
def next_capture(worker, node, constants):
    """Return the next move of the first three stages, or NO_MOVE after the last.

    Captures that lose material by SEE are kept for later, at the head of the list.
    """
    position = node.position
    moves = node.moves
    if node.stage == TT_MOVE:
        node.stage = GENERATE_CAPTURES
        if node.tt_move != NO_MOVE:
            return node.tt_move

    if node.stage == GENERATE_CAPTURES:
        generate(position, constants, moves, NOISY)
        for index in range(moves.count):
            move = np.uint64(moves.moves[index])
            victim = VICTIM_WEIGHT * capture_value(position, move)
            node.scores[index] = victim + capture_score(worker, position, move)
        node.next = ZERO
        node.stage = GOOD_CAPTURES

    while True:
        move = pick_best(node)
        if move == NO_MOVE or see_at_least(position, constants, move, 0):
            return move
        moves.moves[node.bad_count] = np.uint16(move)
        node.bad_count += ONE


@kernel
def skip_quiets(node):
    """Skip the remaining quiet moves, once their stage has begun. Bad captures still follow."""
    if node.stage == QUIETS:
        node.stage = BAD_CAPTURES
        node.next = ZERO


@kernel
def next_move(worker, constants, ply):
    """Return the next move of the node at `ply`, or NO_MOVE after the last."""
    node = worker.stack[ply]
    if node.stage <= GOOD_CAPTURES:
        move = next_capture(worker, node, constants)
        if move != NO_MOVE:
            return move
        node.stage = GENERATE_QUIETS

    if node.stage == GENERATE_QUIETS:
        node.next = node.moves.count
        histories = quiet_histories(worker, ply)
        set_threats(node, constants)
        prefetch_rows(histories[1], node.position.side)
        generate(node.position, constants, node.moves, QUIET)
        for index in range(node.next, node.moves.count):
            move = np.uint64(node.moves.moves[index])
            history = history_sum(node, histories, move)
            node.scores[index] = history + threat_score(worker, node, move)
        node.stage = QUIETS

    if node.stage == QUIETS:
        move = pick_best(node)
        if move != NO_MOVE:
            return move
        skip_quiets(node)

    if node.next == node.bad_count:
        return NO_MOVE
    node.next += ONE
    return np.uint64(node.moves.moves[node.next - ONE])


@inlined
def next_search_move(worker, constants, ply):
    """Return and count the next move to search, or return NO_MOVE after the last.

    The excluded move is left out. At the root the moves come from its list.
    """
    if ply == 0:
        return next_root_move(worker)

    node = worker.stack[ply]
    while True:
        move = next_move(worker, constants, ply)
        if move == NO_MOVE:
            return move
        if move != node.excluded:
            node.move_count += 1
            return move
