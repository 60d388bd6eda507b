"""Training a network on positions: epochs of shuffled batches, threads, a cosine schedule, and validation on other games.

A batch is cut into a fixed number of chunks. Their gradients are added in a fixed order, so the result does not depend on the
number of threads.
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zobra.engine.network_file import FEATURES, LARGEST_OUTPUT, QB
from zobra.train.game_kernel import DataError
from zobra.train.gradient import accumulate_gradient, optimise, weights_dtype

CHUNKS = 8
LARGEST_WEIGHT = 1.98  # of the first layer: 33 rows of it stay within 16 bits
TYPICAL_PIECES = 20
BATCHES_A_REPORT = 20  # batches between two calls of the listener


@dataclass(frozen=True)
class Schedule:
    """How to train. `blend` is the share of the result in the target, from the first epoch's to the last's."""

    epochs: int = 12
    batch: int = 16_384
    rate: float = 1e-3
    last_rate: float = 1e-5
    warmup: int = 200
    decay: float = 0.01
    blend: float = 0.1
    last_blend: float = 0.1
    validation: int = 50
    seed: int = 1

    def rate_at(self, step: int, steps: int) -> float:
        """Learning rate of a step counted from 0: linear warm-up, then half a cosine."""
        cosine = (1 + math.cos(math.pi * step / max(1, steps))) / 2
        return (self.last_rate + (self.rate - self.last_rate) * cosine) * min(1.0, (step + 1) / max(1, self.warmup))

    def blend_at(self, step: int, steps: int) -> float:
        """Share of the result in the target of a step."""
        return self.blend + (self.last_blend - self.blend) * step / max(1, steps)


class Errors(NamedTuple):
    """Mean squared errors against the blended target, the score alone, and the result alone."""

    loss: float
    score: float
    result: float


Listener = Callable[[float, float, Errors, Errors | None], None]


def initial_weights(hidden: int, seed: int) -> np.ndarray:
    """Random weights of shape (1,): uniform, so that neurons start well within their range."""
    source = np.random.default_rng(seed)
    weights = np.zeros(1, weights_dtype(hidden))
    spread = 1 / math.sqrt(TYPICAL_PIECES)
    weights["rows"] = source.uniform(-spread, spread, (FEATURES, hidden))
    weights["bias"] = source.uniform(0, spread, hidden)
    weights["output"] = source.uniform(-1, 1, (2, hidden))[None] / math.sqrt(2 * hidden)
    return weights


class Trainer:
    """Holds the weights (a record of weights_dtype) and the moments of the optimiser. `training` and `validation` are indices
    (uint32) of positions: one game of each `schedule.validation` is kept out."""

    def __init__(self, positions: np.ndarray, hidden: int, schedule: Schedule, threads: int) -> None:
        self.schedule, self.positions = schedule, positions
        self.weights = initial_weights(hidden, schedule.seed)
        kept_out = positions["game"] % schedule.validation == 0
        self.training, self.validation = (np.flatnonzero(each).astype(np.uint32) for each in (~kept_out, kept_out))
        if not len(self.training) or not len(self.validation):
            raise DataError(f"{len(positions)} positions of too few games: none are left to train or to validate on")
        size = self.weights.view("f4").size
        self._gradients, self._moments = np.zeros((CHUNKS, size), np.float32), np.zeros((2, size), np.float32)
        self._records = self._gradients.view(self.weights.dtype)[:, 0]
        limits = np.zeros(1, self.weights.dtype)
        limits["rows"] = limits["bias"] = LARGEST_WEIGHT
        limits["output"], limits["output_bias"] = LARGEST_OUTPUT / QB, LARGEST_OUTPUT
        self._limits = limits.view("f4")
        self._pool = ThreadPoolExecutor(threads)

    def run(self, on_report: Listener = lambda *report: None) -> Errors:
        """Train all epochs; return the errors on the games kept out. Now and then on_report(epochs done, positions a second,
        errors in training, errors in validation) is called; the last is None except at the end of an epoch."""
        source, schedule = np.random.default_rng(self.schedule.seed), self.schedule
        per_epoch = max(1, len(self.training) // schedule.batch)
        step, steps, flat = 0, per_epoch * schedule.epochs, self.weights.view("f4")
        for epoch in range(schedule.epochs):
            total, seen, began = np.zeros(3), 0, time.perf_counter()
            for number, batch in enumerate(np.array_split(source.permutation(self.training), per_epoch), 1):
                total += self._work(batch, schedule.blend_at(step, steps), True)
                seen += len(batch)
                rate = schedule.rate_at(step, steps)
                step += 1
                facts = np.float32(len(batch)), step, np.float32(rate), np.float32(schedule.decay)
                optimise(flat, self._gradients, self._moments, self._limits, facts)
                if number % BATCHES_A_REPORT == 0 or number == per_epoch:
                    speed = seen / (time.perf_counter() - began)
                    validation = self.validate() if number == per_epoch else None
                    on_report(epoch + number / per_epoch, speed, Errors(*(total / seen)), validation)
        return self.validate()

    def validate(self) -> Errors:
        """Errors on the games kept out, with the blend of the last step."""
        return Errors(*(self._work(self.validation, self.schedule.last_blend, False) / len(self.validation)))

    def _work(self, order: np.ndarray, blend: float, learn: bool) -> np.ndarray:
        """Sums of the errors over positions; the gradients are left in the chunks."""
        errors = np.zeros((CHUNKS, 3))
        parts = np.array_split(order, CHUNKS)

        def process(chunk: int) -> None:
            gradient: Any = self._records[chunk]
            if learn:
                self._gradients[chunk] = 0
            accumulate_gradient(self.weights[0], gradient, self.positions[parts[chunk]], blend, learn, errors[chunk])

        list(self._pool.map(process, range(CHUNKS)))
        return errors.sum(axis=0)
