"""The first layer of the evaluation network, kept up to date by what changes: pieces that left
squares, or came to them.

Each colour sees the board from its own side, and mirrored when its king stands on the files e to h:
so the king is always on a to d, and mirror images are one. A king that crosses from d to e moves
every feature, and both sides are computed anew.

Idea: Yu Nasu's efficiently updatable network (2018); horizontal mirroring, Chess Programming Wiki,
"NNUE".
"""

import numpy as np

from zobra.engine.board import BLACK, KING, NO_PIECE, ONE, WHITE, ZERO
from zobra.engine.kernels import kernel, lowest, row_sums
from zobra.engine.layouts import CHANGES, NETWORK, NEURONS

SQUARE_BITS, RIGHT_HALF = np.uint64(6), np.uint64(4)
RANK_FLIP, FILE_FLIP, COLOUR_FLIP = (
    np.uint64(56),
    np.uint64(7),
    ONE << SQUARE_BITS,
)  # of a feature; own pieces are even

add_rows = row_sums(NEURONS, NETWORK, "rows", CHANGES)


@kernel
def orientation(position, colour):
    """What turns White's feature of a piece into the one that this colour sees (by exclusive
    or).
    """
    king = lowest(position.pieces[KING] & position.colours[colour])
    return (RANK_FLIP | COLOUR_FLIP if colour else ZERO) ^ (
        FILE_FLIP if king & RIGHT_HALF else ZERO
    )


@kernel
def feature(board, square):
    """White's feature of the piece on a square, its king being on the files a to d."""
    return np.uint16(np.uint64(board[square]) << SQUARE_BITS | square)


@kernel
def refresh(network, accumulator, position):
    """Compute both sides from all pieces."""
    changes, count, occupied = (
        accumulator.changes,
        ZERO,
        position.colours[WHITE] | position.colours[BLACK],
    )
    while occupied:
        changes.added[count] = feature(position.board, lowest(occupied))
        occupied &= occupied - ONE
        count += ONE
    changes.added_count, changes.removed_count = count, ZERO
    for colour in (WHITE, BLACK):
        add_rows(
            accumulator.sides[colour], network.bias, network, changes, orientation(position, colour)
        )


@kernel
def update(network, accumulator, position, known, before):
    """Compute both sides, in one pass each, from the accumulator `known` of the position one move
    before.
    """
    if orientation(position, before.side) != orientation(before, before.side):
        refresh(network, accumulator, position)
        return
    changes, added, removed = accumulator.changes, ZERO, ZERO
    changed = (
        position.colours[WHITE] ^ before.colours[WHITE]
        | position.colours[BLACK] ^ before.colours[BLACK]
    )
    changed |= (
        position.pieces[KING] ^ before.pieces[KING]
    )  # king and rook may trade places in Chess960
    while changed:
        square = lowest(changed)
        changed &= changed - ONE
        if before.board[square] != NO_PIECE:
            changes.removed[removed] = feature(before.board, square)
            removed += ONE
        if position.board[square] != NO_PIECE:
            changes.added[added] = feature(position.board, square)
            added += ONE
    changes.added_count, changes.removed_count = added, removed
    for colour in (WHITE, BLACK):
        add_rows(
            accumulator.sides[colour],
            known.sides[colour],
            network,
            changes,
            orientation(position, colour),
        )
