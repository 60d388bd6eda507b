"""The evaluation without a network: piece-square values, interpolated between middlegame and
endgame.

It plays the games that the first network learns from, and the parameter `use_network=0` chooses it.
It is computed anew for each position. The weights were fitted to such games (see zobra.train.fits).
"""

import json
from pathlib import Path

import numpy as np

from zobra.engine.board import BISHOP, KNIGHT, ONE, QUEEN, ROOK, WHITE
from zobra.engine.kernels import INT, entry, kernel, lowest, population
from zobra.engine.layouts import POSITION_TYPE, TABLES_TYPE

MATERIAL = (100, 300, 300, 500, 900, 0)  # where the fit begins, by piece type, in centipawns
KIND_NAMES = ("pawn", "knight", "bishop", "rook", "queen", "king")
STAGES = ("middlegame", "endgame")
WEIGHTS_FILE = Path(__file__).parent / "data" / "piece_square.json"

ROOK_PHASE, QUEEN_PHASE = np.int64(2), np.int64(4)
FULL_PHASE = np.int64(24)  # four minor pieces a side at 1, two rooks at 2, a queen at 4
TEMPO = np.int64(10)  # centipawns for having the move


def table() -> np.ndarray:
    """Centipawns of shape (2, 12, 64) by stage, piece and square, positive for White's pieces."""
    weights = json.loads(WEIGHTS_FILE.read_text())
    white = np.array(
        [[weights[stage][name] for name in KIND_NAMES] for stage in STAGES], np.int64
    )  # (2, 6, 8, 8) by rank
    return np.stack([white, -white[:, :, ::-1]], axis=2).reshape(2, 12, 64)


@kernel
def phase_of(position):
    """Material left: FULL_PHASE with all pieces (or more, after promotions), 0 with kings and
    pawns.
    """
    pieces = position.pieces
    minors = population(pieces[KNIGHT] | pieces[BISHOP])
    phase = minors + ROOK_PHASE * population(pieces[ROOK]) + QUEEN_PHASE * population(pieces[QUEEN])
    return min(phase, FULL_PHASE)


@kernel
def evaluate(position, tables):
    """Static evaluation in centipawns, from the side to move."""
    phase, white = phase_of(position), np.int64(0)
    occupied = position.colours[0] | position.colours[1]
    while occupied:
        square = lowest(occupied)
        piece = position.board[square]
        white += tables.piece_square[0, piece, square] * phase
        white += tables.piece_square[1, piece, square] * (FULL_PHASE - phase)
        occupied &= occupied - ONE
    return (white if position.side == WHITE else -white) // FULL_PHASE + TEMPO


static_evaluation = entry(INT, POSITION_TYPE, TABLES_TYPE)(evaluate.function)  # the same for Python
