"""Material with which nobody can win."""

from __future__ import annotations

from zobra.engine.board import BISHOP, KNIGHT, PAWN, QUEEN, ROOK, ZERO
from zobra.engine.board import DARK_SQUARES as DARK
from zobra.engine.kernels import kernel, population


@kernel
def is_insufficient_material(position):
    """Can neither side mate by any sequence of moves? Lone kings, one minor piece, or bishops of one square colour only."""
    pieces = position.pieces
    if pieces[PAWN] | pieces[ROOK] | pieces[QUEEN]:
        return False
    if population(pieces[KNIGHT] | pieces[BISHOP]) <= 1:
        return True
    bishops = pieces[BISHOP]
    return pieces[KNIGHT] == ZERO and (bishops & DARK == ZERO or bishops & ~DARK == ZERO)
