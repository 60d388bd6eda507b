"""The first layer of the evaluation network, kept up to date by what changes: pieces that left squares, or came to them.

Each colour sees the board from its own side, and mirrored when its king stands on the files e to h: then the king is always on
a to d, and a position and its mirror image are one. So a king that crosses from d to e moves every feature, and its side is
computed anew. What changed is read off two positions, however many moves lie between: nothing is noted when a move is made.

Idea: Yu Nasu's efficiently updatable network (2018); horizontal mirroring, Chess Programming Wiki, "NNUE".
"""

import numpy as np

from zobra.engine.board import BISHOP, KING, KNIGHT, NO_PIECE, ONE, PAWN, QUEEN, ROOK, ZERO
from zobra.engine.kernels import kernel, lowest, row_sums
from zobra.engine.layouts import CHANGES, NETWORK, NEURONS

RANK_FLIP, FILE_FLIP = np.uint64(56), np.uint64(7)
RIGHT_HALF, SQUARE_BITS = np.uint64(4), np.uint64(6)

add_rows = row_sums(NEURONS, NETWORK, "rows", CHANGES)


@kernel
def orientation(position, colour):
    """What turns a square into the one this colour sees (by exclusive or)."""
    king = lowest(position.pieces[KING] & position.colours[colour])
    return (RANK_FLIP if colour else ZERO) ^ (FILE_FLIP if king & RIGHT_HALF else ZERO)


@kernel
def feature(piece, square, colour, flip):
    """Index of a piece on a square, as this colour sees it: own pieces are even."""
    return (piece ^ colour) << SQUARE_BITS | (square ^ flip)


@kernel
def refresh(network, accumulator, position, colour):
    """Compute one side from all pieces."""
    flip, changes, count = orientation(position, colour), accumulator.changes, ZERO
    occupied = position.colours[ZERO] | position.colours[ONE]
    while occupied:
        square = lowest(occupied)
        occupied &= occupied - ONE
        changes.added[count] = np.uint16(feature(np.uint64(position.board[square]), square, colour, flip))
        count += ONE
    changes.added_count, changes.removed_count = count, ZERO
    add_rows(accumulator.sides[colour], network.bias, network, changes)
    accumulator.computed |= ONE << colour


@kernel
def update(network, accumulator, position, known, known_position, colour):
    """Compute one side, in one pass, from the accumulator of a position with the king of `colour` in the same half."""
    flip, changes, added, removed = orientation(position, colour), accumulator.changes, ZERO, ZERO
    now, then, colours, earlier = position.pieces, known_position.pieces, position.colours, known_position.colours
    changed = (now[PAWN] ^ then[PAWN]) | (now[KNIGHT] ^ then[KNIGHT]) | (now[BISHOP] ^ then[BISHOP])
    changed |= (now[ROOK] ^ then[ROOK]) | (now[QUEEN] ^ then[QUEEN]) | (now[KING] ^ then[KING])
    changed |= (colours[ZERO] ^ earlier[ZERO]) | (colours[ONE] ^ earlier[ONE])
    while changed:
        square = lowest(changed)
        changed &= changed - ONE
        gone, come = np.uint64(known_position.board[square]), np.uint64(position.board[square])
        if gone != NO_PIECE:
            changes.removed[removed] = np.uint16(feature(gone, square, colour, flip))
            removed += ONE
        if come != NO_PIECE:
            changes.added[added] = np.uint16(feature(come, square, colour, flip))
            added += ONE
    changes.added_count, changes.removed_count = added, removed
    add_rows(accumulator.sides[colour], known.sides[colour], network, changes)
    accumulator.computed |= ONE << colour
