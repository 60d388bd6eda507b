"""Draws in the search: repetition, insufficient material, and the fifty-move rule."""

from __future__ import annotations

from zobra.engine.board import FIFTY_MOVES, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import kernel
from zobra.engine.material import is_insufficient_material
from zobra.search.worker import is_repetition


@kernel
def is_draw(worker, tables, ply):
    """Repetition, insufficient material, or fifty moves without capture or pawn move (unless the last of them mates)."""
    node = worker.stack[ply]
    position = node.position
    if is_repetition(worker, ply) or is_insufficient_material(position):
        return True
    if position.halfmove < FIFTY_MOVES:
        return False
    node.moves.count = ZERO
    return position.checkers == ZERO or generate(position, tables, node.moves, ALL) != ZERO
