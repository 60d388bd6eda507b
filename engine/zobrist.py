"""Zobrist keys: one number for each fact of a position; the key of a position is their exclusive
or.

The numbers are the 781 published ones of the Polyglot book format, taken from python-chess. They
are the same on every machine and in every run, they serve for opening books, and an independent
implementation checks them. Two things are ours: the four castling numbers are combined into the 16
states once, and an en-passant file counts only when a *legal* en-passant capture exists, where
Polyglot asks for an adjacent pawn only: positions are the same when the same moves can be played
(FIDE 9.2.3).

Source of the idea: Albert Zobrist (1970), "A New Hashing Method with Application for Game Playing".
"""

import numpy as np
from chess.polyglot import POLYGLOT_RANDOM_ARRAY

from zobra.engine.board import BLACK, FIVE, KING, KINGSIDE, ONE, QUEENSIDE, SEVEN, TWO, WHITE, ZERO
from zobra.engine.kernels import VOID, entry, kernel, lowest
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION_TYPE

PUBLISHED_KEYS = np.array(
    POLYGLOT_RANDOM_ARRAY, np.uint64
)  # 12 × 64 pieces, 4 castling rights, 8 files, White to move


@kernel
def castling_state(position):
    """The castling rights as one of 16 states: bit 2 × colour + wing for each rook that may
    castle.
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
    """Index of the correction key that a piece belongs to: 0 pawns, 1 White's pieces, 2 Black's
    pieces.
    """
    return ZERO if piece < TWO else ONE + (piece & ONE)


@entry(VOID, POSITION_TYPE, CONSTANTS_TYPE)
def compute_keys(position, constants):
    """Set the four keys of a position from scratch: the definition that every incremental update
    must agree with.
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
