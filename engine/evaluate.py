"""The worth of a position: piece-square values, interpolated between middlegame and endgame by the material left."""

from __future__ import annotations

import numpy as np

from zobra.engine.board import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, WHITE, ZERO
from zobra.engine.board import DARK_SQUARES as DARK
from zobra.engine.jit import BOOL, INT, entry, kernel, population
from zobra.engine.layouts import POSITION_TYPE
from zobra.engine.scores import endgame, middlegame

ROOK_PHASE, QUEEN_PHASE = np.int64(2), np.int64(4)
FULL_PHASE = np.int64(24)  # four minor pieces a side at 1, two rooks at 2, a queen at 4
ONE_PIECE = np.int64(1)
TEMPO = np.int64(10)  # centipawns for having the move


@kernel
def phase_of(position):
    """Material left: FULL_PHASE with all pieces (or more, after promotions), 0 with kings and pawns."""
    pieces = position.pieces
    minors = population(pieces[KNIGHT] | pieces[BISHOP])
    phase = minors + ROOK_PHASE * population(pieces[ROOK]) + QUEEN_PHASE * population(pieces[QUEEN])
    return min(phase, FULL_PHASE)


@kernel
def evaluate(position):
    """Static evaluation in centipawns, from the side to move."""
    phase = phase_of(position)
    packed = position.piece_square
    white = middlegame(packed) * phase + endgame(packed) * (FULL_PHASE - phase)
    return (white if position.side == WHITE else -white) // FULL_PHASE + TEMPO


@kernel
def is_insufficient_material(position):
    """Can neither side mate by any sequence of moves? Lone kings, one minor piece, or bishops of one square colour only."""
    pieces = position.pieces
    if pieces[PAWN] | pieces[ROOK] | pieces[QUEEN]:
        return False
    if population(pieces[KNIGHT] | pieces[BISHOP]) <= ONE_PIECE:
        return True
    bishops = pieces[BISHOP]
    return pieces[KNIGHT] == ZERO and (bishops & DARK == ZERO or bishops & ~DARK == ZERO)


@entry(INT, POSITION_TYPE)
def static_evaluation(position):
    """`evaluate` for Python."""
    return evaluate(position)


@entry(BOOL, POSITION_TYPE)
def is_insufficient(position):
    """`is_insufficient_material` for Python."""
    return is_insufficient_material(position)
