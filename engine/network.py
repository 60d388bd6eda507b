"""The evaluation network: (768 → WIDTH) × 2 → BUCKETS, with squared clipped neurons, in integers.

Each side's features (see accumulator.py) feed the same first layer; the neurons of the side to move
come first. A neuron contributes clip(x, 0, 1)², where x is stored multiplied by QA, and the output
weights by QB (each network has its own, see OUTPUT_UNITS). The output times SCALE is a score.
The number of pieces on the board selects one of the outputs. Ideas: NNUE, Yu Nasu (2018); the
perspective network with squared clipped neurons (SCReLU) as trained by Jamie Whiting's bullet.
"""

from functools import cache

import numpy as np

from zobra.engine.accumulator import refresh
from zobra.engine.board import BLACK, ONE, WHITE, ZERO
from zobra.engine.kernels import (
    INT,
    VOID,
    clipped_square_sum,
    entry,
    kernel,
    layout,
    popcount,
    record,
    record_at,
)
from zobra.engine.layouts import ACCUMULATOR, NETWORK, NEURONS, POSITION, POSITION_TYPE
from zobra.engine.memory import map_memory
from zobra.engine.network_file import (
    BUCKETS,
    BUILT_IN,
    OUTPUT_UNITS,
    QA,
    Network,
    install,
    read_network,
)
from zobra.engine.scores import LONGEST_MATE

UNIT = np.int64(QA * QA * max(OUTPUT_UNITS))
HALF_UNIT = UNIT // 2
BIAS_FACTOR = np.int64(QA)
LARGEST = LONGEST_MATE - np.int64(1)
PIECES_A_BUCKET = np.uint64(32 // BUCKETS)

network_at = record_at(NETWORK)
square_sum = clipped_square_sum(NEURONS, QA)
BATCH = 1024  # positions that evaluate_batch takes at most
EVALUATIONS = layout(
    ("accumulator", ACCUMULATOR), ("positions", POSITION, (BATCH,)), ("scores", "i8", (BATCH,))
)


@kernel
def network_score(network, accumulator, position):
    """Return the score for the side to move; both sides of the accumulator must be computed."""
    pieces = np.uint64(popcount(position.colours[WHITE] | position.colours[BLACK]))
    bucket = (pieces - ONE) // PIECES_A_BUCKET
    side = position.side
    total = square_sum(accumulator.sides[side], network.output[bucket, ZERO])
    total += square_sum(accumulator.sides[side ^ ONE], network.output[bucket, ONE])
    total += BIAS_FACTOR * network.output_bias[bucket]
    score = (total * network.scale + HALF_UNIT) // UNIT
    return max(-LARGEST, min(score, LARGEST))


@entry(INT, record(NETWORK), record(ACCUMULATOR), POSITION_TYPE)
def evaluate_anew(network, accumulator, position):
    """Compute the accumulator from all pieces, and return the score for the side to move."""
    refresh(network, accumulator, position)
    return network_score(network, accumulator, position)


@entry(VOID, record(NETWORK), record(EVALUATIONS), INT)
def evaluate_batch(network, batch, count):
    """Evaluate the first `count` positions of a batch: `scores` are for White."""
    for index in range(count):
        position = batch.positions[index]
        refresh(network, batch.accumulator, position)
        score = network_score(network, batch.accumulator, position)
        batch.scores[index] = score if position.side == WHITE else -score


def load_network(network: Network) -> np.ndarray:
    """Return the weights of a network as kernels take them: shape (1,), dtype NETWORK."""
    array = map_memory(NETWORK.itemsize).view(NETWORK)
    install(network, array[0])
    return array


@cache
def built_in_network() -> np.ndarray:
    """Return the package's network as `load_network` does; each process reads it once."""
    return load_network(read_network(BUILT_IN))
