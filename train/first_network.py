"""The network before the first: computed from the values of pieces and squares, not trained.

It plays the games from which the first trained network learns. A pair of neurons, one half active
when material is even, is as exact as a sum: (h + x)² - (h - x)² = 4hx. So each kind of piece has
pairs of its own, whose x is the value of one's own pieces less that of the enemy's.
"""

import numpy as np

from zobra.engine.network_file import BUCKETS, FEATURES, QA, SCALE, Network

WIDTH = 32
QB = 128
PAIRS = 2  # for each kind: one would need a larger output weight than there is
HALF = QA // 2
TEMPO = 10  # centipawns for having the move
# Centipawns by kind of piece: pawn, knight, bishop, rook, queen, king
VALUES = (100, 320, 330, 500, 950, 0)
CENTRE = (4, 12, 8, 2, 4, 12)  # for each step toward the centre
ADVANCE = (8, 0, 0, 0, 0, 0)  # for each rank
UNITS = (7, 9, 9, 12, 12, 2)  # of a pair's sum: the usual numbers of pieces stay within its range
KING = 5
MIDDLEGAME = BUCKETS // 2  # from this bucket on, the king avoids the centre


def square_value(kind: int, square: int) -> int:
    """Return the value in centipawns of a piece on a square (a1 is 0), as its own side sees it."""
    rank, file = divmod(square, 8)
    steps = min(rank, 7 - rank) + min(file, 7 - file)
    return VALUES[kind] + CENTRE[kind] * steps + ADVANCE[kind] * rank


def first_network() -> Network:
    """Return the network."""
    rows = np.zeros((FEATURES, WIDTH), np.int16)
    bias = np.zeros(WIDTH, np.int16)
    output = np.zeros((BUCKETS, 2, WIDTH), np.int16)
    unit = 4 * HALF * SCALE / (QA * QA * QB)  # centipawns of one unit with an output weight of 1
    neuron = 0
    for kind, centipawns in enumerate(UNITS):
        # Both sides see each pair, and each copy of it counts.
        weight = round(centipawns / (2 * PAIRS * unit))
        for _ in range(PAIRS):
            bias[neuron : neuron + 2] = HALF
            for square in range(64):
                value = round(square_value(kind, square) / centipawns)
                own = 2 * kind * 64 + square
                enemy = (2 * kind + 1) * 64 + (square ^ 56)
                rows[own, neuron : neuron + 2] = value, -value
                rows[enemy, neuron : neuron + 2] = -value, value
            output[:, 0, neuron : neuron + 2] = weight, -weight
            output[:, 1, neuron : neuron + 2] = -weight, weight
            if kind == KING:
                output[MIDDLEGAME:, :, neuron : neuron + 2] *= -1
            neuron += 2
    output_bias = np.full(BUCKETS, TEMPO * QA * QB // SCALE, np.int32)
    return Network(rows, bias, output, output_bias, QB, {"made_by": "zobra.train.first_network"})
