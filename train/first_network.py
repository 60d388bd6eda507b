"""The initial network, computed from the values of pieces and squares instead of trained.

It plays the games from which the first trained network learns. A pair of neurons, each half active
when material is even, is as exact as a sum: (h + x)² − (h − x)² = 4hx. So each kind of piece has
its own pairs, whose x is the value of one's own pieces minus that of the enemy's.
"""

import numpy as np

from zobra.engine.network_file import BUCKETS, FEATURES, QA, SCALE, Network

HIDDEN = 32
QB = 128
PAIRS = 2  # for each kind: one would need a larger output weight than there is
HALF = QA // 2
TEMPO = 10  # internal units for having the move

# By kind of piece: pawn, knight, bishop, rook, queen, king
VALUES = (100, 320, 330, 500, 950, 0)  # internal units
CENTRE = (4, 12, 8, 2, 4, 12)  # internal units for each step toward the centre
ADVANCE = (8, 0, 0, 0, 0, 0)  # internal units for each rank
UNITS = (7, 9, 9, 12, 12, 2)  # of score per unit of a weight, so that usual sums are not clipped
KING = 5
MIDDLEGAME = BUCKETS // 2  # from this bucket on, the king avoids the centre


def square_value(kind: int, square: int) -> int:
    """Return the value of a piece on a square (a1 is 0), from its own side's view."""
    rank, file = divmod(square, 8)
    steps = min(rank, 7 - rank) + min(file, 7 - file)
    return VALUES[kind] + CENTRE[kind] * steps + ADVANCE[kind] * rank


def first_network() -> Network:
    """Return the network."""
    rows = np.zeros((FEATURES, HIDDEN), np.int16)
    bias = np.zeros(HIDDEN, np.int16)
    output = np.zeros((BUCKETS, 2, HIDDEN), np.int16)
    # Score per unit of a weight, with an output weight of 1
    step = 4 * HALF * SCALE / (QA * QA * QB)
    pairs = [(kind, unit) for kind, unit in enumerate(UNITS) for _ in range(PAIRS)]
    for index, (kind, unit) in enumerate(pairs):
        pair = slice(2 * index, 2 * index + 2)
        bias[pair] = HALF
        for square in range(64):
            value = round(square_value(kind, square) / unit)
            own = 2 * kind * 64 + square
            enemy = (2 * kind + 1) * 64 + (square ^ 56)
            rows[own, pair] = value, -value
            rows[enemy, pair] = -value, value

        # Each pair counts for both sides, and there are PAIRS of them.
        weight = round(unit / (2 * PAIRS * step))
        output[:, 0, pair] = weight, -weight
        output[:, 1, pair] = -weight, weight
        if kind == KING:
            output[MIDDLEGAME:, :, pair] *= -1
    output_bias = np.full(BUCKETS, TEMPO * QA * QB // SCALE, np.int32)
    return Network(rows, bias, output, output_bias, QB, {"made_by": "zobra.train.first_network"})
