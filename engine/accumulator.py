"""The first layer of the evaluation network, updated by the pieces that leave or enter squares.

Each colour sees the board from its own side, and mirrored if its king stands on the files e to h:
so the king is always on a to d, and mirror images are one. A king that crosses from d to e moves
every feature, and both sides are computed from scratch.

Idea: Yu Nasu's efficiently updatable network (2018); horizontal mirroring, Chess Programming Wiki,
"NNUE".
"""

import numpy as np

from zobra.engine.board import BLACK, KING, NO_PIECE, ONE, SIX, WHITE, ZERO
from zobra.engine.kernels import kernel, lowest, row_sums
from zobra.engine.layouts import CHANGES, NETWORK, NEURONS

RIGHT_HALF = np.uint64(4)  # the bit of a square on the files e to h
# By exclusive or with a feature: another rank, file, or colour (own pieces are even)
RANK_FLIP = np.uint64(56)
FILE_FLIP = np.uint64(7)
COLOUR_FLIP = ONE << SIX

add_rows = row_sums(NEURONS, NETWORK, "rows", CHANGES)


@kernel
def orientation(position, colour):
    """Return the number whose XOR turns White's feature of a piece into that of this colour."""
    king = lowest(position.pieces[KING] & position.colours[colour])
    flips = RANK_FLIP | COLOUR_FLIP if colour else ZERO
    if king & RIGHT_HALF:
        flips ^= FILE_FLIP
    return flips


@kernel
def feature(board, square):
    """Return the feature of a piece from White's view, with White's king on the files a to d."""
    return np.uint16(np.uint64(board[square]) << SIX | square)


@kernel
def refresh(network, accumulator, position):
    """Compute both sides from all pieces."""
    changes = accumulator.changes
    count = ZERO
    occupied = position.colours[WHITE] | position.colours[BLACK]
    while occupied:
        changes.added[count] = feature(position.board, lowest(occupied))
        occupied &= occupied - ONE
        count += ONE
    changes.added_count = count
    changes.removed_count = ZERO
    for colour in (WHITE, BLACK):
        flips = orientation(position, colour)
        add_rows(accumulator.sides[colour], network.bias, network, changes, flips)


@kernel
def update(network, accumulator, position, known, before):
    """Compute both sides from the accumulator `known` of the position `before` the last move.

    Each side takes one pass.
    """
    if orientation(position, before.side) != orientation(before, before.side):
        refresh(network, accumulator, position)
        return

    changes = accumulator.changes
    added = ZERO
    removed = ZERO
    changed = position.colours[WHITE] ^ before.colours[WHITE]
    changed |= position.colours[BLACK] ^ before.colours[BLACK]
    changed |= position.pieces[KING] ^ before.pieces[KING]  # which may trade places with its rook
    while changed:
        square = lowest(changed)
        changed &= changed - ONE
        if before.board[square] != NO_PIECE:
            changes.removed[removed] = feature(before.board, square)
            removed += ONE
        if position.board[square] != NO_PIECE:
            changes.added[added] = feature(position.board, square)
            added += ONE

    changes.added_count = added
    changes.removed_count = removed
    for colour in (WHITE, BLACK):
        flips = orientation(position, colour)
        add_rows(accumulator.sides[colour], known.sides[colour], network, changes, flips)
