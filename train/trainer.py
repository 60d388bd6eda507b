"""Training a network on positions in float32, its quantisation to the integers of the engine, and
checks of what came of it.

The network is that of engine/network.py before quantisation: 1.0 is QA in the first layer and QB in
the output (see `units`); the output is in units of the score's scale. Optimiser: AdamW, Loshchilov
and Hutter (2017). A batch is cut into a fixed number of chunks, whose gradients are added in a
fixed order: the result does not depend on the number of threads.
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import chess
import numpy as np

from zobra.engine.kernels import lowest, numeric
from zobra.engine.network import load_network
from zobra.engine.network_file import (
    BUCKETS,
    FEATURES,
    LARGEST_OUTPUT,
    QA,
    SCALE,
    Network,
)
from zobra.engine.position import Position
from zobra.search.evaluation import evaluate_position
from zobra.train.game_kernel import DataError
from zobra.train.positions import EMPTY, MAX_PIECES, NO_RESULT, mailboxes, unpack_board

CHUNKS = 8
LARGEST_WEIGHT = 1.98  # of the first layer: 33 rows of it stay within 16 bits
TYPICAL_PIECES = 20
BATCHES_A_REPORT = 20  # batches between two calls of the listener
LARGEST_MEAN_ERROR = 12.0  # centipawns of rounding error
FIRST_MOMENT, SECOND_MOMENT, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
ONE, NIBBLE, RANKS, FILES, LOW, NOTHING, SQUARE_BITS = map(np.uint64, (1, 4, 56, 7, 15, 0, 6))
OWN_MIRRORED, THEIRS_MIRRORED = np.uint64(1), np.uint64(2)
PIECES = MAX_PIECES // BUCKETS


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
    """Fill in one side's neurons, bias plus the rows of its features clipped to 0 … 1; what they
    contribute to the output.
    """
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
    """Add one side's gradients, given the `slope` of the loss by the output.

    The neurons become their own slopes.
    """
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
def accumulate_gradient(weights, gradient, positions, target, learn, errors):
    """Add the squared errors of positions against target, score and result to `errors`; if `learn`,
    add the gradient. `target` has the share of the game's result, if there is one, and the
    centipawns that mean odds of e : 1; the rest is the winning chance of the score.
    """
    blend, chance_scale = target
    steepness = SCALE / chance_scale
    own_features, their_features = np.empty(MAX_PIECES, np.uint64), np.empty(MAX_PIECES, np.uint64)
    ours, theirs = np.empty(len(weights.bias), np.float32), np.empty(len(weights.bias), np.float32)
    for index in range(len(positions)):
        position = positions[index]
        count = np.int64(list_features(position, own_features, their_features))
        own, other, bucket = own_features[:count], their_features[:count], (count - 1) // PIECES
        layer = weights.output[bucket]
        output = weights.output_bias[bucket] + activate(weights, own, layer[0], ours)
        output += activate(weights, other, layer[1], theirs)
        chance, by_score, by_result = (
            sigmoid(output * steepness),
            sigmoid(position.score / chance_scale),
            position.result / 2.0,
        )
        if position.result == NO_RESULT:
            by_result = by_score
        error = chance - ((1.0 - blend) * by_score + blend * by_result)
        errors[0] += error * error
        errors[1] += (chance - by_score) ** 2
        errors[2] += (chance - by_result) ** 2
        if learn:
            slope = np.float32(2.0 * error * chance * (1.0 - chance) * steepness)
            gradient.output_bias[bucket] += slope
            backpropagate(gradient, own, layer[0], gradient.output[bucket][0], slope, ours)
            backpropagate(gradient, other, layer[1], gradient.output[bucket][1], slope, theirs)


@numeric
def optimise(weights, gradients, moments, limits, step, part):
    """One step of AdamW over a part of flat arrays, from its begin to its end: `gradients` (chunks,
    weights) are added in order; weights stay within ±limits. `step` has the number of positions in
    the batch, the number of the step from 1, learning rate and weight decay.
    """
    begin, end = part
    positions, number, rate, decay = step
    first_scale, second_scale = (
        1.0 / (1.0 - FIRST_MOMENT**number),
        1.0 / (1.0 - SECOND_MOMENT**number),
    )
    first, second = moments[0], moments[1]
    for j in range(begin, end):
        total = np.float32(0)
        for chunk in range(len(gradients)):
            total += gradients[chunk, j]
        slope = total / positions
        first[j] = FIRST_MOMENT * first[j] + (np.float32(1) - FIRST_MOMENT) * slope
        second[j] = SECOND_MOMENT * second[j] + (np.float32(1) - SECOND_MOMENT) * slope * slope
        change = first[j] * first_scale / (math.sqrt(second[j] * second_scale) + TINY)
        value = weights[j] * (1.0 - rate * decay) - rate * change
        weights[j] = min(max(value, -limits[j]), limits[j])


def units(qb: int) -> dict[str, int]:
    """The parts of a network whose output weights are `qb` times as large, and what stands for 1.0
    in each.
    """
    return {"rows": QA, "bias": QA, "output": qb, "output_bias": QA * qb}


PARTS = tuple(units(1))


@dataclass(frozen=True)
class Schedule:
    """How to train.

    `blend` is the share of the result in the target; it goes to `last_blend` in even steps, if that
    is given. `chance_scale`: centipawns that mean odds of e : 1 in the loss, the K of the sigmoid.
    """

    epochs: int = 12
    batch: int = 16_384
    rate: float = 1e-3
    last_rate: float = 1e-5
    warmup: int = 200
    decay: float = 0.01
    blend: float = 0.1
    last_blend: float | None = None
    chance_scale: float = SCALE
    validation: int = 50
    seed: int = 1

    def rate_at(self, step: int, steps: int) -> float:
        """Learning rate of a step counted from 0: linear warm-up, then half a cosine."""
        cosine = (1 + math.cos(math.pi * step / max(1, steps))) / 2
        return (self.last_rate + (self.rate - self.last_rate) * cosine) * min(
            1.0, (step + 1) / max(1, self.warmup)
        )

    @property
    def final_blend(self) -> float:
        """The share of the result at the end of training, by which networks are compared."""
        return self.blend if self.last_blend is None else self.last_blend

    def blend_at(self, step: int, steps: int) -> float:
        """Share of the result in the target of a step counted from 0."""
        return self.blend + (self.final_blend - self.blend) * step / max(1, steps - 1)


class Errors(NamedTuple):
    """Mean squared errors against the blended target, the score alone, and the result alone."""

    loss: float
    score: float
    result: float


Listener = Callable[[float, float, Errors, Errors | None], None]


def initial_weights(hidden: int, seed: int) -> np.ndarray:
    """Random weights (float32, shape (1,)) of `hidden` neurons a side: uniform, so that neurons
    start within their range.
    """
    fields = [
        ("rows", "f4", (FEATURES, hidden)),
        ("bias", "f4", (hidden,)),
        ("output", "f4", (BUCKETS, 2, hidden)),
    ]
    weights = np.zeros(1, np.dtype([*fields, ("output_bias", "f4", (BUCKETS,))]))
    source = np.random.default_rng(seed)
    spread = 1 / math.sqrt(TYPICAL_PIECES)
    weights["rows"] = source.uniform(-spread, spread, (FEATURES, hidden))
    weights["bias"] = source.uniform(0, spread, hidden)
    weights["output"] = source.uniform(-1, 1, (2, hidden))[None] / math.sqrt(2 * hidden)
    return weights


def weights_of(network: Network) -> np.ndarray:
    """The float weights (see initial_weights) that a network stands for."""
    weights = initial_weights(network.hidden, seed=0)
    for name, unit in units(network.qb).items():
        weights[name][0] = getattr(network, name) / np.float32(unit)
    return weights


class Trainer:
    """Holds the weights and the moments of the optimiser; it changes `weights` (see
    initial_weights), so that they stay within what a network with this `qb` can have. `training`
    and `validation` are indices (uint32) of positions: one game of each `schedule.validation` is
    kept out.
    """

    def __init__(
        self, positions: np.ndarray, weights: np.ndarray, qb: int, schedule: Schedule, threads: int
    ) -> None:
        self.schedule, self.positions, self.weights = schedule, positions, weights
        kept_out = positions["game"] % schedule.validation == 0
        self.training, self.validation = (
            np.flatnonzero(each).astype(np.uint32) for each in (~kept_out, kept_out)
        )
        if not len(self.training) or not len(self.validation):
            raise DataError(
                f"{len(positions)} positions of too few games: none are left to train or to "
                "validate on"
            )
        size = self.weights.view("f4").size
        self._gradients, self._moments = (
            np.zeros((CHUNKS, size), np.float32),
            np.zeros((2, size), np.float32),
        )
        self._records = self._gradients.view(self.weights.dtype)[:, 0]
        limits = np.zeros(1, self.weights.dtype)
        limits["rows"] = limits["bias"] = LARGEST_WEIGHT
        limits["output"] = LARGEST_OUTPUT / qb
        limits["output_bias"] = LARGEST_OUTPUT
        self._limits = limits.view("f4")
        self._pool = ThreadPoolExecutor(threads)

    def run(self, on_report: Listener = lambda *report: None) -> Errors:
        """Train all epochs; return the errors on the games kept out.

        Now and then on_report(epochs done, positions a second, errors in training, errors in
        validation) is called; the last is None except at the end of an epoch.
        """
        source, schedule = np.random.default_rng(self.schedule.seed), self.schedule
        per_epoch = max(1, len(self.training) // schedule.batch)
        step, steps = 0, per_epoch * schedule.epochs
        for epoch in range(schedule.epochs):
            total, seen, began = np.zeros(3), 0, time.perf_counter()
            for number, batch in enumerate(
                np.array_split(source.permutation(self.training), per_epoch), 1
            ):
                total += self._work(batch, schedule.blend_at(step, steps), True)
                seen += len(batch)
                rate = schedule.rate_at(step, steps)
                step += 1
                self._optimise(len(batch), step, rate)
                if number % BATCHES_A_REPORT == 0 or number == per_epoch:
                    speed = seen / (time.perf_counter() - began)
                    validation = self.validate() if number == per_epoch else None
                    on_report(
                        epoch + number / per_epoch, speed, Errors(*(total / seen)), validation
                    )
        return self.validate()

    def validate(self) -> Errors:
        """Errors on the games kept out, with the share of results of the end."""
        errors = self._work(self.validation, self.schedule.final_blend, False)
        return Errors(*(errors / len(self.validation)))

    def _optimise(self, positions: int, step: int, rate: float) -> None:
        """Change the weights by the gradients in the chunks, each thread a slice of them."""
        flat = self.weights.view("f4")
        facts = np.float32(positions), step, np.float32(rate), np.float32(self.schedule.decay)
        bounds = np.linspace(0, len(flat), CHUNKS + 1).astype(int).tolist()

        def optimise_slice(begin: int, end: int) -> None:
            part = begin, end
            optimise(flat, self._gradients, self._moments, self._limits, facts, part)

        list(self._pool.map(optimise_slice, bounds[:-1], bounds[1:]))

    def _work(self, order: np.ndarray, blend: float, learn: bool) -> np.ndarray:
        """Sums of the errors over positions; the gradients are left in the chunks."""
        errors, parts = np.zeros((CHUNKS, 3)), np.array_split(order, CHUNKS)
        target = blend, float(self.schedule.chance_scale)

        def process(chunk: int) -> None:
            gradient: Any = self._records[chunk]
            if learn:
                self._gradients[chunk] = 0
            chosen = self.positions[parts[chunk]]
            accumulate_gradient(self.weights[0], gradient, chosen, target, learn, errors[chunk])

        list(self._pool.map(process, range(CHUNKS)))
        return errors.sum(axis=0)


def quantise(weights: Any, qb: int, header: dict[str, Any]) -> Network:
    """The network of these float weights (a record of initial_weights), each rounded to the nearest
    integer.
    """
    rows, bias, output, output_bias = (
        np.rint(weights[name].astype(float) * unit).astype("i4") for name, unit in units(qb).items()
    )
    output = np.clip(output, -LARGEST_OUTPUT, LARGEST_OUTPUT)
    return Network(
        rows.astype(np.int16),
        bias.astype(np.int16),
        output.astype(np.int16),
        output_bias,
        qb,
        header,
    )


def _outputs(weights: dict[str, np.ndarray], one: int, positions: np.ndarray) -> np.ndarray:
    """The outputs for positions by plain arithmetic, independent of the kernels; a full neuron is
    `one`.
    """
    boards = mailboxes(positions)
    rows, squares = np.nonzero(boards != EMPTY)
    pieces = boards[rows, squares].astype(int)
    buckets = ((boards != EMPTY).sum(axis=1) - 1) * BUCKETS // MAX_PIECES
    total = weights["output_bias"][buckets]
    for side in range(2):
        flip = 56 * side ^ np.where(positions["mirrored"] & 1 << side, 7, 0)
        present = np.zeros((len(positions), FEATURES), weights["rows"].dtype)
        present[rows, (pieces ^ side) * 64 + (squares ^ flip[rows])] = 1
        neurons = np.clip(weights["bias"] + present @ weights["rows"], 0, one)
        total = total + (neurons**2 * weights["output"][buckets, side]).sum(axis=1)
    return total


def float_scores(weights: Any, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the float weights."""
    return _outputs({name: weights[name].astype(float) for name in PARTS}, 1, positions) * SCALE


