"""The loss of a network on positions, its gradient, and a step of the optimiser, in float32.

The network is that of float_network.py. The loss is the squared error of the winning chance, the
sigmoid of the output. The optimiser is AdamW, Loshchilov and Hutter (2017).
"""

import math
from typing import NamedTuple

import numpy as np

from zobra.engine.accumulator import FILE_FLIP, RANK_FLIP
from zobra.engine.board import ONE, SIX, ZERO
from zobra.engine.kernels import lowest, numeric
from zobra.engine.network_file import BUCKETS, SCALE
from zobra.train.positions import MAX_PIECES, NIBBLE

PIECES_PER_BUCKET = MAX_PIECES // BUCKETS
BETA1 = np.float32(0.9)
BETA2 = np.float32(0.999)
EPSILON = np.float32(1e-8)

LOW = np.uint64(15)
OWN_MIRRORED = np.uint64(1)
THEIRS_MIRRORED = np.uint64(2)


class Target(NamedTuple):
    """How a target is made of the score and the result of a position."""

    wdl: float  # the share of the result
    eval_scale: float  # internal units that mean odds of e : 1


class Step(NamedTuple):
    """A step of the optimiser."""

    batch_size: np.float32  # positions
    number: int  # from 1
    learning_rate: np.float32
    weight_decay: np.float32


@numeric
def list_features(position, own, theirs):
    """Write the features of each side to an array (uint64), and return their number.

    `own` and `theirs` have room for MAX_PIECES features.
    """
    mirrored = np.uint64(position.mirrored)
    own_flip = FILE_FLIP if mirrored & OWN_MIRRORED else ZERO
    their_flip = RANK_FLIP ^ (FILE_FLIP if mirrored & THEIRS_MIRRORED else ZERO)
    occupied = position.occupied
    count = ZERO
    while occupied:
        square = lowest(occupied)
        occupied &= occupied - ONE
        piece = np.uint64(position.pieces[count >> ONE]) >> (NIBBLE * (count & ONE)) & LOW
        own[count] = piece << SIX | (square ^ own_flip)
        theirs[count] = (piece ^ ONE) << SIX | (square ^ their_flip)
        count += ONE
    return count


@numeric
def activate(weights, features, output, neurons):
    """Compute the neurons of one side, and return what they contribute to the output.

    A neuron is its bias plus the weights of the features, clipped to 0 … 1, and then squared
    (SCReLU). `neurons` and `output`, the output weights, are float32 of shape (hidden,); the
    neurons are stored before they are squared.
    """
    for j in range(len(neurons)):
        neurons[j] = weights.bias[j]
    # Four rows at a time, because memory is the bottleneck
    for k in range(0, len(features) - 3, 4):
        first = weights.rows[features[k]]
        second = weights.rows[features[k + 1]]
        third = weights.rows[features[k + 2]]
        fourth = weights.rows[features[k + 3]]
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
def backpropagate(gradient, features, output, output_gradient, delta, neurons):
    """Add the gradients of one side; `delta` is the derivative of the loss by the output.

    The neurons are overwritten with the derivatives of the loss by them.
    """
    for j in range(len(neurons)):
        value = neurons[j]
        output_gradient[j] += delta * value * value
        inside = value > np.float32(0) and value < np.float32(1)
        neurons[j] = np.float32(2) * delta * output[j] * value if inside else np.float32(0)
        gradient.bias[j] += neurons[j]
    for k in range(len(features)):
        row = gradient.rows[features[k]]
        for j in range(len(neurons)):
            row[j] += neurons[j]


@numeric
def sigmoid(value):
    """Return the winning chance of an output."""
    return 1.0 / (1.0 + math.exp(-value))


@numeric
def accumulate_gradient(weights, gradient, positions, target, learn, errors):
    """Add the squared errors of positions (dtype PACKED) to `errors` (float64, shape (3,)).

    There are three errors: against the target, the score alone and the result alone. If `learn`,
    the gradient of the first is added to `gradient`. `target` is a Target: it interpolates between
    the winning chance of the score and the result.
    """
    steepness = SCALE / target.eval_scale
    own_features = np.empty(MAX_PIECES, np.uint64)
    their_features = np.empty(MAX_PIECES, np.uint64)
    ours = np.empty(len(weights.bias), np.float32)
    theirs = np.empty(len(weights.bias), np.float32)
    for index in range(len(positions)):
        # Forward
        position = positions[index]
        count = np.int64(list_features(position, own_features, their_features))
        own = own_features[:count]
        other = their_features[:count]
        bucket = (count - 1) // PIECES_PER_BUCKET
        layer = weights.output[bucket]
        output = weights.output_bias[bucket] + activate(weights, own, layer[0], ours)
        output += activate(weights, other, layer[1], theirs)

        # Loss
        chance = sigmoid(output * steepness)
        by_score = sigmoid(position.score / target.eval_scale)
        by_result = position.result / 2.0
        error = chance - ((1.0 - target.wdl) * by_score + target.wdl * by_result)
        errors[0] += error * error
        errors[1] += (chance - by_score) ** 2
        errors[2] += (chance - by_result) ** 2

        # Backward
        if learn:
            delta = np.float32(2.0 * error * chance * (1.0 - chance) * steepness)
            gradient.output_bias[bucket] += delta
            backpropagate(gradient, own, layer[0], gradient.output[bucket][0], delta, ours)
            backpropagate(gradient, other, layer[1], gradient.output[bucket][1], delta, theirs)


@numeric
def optimise(weights, gradients, moments, limits, step, bounds):
    """Make one AdamW step, a Step, for a slice of the weights, whose `bounds` are begin and end.

    All arrays are float32. `weights` and `limits` are flat, `moments` has a row for each moment of
    the gradient, and `gradients` a row for each chunk; chunks are summed in order. Weights are
    clipped to ±limits.
    """
    begin, end = bounds
    first_scale = 1.0 / (1.0 - BETA1**step.number)
    second_scale = 1.0 / (1.0 - BETA2**step.number)
    first = moments[0]
    second = moments[1]
    for j in range(begin, end):
        total = np.float32(0)
        for chunk in range(len(gradients)):
            total += gradients[chunk, j]
        gradient = total / step.batch_size
        first[j] = BETA1 * first[j] + (np.float32(1) - BETA1) * gradient
        second[j] = BETA2 * second[j] + (np.float32(1) - BETA2) * gradient * gradient
        change = first[j] * first_scale / (math.sqrt(second[j] * second_scale) + EPSILON)
        kept = 1.0 - step.learning_rate * step.weight_decay
        value = weights[j] * kept - step.learning_rate * change
        weights[j] = min(max(value, -limits[j]), limits[j])
