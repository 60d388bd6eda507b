"""What the search learned of moves: how often a move was best, alone or as an answer, for quiet moves and for captures.

Each value lies within ±LIMIT and moves towards it by bonuses (was best) and maluses (was tried before the best), the less the
closer it is: it never overflows, and what is new outweighs what is old.

Ideas: history heuristic, Jonathan Schaeffer (1983); counter moves, Jos Uiterwijk (1992), grown into continuation history by
Stockfish; gravity and pawn history likewise. Credits: Chess Programming Wiki, "History Heuristic".
"""

from __future__ import annotations

import numpy as np

from zobra.engine.board import ONE, ZERO
from zobra.engine.kernels import kernel
from zobra.engine.move import EN_PASSANT, PROMOTION, flag_of, from_square, to_square
from zobra.search.worker import FIRST_BEFORE, FOURTH_BEFORE, LIMIT, PAWN_MASK, SECOND_BEFORE, piece_to

PAWNS = np.uint64(0)  # which of a position's structure keys


@kernel
def is_noisy(position, move):
    """Is a legal move a capture or a promotion?"""
    flag = flag_of(move)
    return flag >= PROMOTION or flag == EN_PASSANT or position.colours[position.side ^ ONE] >> to_square(move) & ONE != ZERO


@kernel
def captured_kind(position, move):
    """Piece type on the target square (6 for none: promotions and en passant)."""
    return np.uint64(position.board[to_square(move)]) >> ONE


@kernel
def approach(value, bonus):
    """The value after a bonus (any sign, at most LIMIT)."""
    value = np.int64(value)
    return np.int16(value + bonus - value * abs(bonus) // LIMIT)


@kernel
def quiet_score(worker, ply, move):
    """What is known of a quiet move here: by its squares, with this pawn structure, and as an answer to the moves before."""
    position = worker.frames[ply].position
    index = piece_to(position, move)
    score = np.int64(worker.quiet_history[position.side, from_square(move), to_square(move)])
    score += worker.pawn_history[position.structure_keys[PAWNS] & PAWN_MASK, index]
    score += worker.continuation_history[worker.played[ply + FIRST_BEFORE], index]
    score += worker.continuation_history[worker.played[ply + SECOND_BEFORE], index]
    return score + worker.continuation_history[worker.played[ply + FOURTH_BEFORE], index]


@kernel
def capture_score(worker, position, move):
    """How often this piece taking that kind on this square was best."""
    return np.int64(worker.capture_history[piece_to(position, move), captured_kind(position, move)])


@kernel
def learn_quiet(worker, ply, move, bonus):
    """Add a bonus (any sign) wherever `quiet_score` reads."""
    position = worker.frames[ply].position
    index, side, from_, to = piece_to(position, move), position.side, from_square(move), to_square(move)
    pawns = position.structure_keys[PAWNS] & PAWN_MASK
    worker.quiet_history[side, from_, to] = approach(worker.quiet_history[side, from_, to], bonus)
    worker.pawn_history[pawns, index] = approach(worker.pawn_history[pawns, index], bonus)
    for before in (FIRST_BEFORE, SECOND_BEFORE, FOURTH_BEFORE):
        played = worker.played[ply + before]
        worker.continuation_history[played, index] = approach(worker.continuation_history[played, index], bonus)


@kernel
def learn_capture(worker, position, move, bonus):
    """Add a bonus (any sign) to a capture or promotion."""
    index, kind = piece_to(position, move), captured_kind(position, move)
    worker.capture_history[index, kind] = approach(worker.capture_history[index, kind], bonus)


@kernel
def learn_cutoff(worker, ply, move, is_quiet, depth):
    """A move was good enough for a cutoff: it is counted and gains, those before it lose (quiet ones only to a quiet one)."""
    frame, parameters = worker.frames[ply], worker.parameters
    frame.cutoffs += ONE
    bonus = min(parameters.history_slope * depth - parameters.history_offset, parameters.history_bonus)
    if is_quiet:
        learn_quiet(worker, ply, move, bonus)
        index = ZERO
        while index < frame.quiet_count:
            learn_quiet(worker, ply, np.uint64(frame.quiets[index]), -bonus)
            index += ONE
    else:
        learn_capture(worker, frame.position, move, bonus)
    index = ZERO
    while index < frame.noisy_count:
        learn_capture(worker, frame.position, np.uint64(frame.noisies[index]), -bonus)
        index += ONE


@kernel
def remember_tried(frame, move, is_quiet):
    """Note a move that was searched and was not good enough."""
    if is_quiet and frame.quiet_count < np.uint64(frame.quiets.size):
        frame.quiets[frame.quiet_count] = np.uint16(move)
        frame.quiet_count += ONE
    elif not is_quiet and frame.noisy_count < np.uint64(frame.noisies.size):
        frame.noisies[frame.noisy_count] = np.uint16(move)
        frame.noisy_count += ONE