def integer_scores(network: Network, positions: np.ndarray) -> np.ndarray:
    """Centipawns for the side to move by the integers, computed without any kernel."""
    weights = {name: getattr(network, name).astype(np.int64) for name in PARTS}
    weights["output_bias"] *= QA
    unit = QA * QA * network.qb
    return (_outputs(weights, QA, positions) * SCALE + unit // 2) // unit


def restore_centipawns(weights: Any, positions: np.ndarray) -> float:
    """Scale the output so that values are as large as the scores of these positions, on average
    below SCALE; the factor. A share of the result in the target makes values larger, and the
    margins of the search are made for those of scores.
    """
    usual = positions[np.abs(positions["score"].astype(int)) < SCALE]
    if not len(usual):
        raise DataError(f"no position to validate on has a score below {SCALE} centipawns")
    factor = float(np.abs(usual["score"]).mean() / np.abs(float_scores(weights, usual)).mean())
    for name in ("output", "output_bias"):
        weights[name] *= np.float32(factor)
    return factor


class Findings(NamedTuple):
    """Errors in centipawns, and numbers of differences."""

    mean_error: float
    largest_error: float
    kernel_differences: int
    asymmetries: int

    def faults(self) -> list[str]:
        """Failed checks, in words."""
        checks = {
            (
                f"integers are {self.mean_error:.1f} centipawns from the floats on average"
            ): self.mean_error > LARGEST_MEAN_ERROR,
            (
                f"{self.kernel_differences} positions have another score in the kernels"
            ): self.kernel_differences,
            (
                f"{self.asymmetries} positions change their score with colours exchanged, "
                "or mirrored"
            ): self.asymmetries,
        }
        return [fault for fault, is_found in checks.items() if is_found]


def verify(network: Network, weights: Any, positions: np.ndarray) -> Findings:
    """Compare a network with its float weights, and the kernels with plain arithmetic, on positions
    of dtype PACKED.
    """
    plain = integer_scores(network, positions)
    errors = np.abs(float_scores(weights, positions) - plain)
    weights_of_kernels = load_network(network)

    def score(board: chess.Board) -> int:
        return evaluate_position(Position.from_board(board), weights_of_kernels)

    boards = [unpack_board(packed) for packed in positions]
    scores = [score(board) for board in boards]
    mirrored = [
        {score(board.mirror()), score(board.transform(chess.flip_horizontal))} for board in boards
    ]
    differences = int((np.array(scores, np.int64) != plain).sum())
    asymmetries = sum(others != {found} for others, found in zip(mirrored, scores, strict=True))
    return Findings(float(errors.mean()), float(errors.max()), differences, asymmetries)
