"""Constants of the board: colours, pieces, squares, files and ranks, as unsigned words for kernels.

Squares count a1 = 0, b1 = 1, … h8 = 63. A piece is 2 × type + colour. All are uint64, because in
Numba a signed operand turns an unsigned result signed (a shift right then copies the sign bit).
"""

import numpy as np

ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = (np.uint64(number) for number in range(9))

WHITE, BLACK = np.uint64(0), np.uint64(1)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = (np.uint64(kind) for kind in range(6))
NO_PIECE = np.uint64(12)
PIECE_LETTERS = "PpNnBbRrQqKk"

FILE_A = np.uint64(0x0101010101010101)
FILE_H = np.uint64(0x8080808080808080)
LAST_RANKS = np.uint64(0xFF000000000000FF)
DARK_SQUARES = np.uint64(0xAA55AA55AA55AA55)

FIFTY_MOVES = 100  # plies without a capture or a pawn move that make a draw

KINGSIDE, QUEENSIDE = np.uint64(0), np.uint64(1)
KING_FILE = (6, 2)  # where castling takes the king and the rook, by wing
ROOK_FILE = (5, 3)

SQUARE_NAMES = [file + rank for rank in "12345678" for file in "abcdefgh"]
