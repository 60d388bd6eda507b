"""Training in float32: loss and gradient over positions, and the step of the optimiser.

The network is that of engine/network.py before quantisation: 1.0 is QA in the first layer and QB in the output; the output
is in units of the score's scale. Optimiser: AdamW, Loshchilov and Hutter (2017).
"""

import math

import numpy as np

from zobra.engine.kernels import lowest, numeric
from zobra.engine.network_file import BUCKETS, FEATURES, SCALE
from zobra.train.positions import MAX_PIECES

FIRST_MOMENT, SECOND_MOMENT, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
ONE, NIBBLE, RANKS, FILES, LOW, NOTHING, SQUARE_BITS = map(np.uint64, (1, 4, 56, 7, 15, 0, 6))
OWN_MIRRORED, THEIRS_MIRRORED = np.uint64(1), np.uint64(2)
HALF_POINTS = 2.0
PIECES, UNIT = MAX_PIECES // BUCKETS, float(SCALE)


def weights_dtype(hidden: int) -> np.dtype:
    """All weights of a network with `hidden` neurons for each side, as float32."""
    fields = [("rows", "f4", (FEATURES, hidden)), ("bias", "f4", (hidden,)), ("output", "f4", (BUCKETS, 2, hidden))]
    return np.dtype([*fields, ("output_bias", "f4", (BUCKETS,))])


@numeric
def list_features(position, own, theirs):
    """Write the features of both sides to two arrays; return their number."""
    mirrored = np.uint64(position.mirrored)
    own_flip = FILES if mirrored & OWN_MIRRORED else NOTHING
    their_flip = RANKS ^ (FILES if mirrored & THEIRS_MIRRORED else NOTHING)
    occupied, count = position.occupied, np.uint64(0)
    while occupied:
        square = lowest(occupied)
        occupied &= occupied - ONE
        piece = np.uint64(position.pieces[count >> ONE]) >> (NIBBLE * (count & ONE)) & LOW
        own[count] = piece << SQUARE_BITS | (square ^ own_flip)
        theirs[count] = (piece ^ ONE) << SQUARE_BITS | (square ^ their_flip)
        count += ONE
    return count


@numeric
def activate(weights, features, output, neurons):
    """Fill in one side's neurons, bias plus the rows of its features clipped to 0 … 1; what they contribute to the output."""
    for j in range(len(neurons)):
        neurons[j] = weights.bias[j]
    for k in range(0, len(features) - 3, 4):  # four rows at a time: memory is the limit
        first, second = weights.rows[features[k]], weights.rows[features[k + 1]]
        third, fourth = weights.rows[features[k + 2]], weights.rows[features[k + 3]]
        for j in range(len(neurons)):
            neurons[j] += first[j] + second[j] + third[j] + fourth[j]
    for k in range(len(features) // 4 * 4, len(features)):
        row = weights.rows[features[k]]
        for j in range(len(neurons)):
            neurons[j] += row[j]
    total = np.float32(0)
    for j in range(len(neurons)):
        neurons[j] = min(max(neurons[j], np.float32(0)), np.float32(1))
        total += neurons[j] * neurons[j] * output[j]
    return total


@numeric
def backpropagate(gradient, features, output, output_gradient, slope, neurons):
    """Add one side's gradients, given the `slope` of the loss by the output. The neurons become their own slopes."""
    for j in range(len(neurons)):
        value = neurons[j]
        output_gradient[j] += slope * value * value
        inside = value > np.float32(0) and value < np.float32(1)
        neurons[j] = np.float32(2) * slope * output[j] * value if inside else np.float32(0)
        gradient.bias[j] += neurons[j]
    for k in range(len(features)):
        row = gradient.rows[features[k]]
        for j in range(len(neurons)):
            row[j] += neurons[j]


@numeric
def sigmoid(value):
    """Winning chance of an output."""
    return 1.0 / (1.0 + math.exp(-value))


@numeric
def accumulate_gradient(weights, gradient, positions, blend, learn, errors):
    """Add the squared errors of positions against target, score and result to `errors`; if `learn`, add the gradient. `blend`
    is the share of the game's result in the target; the rest is the winning chance of the score."""
    own_features, their_features = np.empty(MAX_PIECES, np.uint64), np.empty(MAX_PIECES, np.uint64)
    ours, theirs = np.empty(len(weights.bias), np.float32), np.empty(len(weights.bias), np.float32)
    for index in range(len(positions)):
        position = positions[index]
        count = np.int64(list_features(position, own_features, their_features))
        own, other, bucket = own_features[:count], their_features[:count], (count - 1) // PIECES
        layer = weights.output[bucket]
        output = (
            weights.output_bias[bucket] + activate(weights, own, layer[0], ours) + activate(weights, other, layer[1], theirs)
        )
        chance, by_score, by_result = sigmoid(output), sigmoid(position.score / UNIT), position.result / HALF_POINTS
        error = chance - ((1.0 - blend) * by_score + blend * by_result)
        errors[0] += error * error
        errors[1] += (chance - by_score) ** 2
        errors[2] += (chance - by_result) ** 2
        if learn:
            slope = np.float32(2.0 * error * chance * (1.0 - chance))
            gradient.output_bias[bucket] += slope
            backpropagate(gradient, own, layer[0], gradient.output[bucket][0], slope, ours)
            backpropagate(gradient, other, layer[1], gradient.output[bucket][1], slope, theirs)


@numeric
def optimise(weights, gradients, moments, limits, step):
    """One step of AdamW over flat arrays: `gradients` (chunks, weights) are added in order; weights stay within ±limits. `step`
    has the number of positions in the batch, the number of the step from 1, learning rate and weight decay."""
    positions, number, rate, decay = step
    first_scale, second_scale = 1.0 / (1.0 - FIRST_MOMENT**number), 1.0 / (1.0 - SECOND_MOMENT**number)
    first, second = moments[0], moments[1]
    for j in range(len(weights)):
        total = np.float32(0)
        for chunk in range(len(gradients)):
            total += gradients[chunk, j]
        slope = total / positions
        first[j] = FIRST_MOMENT * first[j] + (np.float32(1) - FIRST_MOMENT) * slope
        second[j] = SECOND_MOMENT * second[j] + (np.float32(1) - SECOND_MOMENT) * slope * slope
        change = first[j] * first_scale / (math.sqrt(second[j] * second_scale) + TINY)
        value = weights[j] * (1.0 - rate * decay) - rate * change
        weights[j] = min(max(value, -limits[j]), limits[j])
