"""Draws in the search: repetition, insufficient material, and the fifty-move rule."""

from zobra.engine.board import BISHOP, DARK_SQUARES, FIFTY_MOVES, KNIGHT, PAWN, QUEEN, ROOK, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import kernel, popcount


@kernel
def is_repetition(worker, ply):
    """Return whether this position occurred before: once after the root, or twice in all."""
    position = worker.stack[ply].position
    current = worker.root_key_index + ply
    seen_in_game = False
    back = 4  # plies, the shortest repetition
    while back <= position.reversible_plies and back <= current:
        if worker.keys[current - back] == position.key:
            if back < ply or seen_in_game:
                return True
            seen_in_game = True
        back += 2
    return False


@kernel
def is_insufficient_material(position):
    """Return whether neither side can mate by any sequence of moves.

    This is so with lone kings, one minor piece, or bishops of one square colour only.
    """
    pieces = position.pieces
    if pieces[PAWN] | pieces[ROOK] | pieces[QUEEN]:
        return False
    if popcount(pieces[KNIGHT] | pieces[BISHOP]) <= 1:
        return True
    if pieces[KNIGHT]:
        return False
    bishops = pieces[BISHOP]
    return bishops & DARK_SQUARES == ZERO or bishops & ~DARK_SQUARES == ZERO


@kernel
def is_draw(worker, constants, ply):
    """Return whether the position is a draw by repetition, insufficient material or fifty moves.

    The fifty-move rule does not apply if the last of these moves gives mate.
    """
    node = worker.stack[ply]
    position = node.position
    if is_repetition(worker, ply) or is_insufficient_material(position):
        return True
    if position.halfmove < FIFTY_MOVES:
        return False
    node.moves.count = ZERO
    return position.checkers == ZERO or generate(position, constants, node.moves, ALL) != ZERO
