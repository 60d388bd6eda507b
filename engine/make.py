"""Making a move by copying: the new position is written into the record of the next ply.

Therefore no move is ever unmade. Keys are updated incrementally: a piece leaves a square, or
arrives on one.
"""

import numpy as np

from zobra.engine.attacks import has_legal_en_passant
from zobra.engine.board import (
    EIGHT,
    KING,
    KING_FILE,
    NO_PIECE,
    ONE,
    PAWN,
    ROOK,
    ROOK_FILE,
    SEVEN,
    TWO,
    ZERO,
)
from zobra.engine.kernels import copy_record, kernel
from zobra.engine.move import (
    CASTLING,
    DOUBLE_PUSH,
    EN_PASSANT,
    NORMAL,
    flag_of,
    from_square,
    promoted_type,
    to_square,
)
from zobra.engine.zobrist import castling_state, correction_key_index

G_FILE, C_FILE = (np.uint64(file) for file in KING_FILE)
F_FILE, D_FILE = (np.uint64(file) for file in ROOK_FILE)
RANK_BITS = np.uint64(56)
KING_PIECE = KING * TWO
ROOK_PIECE = ROOK * TWO


@kernel
def toggle(position, constants, piece, square):
    """Put a piece on a square or remove it, by XOR of its bits and keys."""
    bit = ONE << square
    position.pieces[piece >> ONE] ^= bit
    position.colours[piece & ONE] ^= bit
    key = constants.piece_key[piece, square]
    position.key ^= key
    position.correction_keys[correction_key_index(piece)] ^= key


@kernel
def put(position, constants, piece, square):
    """Place a piece on an empty square."""
    toggle(position, constants, piece, square)
    position.board[square] = np.uint8(piece)


@kernel
def take(position, constants, piece, square):
    """Remove a piece from its square."""
    toggle(position, constants, piece, square)
    position.board[square] = np.uint8(NO_PIECE)


@kernel
def shift(position, constants, piece, from_, to):
    """Move a piece to an empty square."""
    bits = ONE << from_ | ONE << to
    position.pieces[piece >> ONE] ^= bits
    position.colours[piece & ONE] ^= bits
    key = constants.piece_key[piece, from_] ^ constants.piece_key[piece, to]
    position.key ^= key
    position.correction_keys[correction_key_index(piece)] ^= key
    position.board[from_] = np.uint8(NO_PIECE)
    position.board[to] = np.uint8(piece)


@kernel
def finish_pawn_move(position, constants, us, from_, to, flag):
    """Complete a double push, an en-passant capture or a promotion."""
    if flag == DOUBLE_PUSH:
        target = (from_ + to) >> ONE
        if has_legal_en_passant(position, constants, target):
            position.en_passant = target
            position.key ^= constants.en_passant_key[target & SEVEN]
    elif flag == EN_PASSANT:
        take(position, constants, us ^ ONE, to ^ EIGHT)
    else:
        take(position, constants, us, to)
        put(position, constants, promoted_type(flag) * TWO + us, to)


@kernel
def castle(position, constants, us, king, rook):
    """Move king and rook to their castling squares.

    In Chess960 these may be squares that king or rook leave, so both are removed first.
    """
    rank = king & RANK_BITS
    kingside = rook > king
    king_to = rank + (G_FILE if kingside else C_FILE)
    rook_to = rank + (F_FILE if kingside else D_FILE)
    take(position, constants, KING_PIECE + us, king)
    take(position, constants, ROOK_PIECE + us, rook)
    put(position, constants, KING_PIECE + us, king_to)
    put(position, constants, ROOK_PIECE + us, rook_to)


@kernel
def turn(position, constants):
    """Change the side to move, and clear the en-passant square."""
    position.key ^= constants.side_key
    if position.en_passant:
        position.key ^= constants.en_passant_key[position.en_passant & SEVEN]
        position.en_passant = ZERO
    position.fullmove += np.int64(position.side)
    position.side ^= ONE


@kernel
def make(position, following, move, constants):
    """Write into `following` the position after a legal move.

    Its `checkers` and `pinned` are not set.
    """
    copy_record(following, position)
    us = position.side
    from_ = from_square(move)
    to = to_square(move)
    flag = flag_of(move)
    piece = np.uint64(position.board[from_])
    captured = np.uint64(position.board[to])

    turn(following, constants)
    following.halfmove += 1
    following.reversible_plies += 1

    # Castling rights go with the king, with their rook, and with a rook that is captured.
    lost = position.castling & (ONE << from_ | ONE << to)
    if piece == KING_PIECE + us:
        lost |= position.castling & position.colours[us]
    if lost:
        following.key ^= constants.castling_key[castling_state(following)]
        following.castling ^= lost
        following.reversible_plies = 0
        following.key ^= constants.castling_key[castling_state(following)]

    if flag == CASTLING:
        castle(following, constants, us, from_, to)
        return
    if captured != NO_PIECE:
        take(following, constants, captured, to)
        following.halfmove = 0
        following.reversible_plies = 0
    shift(following, constants, piece, from_, to)
    if piece >> ONE == PAWN:
        following.halfmove = 0
        following.reversible_plies = 0
        if flag != NORMAL:
            finish_pawn_move(following, constants, us, from_, to, flag)


@kernel
def key_after(position, move, constants):
    """Return the approximate key of the position after a move, for prefetching.

    It lacks what castling, lost castling rights, en passant and promotion change.
    """
    from_ = from_square(move)
    to = to_square(move)
    piece = np.uint64(position.board[from_])
    captured = np.uint64(position.board[to])
    key = position.key ^ constants.side_key
    key ^= constants.piece_key[piece, from_] ^ constants.piece_key[piece, to]
    if captured != NO_PIECE:
        key ^= constants.piece_key[captured, to]
    return key


@kernel
def make_null(position, following, constants):
    """Write into `following` the position after a null move, which is not allowed in check."""
    copy_record(following, position)
    turn(following, constants)
    following.halfmove += 1
    following.reversible_plies = 0
