"""Training a network on positions, by many threads.

A batch is cut into a fixed number of chunks, whose gradients are added in a fixed order, so that
the result does not depend on the number of threads.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from zobra.engine.network_file import LARGEST_OUTPUT
from zobra.train.game_kernel import DataError
from zobra.train.gradient import Step, Target, accumulate_gradient, optimise
from zobra.train.recipe import Schedule

CHUNKS = 8
LARGEST_WEIGHT = 1.98  # of the first layer: a bias and 32 rows stay far within 16 bits
LARGEST_BIAS = 100.0  # of the output: 40,000 internal units
BATCHES_PER_REPORT = 20


class Errors(NamedTuple):
    """Mean squared errors of winning chances.

    They are measured against the target, the score alone, and the result alone.
    """

    loss: float
    score: float
    result: float


class Epoch(NamedTuple):
    """The report of one epoch.

    If the share of results changes, the loss of training has another target than that of
    validation; the other errors can be compared.
    """

    number: int  # from 1
    speed: float  # positions per second
    training: Errors  # during the epoch
    validation: Errors  # after it


class Trainer:
    """Trains `weights` (see zero_weights) in place on positions (dtype PACKED).

    The weights are clipped to the values that a network with this `qb` can store. `training` and
    `validation` are indices of positions (uint32). They are split by groups of `group_size` games:
    a game that branches off another one belongs to its group, and must not be learned from if the
    other one is kept for validation. Raise DataError if either would be empty.
    """

    def __init__(
        self,
        positions: np.ndarray,
        weights: np.ndarray,
        qb: int,
        schedule: Schedule,
        threads: int,
        group_size: int,
    ) -> None:
        self.schedule = schedule
        self.positions = positions
        self.weights = weights
        is_kept_out = positions["game"] // np.uint32(group_size) % schedule.validation_every == 0
        self.training = np.flatnonzero(~is_kept_out).astype(np.uint32)
        self.validation = np.flatnonzero(is_kept_out).astype(np.uint32)
        if not len(self.training) or not len(self.validation):
            raise DataError(
                f"too few games ({len(positions)} positions) to split into training and validation"
            )

        limits = np.zeros(1, weights.dtype)
        limits["rows"] = LARGEST_WEIGHT
        limits["bias"] = LARGEST_WEIGHT
        limits["output"] = LARGEST_OUTPUT / qb
        limits["output_bias"] = LARGEST_BIAS
        self._limits = limits.view(np.float32)

        size = self._limits.size
        self._gradients = np.zeros((CHUNKS, size), np.float32)
        self._moments = np.zeros((2, size), np.float32)
        self._pool = ThreadPoolExecutor(threads)

    def run(
        self,
        on_batches: Callable[[float, float], None] = lambda epochs, loss: None,
        on_epoch: Callable[[Epoch], None] = lambda epoch: None,
    ) -> None:
        """Train all epochs.

        on_batches(epochs done, training loss) is called every BATCHES_PER_REPORT batches, and
        on_epoch(report) after each epoch.
        """
        schedule = self.schedule
        source = np.random.default_rng(schedule.seed)
        batches = max(1, len(self.training) // schedule.batch_size)  # per epoch
        steps = batches * schedule.epochs
        step = 0
        for epoch in range(schedule.epochs):
            began = time.perf_counter()
            total = np.zeros(3)
            seen = 0
            order = source.permutation(self.training)
            for number, batch in enumerate(np.array_split(order, batches), 1):
                total += self._errors(batch, schedule.wdl_at(step, steps), learn=True)
                self._optimise(len(batch), step + 1, schedule.learning_rate_at(step, steps))
                step += 1
                seen += len(batch)
                if number % BATCHES_PER_REPORT == 0 or number == batches:
                    on_batches(epoch + number / batches, total[0] / seen)

            speed = seen / (time.perf_counter() - began)
            on_epoch(Epoch(epoch + 1, speed, Errors(*(total / seen)), self.validate()))

    def validate(self) -> Errors:
        """Return the errors on the validation positions, with the final share of results."""
        errors = self._errors(self.validation, self.schedule.final_wdl, learn=False)
        return Errors(*(errors / len(self.validation)))

    def _errors(self, order: np.ndarray, wdl: float, learn: bool) -> np.ndarray:
        """Return the sums of the three errors over the positions with these indices.

        If `learn`, compute the gradients of the chunks.
        """
        errors = np.zeros((CHUNKS, 3))
        parts = np.array_split(order, CHUNKS)
        target = Target(wdl, float(self.schedule.eval_scale))
        gradients = self._gradients.view(self.weights.dtype)[:, 0]

        def process(chunk: int) -> None:
            if learn:
                self._gradients[chunk] = 0
            gradient: Any = gradients[chunk]
            positions = self.positions[parts[chunk]]
            accumulate_gradient(self.weights[0], gradient, positions, target, learn, errors[chunk])

        self._run_in_threads(process)
        return errors.sum(axis=0)

    def _optimise(self, batch_size: int, number: int, learning_rate: float) -> None:
        """Update the weights by the gradients of the chunks, in slices."""
        flat = self.weights.view(np.float32)
        step = Step(
            np.float32(batch_size),
            number,
            np.float32(learning_rate),
            np.float32(self.schedule.weight_decay),
        )
        cuts = np.linspace(0, len(flat), CHUNKS + 1).astype(int).tolist()

        def process(slice_: int) -> None:
            bounds = (cuts[slice_], cuts[slice_ + 1])
            optimise(flat, self._gradients, self._moments, self._limits, step, bounds)

        self._run_in_threads(process)

    def _run_in_threads(self, work: Callable[[int], None]) -> None:
        """Call work(number) for all numbers below CHUNKS, and wait for the calls."""
        for _ in self._pool.map(work, range(CHUNKS)):
            pass
