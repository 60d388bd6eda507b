"""Histories, learned from earlier searches: they score moves, and correct static evaluations.

Each value lies within ±HISTORY_LIMIT. A move that causes a cutoff gets a bonus, and moves searched
before it get a malus. The step is smaller the nearer the value is to its limit ("gravity"), so
values never overflow and new results count most. Correction histories adjust the evaluation of
positions that share the pawns, the pieces of one side, or the last two moves.

Ideas: history heuristic, Jonathan Schaeffer (1983); counter moves, Jos Uiterwijk (1992);
continuation history, pawn history and gravity, Stockfish; correction history, Caissa and Stockfish.
Credits: Chess Programming Wiki, "History Heuristic" and "Static Evaluation Correction History".
"""

import numpy as np

from zobra.engine.board import NO_PIECE, ONE, SIX, ZERO
from zobra.engine.kernels import kernel, prefetch
from zobra.engine.move import EN_PASSANT, PROMOTION, flag_of, from_square, to_square
from zobra.engine.scores import LONGEST_MATE
from zobra.search.threats import set_threats
from zobra.search.worker import (
    CORRECTION_MASK,
    FIRST_BEFORE,
    FOURTH_BEFORE,
    HISTORY_LIMIT,
    PAWN_MASK,
    SECOND_BEFORE,
    piece_to,
)

PAWNS = np.uint64(0)  # which of a position's correction keys
VALUE_BYTES = np.uint64(2)
VALUES_PER_LINE = np.uint64(32)  # of the cache
LARGEST_BONUS = HISTORY_LIMIT // 4  # of a correction


@kernel
def is_noisy(position, move):
    """Return whether a legal move is a capture or a promotion."""
    flag = flag_of(move)
    if flag >= PROMOTION or flag == EN_PASSANT:
        return True
    return position.colours[position.side ^ ONE] >> to_square(move) & ONE != ZERO


