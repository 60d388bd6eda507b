"""Histories: how often a move caused a beta cutoff, and how far searches were from the static evaluation of like positions.

Each value lies within ±HISTORY_LIMIT. A move that causes a cutoff gets a bonus, and moves searched before it get a malus. The
step is the smaller, the nearer the value is to its limit ("gravity"), so values never overflow and new results count most.
Correction histories move the evaluation of positions that share the pawns, the pieces of one side, or the last two moves.

Ideas: history heuristic, Jonathan Schaeffer (1983); counter moves, Jos Uiterwijk (1992); continuation history, pawn history
and gravity, Stockfish; correction history, Caissa and Stockfish. Credits: Chess Programming Wiki, "History Heuristic" and
"Static Evaluation Correction History".
"""

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import EN_PASSANT, PROMOTION, flag_of, from_square, to_square
from zobra.engine.scores import LONGEST_MATE
from zobra.search.worker import CORRECTIONS, FIRST_BEFORE, FOURTH_BEFORE, HISTORY_LIMIT, PAWN_MASK, SECOND_BEFORE, piece_to

PAWNS = np.uint64(0)  # which of a position's correction keys
CORRECTION_MASK = np.uint64(CORRECTIONS - 1)
CORRECTION_KEYS = 3  # the pawns, White's pieces, Black's pieces
LARGEST_BONUS = HISTORY_LIMIT // 4  # of a correction


@kernel
def is_noisy(position, move):
    """Is a legal move a capture or a promotion?"""
    flag = flag_of(move)
    return flag >= PROMOTION or flag == EN_PASSANT or position.colours[position.side ^ ONE] >> to_square(move) & ONE != ZERO


@kernel
def gravity(value, bonus):
    """A history value after a bonus (any sign, at most HISTORY_LIMIT)."""
    value = np.int64(value)
    return np.int16(value + bonus - value * abs(bonus) // HISTORY_LIMIT)


@kernel
def threat_index(node, move):
    """Does the enemy attack the squares that a move leaves (2) and enters (1)? 0 to 3. Idea: Koivisto, Berserk."""
    return (node.attacked >> from_square(move) & ONE) << ONE | node.attacked >> to_square(move) & ONE


@kernel
def quiet_score(worker, ply, move):
    """Sum of a quiet move's histories: butterfly (threats, from, to), by pawn structure, and continuation (plies 1, 2, 4)."""
    position, index = worker.stack[ply].position, piece_to(worker.stack[ply].position, move)
    threats = threat_index(worker.stack[ply], move)
    score = np.int64(worker.quiet_history[position.side, threats, from_square(move), to_square(move)])
    score += worker.pawn_history[position.correction_keys[PAWNS] & PAWN_MASK, index]
    score += worker.continuation_history[worker.played[ply + FIRST_BEFORE], index]
    score += worker.continuation_history[worker.played[ply + SECOND_BEFORE], index]
    return score + worker.continuation_history[worker.played[ply + FOURTH_BEFORE], index]


@kernel
def capture_score(worker, position, move):
    """Capture history: by moved piece, target square and captured piece type."""
    captured = np.uint64(position.board[to_square(move)]) >> ONE  # 6 for none: promotions and en passant
    return np.int64(worker.capture_history[piece_to(position, move), captured])


@kernel
def update_quiet_histories(worker, ply, move, bonus):
    """Add a bonus (any sign) to every value that `quiet_score` sums up."""
    position, threats = worker.stack[ply].position, threat_index(worker.stack[ply], move)
    index, side, from_, to = piece_to(position, move), position.side, from_square(move), to_square(move)
    pawns = position.correction_keys[PAWNS] & PAWN_MASK
    worker.quiet_history[side, threats, from_, to] = gravity(worker.quiet_history[side, threats, from_, to], bonus)
    worker.pawn_history[pawns, index] = gravity(worker.pawn_history[pawns, index], bonus)
    for before in (FIRST_BEFORE, SECOND_BEFORE, FOURTH_BEFORE):
        played = worker.played[ply + before]
        worker.continuation_history[played, index] = gravity(worker.continuation_history[played, index], bonus)


@kernel
def update_capture_history(worker, position, move, bonus):
    """Add a bonus (any sign) to the history of a capture or promotion."""
    index, captured = piece_to(position, move), np.uint64(position.board[to_square(move)]) >> ONE
    worker.capture_history[index, captured] = gravity(worker.capture_history[index, captured], bonus)


@kernel
def update_histories(worker, ply, move, is_quiet, depth):
    """After a beta cutoff: a bonus for its move, a malus for the moves searched before it (quiet ones only if it is quiet)."""
    node, parameters = worker.stack[ply], worker.parameters
    bonus = min(parameters.history_slope * depth - parameters.history_offset, parameters.history_bonus)
    node.cutoff_count += ONE
    if is_quiet:
        update_quiet_histories(worker, ply, move, bonus)
        for index in range(node.quiet_count):
            update_quiet_histories(worker, ply, np.uint64(node.quiets_searched[index]), -bonus)
    else:
        update_capture_history(worker, node.position, move, bonus)
    for index in range(node.capture_count):
        update_capture_history(worker, node.position, np.uint64(node.captures_searched[index]), -bonus)


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
def corrected_evaluation(worker, ply, raw_evaluation):
    """The raw evaluation in centipawns with all corrections added; never a mate score."""
    position, played = worker.stack[ply].position, worker.played
    total = np.int64(worker.continuation_correction[played[ply + SECOND_BEFORE], played[ply + FIRST_BEFORE]])
    for which in range(CORRECTION_KEYS):
        total += worker.position_correction[position.side, which, position.correction_keys[which] & CORRECTION_MASK]
    largest = LONGEST_MATE - 1
    return max(-largest, min(raw_evaluation + total * worker.parameters.correction_weight // HISTORY_LIMIT, largest))


@kernel
def update_correction_histories(worker, ply, difference, depth):
    """A search of `depth` plies returned `difference` centipawns more than the static evaluation."""
    bonus = max(-LARGEST_BONUS, min(2 * difference * depth, LARGEST_BONUS))
    position, side = worker.stack[ply].position, worker.stack[ply].position.side
    second, first = worker.played[ply + SECOND_BEFORE], worker.played[ply + FIRST_BEFORE]
    worker.continuation_correction[second, first] = gravity(worker.continuation_correction[second, first], bonus)
    for which in range(CORRECTION_KEYS):
        index = position.correction_keys[which] & CORRECTION_MASK
        worker.position_correction[side, which, index] = gravity(worker.position_correction[side, which, index], bonus)
