"""Training in float32: loss and gradient over positions, and the step of the optimiser.

The network is that of engine/network.py before quantisation: 1.0 is QA in the first layer and QB in the output; the output
is in units of the score's scale. Optimiser: AdamW, Loshchilov and Hutter (2017).
"""

from __future__ import annotations

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
def activate(weights, features, count, neurons):
    """The first layer of one side: bias plus the rows of its features, clipped to 0 … 1."""
    for j in range(len(neurons)):
        neurons[j] = weights.bias[j]
    for k in range(0, count - 3, 4):  # four rows at a time: memory is the limit
        first, second = weights.rows[features[k]], weights.rows[features[k + 1]]
        third, fourth = weights.rows[features[k + 2]], weights.rows[features[k + 3]]
        for j in range(len(neurons)):
            neurons[j] += first[j] + second[j] + third[j] + fourth[j]
    for k in range(count // 4 * 4, count):
        row = weights.rows[features[k]]
        for j in range(len(neurons)):
            neurons[j] += row[j]
    for j in range(len(neurons)):
        neurons[j] = min(max(neurons[j], np.float32(0)), np.float32(1))


@numeric
def output_of(output, neurons):
    """Contribution of one side's neurons to the output."""
    total = np.float32(0)
    for j in range(len(neurons)):
        total += neurons[j] * neurons[j] * output[j]
    return total


@numeric
def backpropagate_output(output, gradient, slope, neurons, slopes):
    """Gradient of one side's output weights, and `slopes` of its neurons; `slope`: derivative of the loss by the output."""
    for j in range(len(neurons)):
        value = neurons[j]
        gradient[j] += slope * value * value
        inside = value > np.float32(0) and value < np.float32(1)
        slopes[j] = np.float32(2) * slope * output[j] * value if inside else np.float32(0)


@numeric
def backpropagate_rows(gradient, features, count, slopes):
    """Add the slopes of one side's neurons to the gradients of the bias and of the rows of its features."""
    for j in range(len(slopes)):
        gradient.bias[j] += slopes[j]
    for k in range(count):
        row = gradient.rows[features[k]]
        for j in range(len(slopes)):
            row[j] += slopes[j]


@numeric
def sigmoid(value):
    """Winning chance of an output."""
    return 1.0 / (1.0 + math.exp(-value))


@numeric
def accumulate_gradient(weights, gradient, positions, blend, learn, errors):
    """Add the squared errors of positions against target, score and result to `errors`; if `learn`, add the gradient.

    `blend` is the share of the game's result in the target; the rest is the winning chance of the score.
    """
    hidden = len(weights.bias)
    own, theirs = np.empty(MAX_PIECES, np.uint64), np.empty(MAX_PIECES, np.uint64)
    ours, others, slopes = np.empty(hidden, np.float32), np.empty(hidden, np.float32), np.empty(hidden, np.float32)
    for index in range(len(positions)):
        position = positions[index]
        count = np.int64(list_features(position, own, theirs))
        activate(weights, own, count, ours)
        activate(weights, theirs, count, others)
        bucket = (count - 1) // PIECES
        layer = weights.output[bucket]
        output = weights.output_bias[bucket] + output_of(layer[0], ours) + output_of(layer[1], others)
        chance, by_score, by_result = sigmoid(output), sigmoid(position.score / UNIT), position.result / HALF_POINTS
        error = chance - ((1.0 - blend) * by_score + blend * by_result)
        errors[0] += error * error
        errors[1] += (chance - by_score) ** 2
        errors[2] += (chance - by_result) ** 2
        if learn:
            slope = np.float32(2.0 * error * chance * (1.0 - chance))
            gradient.output_bias[bucket] += slope
            layer_gradient = gradient.output[bucket]
            backpropagate_output(layer[0], layer_gradient[0], slope, ours, slopes)
            backpropagate_rows(gradient, own, count, slopes)
            backpropagate_output(layer[1], layer_gradient[1], slope, others, slopes)
            backpropagate_rows(gradient, theirs, count, slopes)


@numeric
def optimise(weights, gradients, moments, limits, step):
    """One step of AdamW over flat arrays: `gradients` (chunks, weights) are added in order; weights stay within ±limits.

    `step` has the number of positions in the batch, the number of the step from 1, learning rate and weight decay.
    """
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
