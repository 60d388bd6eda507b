"""Zobrist keys: one number for each feature of a position; the XOR of these numbers is its key.

The numbers are the 781 published ones of the Polyglot book format, taken from python-chess. They
are the same on every machine and in every run, they serve for opening books, and an independent
implementation checks them. Two things differ: the four castling numbers are combined into the 16
states once, and an en-passant file counts only if a *legal* en-passant capture exists, where
Polyglot only requires an adjacent pawn: positions are the same if the same moves can be played
(FIDE 9.2.3).

Source of the idea: Albert Zobrist (1970), "A New Hashing Method with Application for Game Playing".
"""

import numpy as np
from chess.polyglot import POLYGLOT_RANDOM_ARRAY

from zobra.engine.board import BLACK, FIVE, KING, KINGSIDE, ONE, QUEENSIDE, SEVEN, TWO, WHITE, ZERO
from zobra.engine.kernels import VOID, entry, kernel, lowest
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION_TYPE

# 12 × 64 pieces, 4 castling rights, 8 files, White to move
PUBLISHED_KEYS = np.array(POLYGLOT_RANDOM_ARRAY, np.uint64)


@kernel
def castling_state(position):
    """Return the castling rights as one of 16 states.

    Bit 2 × colour + wing is set for each rook that may castle.
    """
    state = ZERO
    rooks = position.castling
    while rooks:
        rook = lowest(rooks)
        rooks &= rooks - ONE
        colour = rook >> FIVE
        king = lowest(position.pieces[KING] & position.colours[colour])
        state |= ONE << (TWO * colour + (KINGSIDE if rook > king else QUEENSIDE))
    return state


@kernel
def correction_key_index(piece):
    """Return the index of a piece's correction key.

    It is 0 for pawns, 1 for White's other pieces and 2 for Black's.
    """
    return ZERO if piece < TWO else ONE + (piece & ONE)


@entry(VOID, POSITION_TYPE, CONSTANTS_TYPE)
def compute_keys(position, constants):
    """Set the four keys of a position from scratch.

    This is the definition that every incremental update must agree with.
    """
    key = ZERO
    for index in range(3):
        position.correction_keys[index] = ZERO
    occupied = position.colours[WHITE] | position.colours[BLACK]
    while occupied:
        square = lowest(occupied)
        occupied &= occupied - ONE
        piece = np.uint64(position.board[square])
        key ^= constants.piece_key[piece, square]
        position.correction_keys[correction_key_index(piece)] ^= constants.piece_key[piece, square]
    key ^= constants.castling_key[castling_state(position)]
    if position.en_passant:
        key ^= constants.en_passant_key[position.en_passant & SEVEN]
    if position.side == WHITE:
        key ^= constants.side_key
    position.key = key