@kernel
def gravity(value, bonus):
    """Return a history value after a positive or negative bonus of at most HISTORY_LIMIT."""
    value = np.int64(value)
    return np.int16(value + bonus - value * abs(bonus) // HISTORY_LIMIT)


@kernel
def threat_index(node, move):
    """Return which squares of a move the enemy attacks: 2 for its origin plus 1 for its target.

    Idea: Koivisto, Berserk.
    """
    leaves_attacked = node.attacked >> from_square(move) & ONE
    enters_attacked = node.attacked >> to_square(move) & ONE
    return leaves_attacked << ONE | enters_attacked


@kernel
def quiet_histories(worker, ply):
    """Return the histories that score quiet moves at `ply`.

    They are the butterfly history (by threats, from, to), and rows by moved piece and target
    square: that of the pawn structure, and those of the moves 1, 2 and 4 plies before (continuation
    history).
    """
    position = worker.stack[ply].position
    played = worker.played
    continuation = worker.continuation_history
    pawns = worker.pawn_history[position.correction_keys[PAWNS] & PAWN_MASK]
    first = continuation[played[ply + FIRST_BEFORE]]
    second = continuation[played[ply + SECOND_BEFORE]]
    fourth = continuation[played[ply + FOURTH_BEFORE]]
    return worker.quiet_history[position.side], (pawns, first, second, fourth)


@kernel
def history_sum(node, histories, move):
    """Return the sum of a quiet move's values in `quiet_histories`."""
    butterfly, rows = histories
    index = piece_to(node.position, move)
    score = np.int64(butterfly[threat_index(node, move), from_square(move), to_square(move)])
    for row in rows:
        score += row[index]
    return score


@kernel
def quiet_score(worker, ply, move):
    """Return the sum of the histories of a quiet move at `ply`."""
    return history_sum(worker.stack[ply], quiet_histories(worker, ply), move)


@kernel
def prefetch_value(row, index):
    """Prefetch a value of a history, with the others in its cache line."""
    prefetch(np.uint64(row.ctypes.data) + index * VALUE_BYTES)


@kernel
def prefetch_rows(rows, side):
    """Prefetch the values of all pieces of `side` in rows indexed by piece and target square."""
    for row in rows:
        for piece in range(side, NO_PIECE, 2):
            prefetch_value(row, np.uint64(piece) << SIX)
            prefetch_value(row, np.uint64(piece) << SIX | VALUES_PER_LINE)


@kernel
def capture_score(worker, position, move):
    """Return the capture history of a move.

    Its indices are moved piece, target square and captured piece type, which is 6 for a quiet
    promotion or en passant.
    """
    captured = np.uint64(position.board[to_square(move)]) >> ONE
    return np.int64(worker.capture_history[piece_to(position, move), captured])


@kernel
def update_quiet_histories(node, histories, move, bonus):
    """Add a positive or negative bonus to every value that `quiet_score` sums."""
    butterfly, rows = histories
    index = piece_to(node.position, move)
    threats = threat_index(node, move)
    from_ = from_square(move)
    to = to_square(move)
    butterfly[threats, from_, to] = gravity(butterfly[threats, from_, to], bonus)
    for row in rows:
        row[index] = gravity(row[index], bonus)


@kernel
def update_capture_history(worker, position, move, bonus):
    """Add a positive or negative bonus to the history of a capture or promotion."""
    index = piece_to(position, move)
    captured = np.uint64(position.board[to_square(move)]) >> ONE
    value = worker.capture_history[index, captured]
    worker.capture_history[index, captured] = gravity(value, bonus)


@kernel
def update_histories(worker, constants, ply, move, is_quiet, depth):
    """Give the move of a beta cutoff a bonus, and the moves searched before it a malus.

    Quiet moves get it only if the move is quiet.
    """
    node = worker.stack[ply]
    parameters = worker.parameters
    node.cutoff_count += ONE
    bonus = parameters.history_slope * depth - parameters.history_offset
    bonus = min(bonus, parameters.history_bonus)

    if is_quiet:
        histories = quiet_histories(worker, ply)
        if node.attacked == ZERO:  # the TT move: quiet moves were not generated
            set_threats(node, constants)
        update_quiet_histories(node, histories, move, bonus)
        for index in range(node.quiet_count):
            update_quiet_histories(node, histories, np.uint64(node.quiets_searched[index]), -bonus)
    else:
        update_capture_history(worker, node.position, move, bonus)
    for index in range(node.capture_count):
        capture = np.uint64(node.captures_searched[index])
        update_capture_history(worker, node.position, capture, -bonus)


@kernel
def note_searched(node, move, is_quiet):
    """Note a move that was searched without a cutoff, for a later malus."""
    if is_quiet and node.quiet_count < np.uint64(node.quiets_searched.size):
        node.quiets_searched[node.quiet_count] = np.uint16(move)
        node.quiet_count += ONE
    elif not is_quiet and node.capture_count < np.uint64(node.captures_searched.size):
        node.captures_searched[node.capture_count] = np.uint16(move)
        node.capture_count += ONE


@kernel
def corrections(worker, ply):
    """Return the corrections of the position at `ply`, each as a row and an index.

    There is one for the last two moves, and one for each correction key.
    """
    position = worker.stack[ply].position
    played = worker.played
    rows = worker.position_correction[position.side]
    keys = position.correction_keys
    moves = worker.continuation_correction[played[ply + SECOND_BEFORE]], played[ply + FIRST_BEFORE]
    pawns = rows[0], keys[0] & CORRECTION_MASK
    white = rows[1], keys[1] & CORRECTION_MASK
    black = rows[2], keys[2] & CORRECTION_MASK
    return moves, pawns, white, black


@kernel
def corrected_evaluation(worker, ply, raw_evaluation):
    """Return the raw evaluation in internal units plus all corrections; never a mate score."""
    total = np.int64(0)
    for row, index in corrections(worker, ply):
        total += row[index]
    evaluation = raw_evaluation + total * worker.parameters.correction_weight // HISTORY_LIMIT
    largest = LONGEST_MATE - 1
    return max(-largest, min(evaluation, largest))


@kernel
def update_correction_histories(worker, ply, difference, depth):
    """Update the corrections after a search of `depth` plies.

    Its score was `difference` internal units above the static evaluation.
    """
    bonus = max(-LARGEST_BONUS, min(2 * difference * depth, LARGEST_BONUS))
    for row, index in corrections(worker, ply):
        row[index] = gravity(row[index], bonus)
