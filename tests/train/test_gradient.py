"""The loss and its gradient, against plain arithmetic and against the slope of the loss."""

import numpy as np
import pytest

from zobra.engine.network_file import SCALE
from zobra.train.float_network import float_scores, initial_weights
from zobra.train.gradient import Target, accumulate_gradient

SMALL = 8  # neurons
EVAL_SCALES = pytest.mark.parametrize("scale", [SCALE, 190])


def loss_and_gradient(weights, positions, wdl, scale) -> tuple[np.ndarray, np.ndarray]:
    """The three errors, and the gradient of the first as a flat array."""
    gradient = np.zeros(1, weights.dtype)
    errors = np.zeros(3)
    target = Target(wdl, float(scale))
    accumulate_gradient(weights[0], gradient[0], positions, target, True, errors)
    return errors, gradient.view(np.float32)


@EVAL_SCALES
def test_the_gradient_is_the_slope_of_the_loss(positions, scale):
    sample = positions[::60][:12]
    weights = initial_weights(SMALL, 1)
    _, gradient = loss_and_gradient(weights, sample, 0.3, scale)
    flat = weights.view(np.float32)

    def loss_at(index: int, value: float) -> float:
        kept = flat[index]
        flat[index] = value
        errors, _ = loss_and_gradient(weights, sample, 0.3, scale)
        flat[index] = kept
        return errors[0]

    largest = np.argsort(-np.abs(gradient))[:40]
    others = np.random.default_rng(1).choice(len(flat), 20)
    step = np.float32(2e-3)
    for index in [*largest, *others, len(flat) - 1]:
        value = flat[index]
        slope = (loss_at(index, value + step) - loss_at(index, value - step)) / (2 * step)
        assert gradient[index] == pytest.approx(slope, rel=0.05, abs=2e-3)


@EVAL_SCALES
def test_the_loss_is_what_the_output_says(positions, scale):
    """For the target, the score and the result."""
    sample = positions[:200]
    weights = initial_weights(SMALL, 2)
    errors, _ = loss_and_gradient(weights, sample, 0.25, scale)

    chance = 1 / (1 + np.exp(-float_scores(weights[0], sample) / scale))
    by_score = 1 / (1 + np.exp(-sample["score"] / scale))
    by_result = sample["result"] / 2
    target = 0.75 * by_score + 0.25 * by_result
    expected = [((chance - each) ** 2).sum() for each in (target, by_score, by_result)]
    assert errors == pytest.approx(expected, rel=1e-4)
