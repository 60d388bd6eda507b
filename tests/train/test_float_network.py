"""What was learned survives quantisation, and the verification finds what does not."""

import numpy as np
import pytest

from tests.support.training_games import BUILT_IN_NETWORK
from zobra.engine.network_file import LARGEST_OUTPUT, OUTPUT_UNITS, SCALE, WIDTH
from zobra.train.float_network import (
    float_scores,
    initial_weights,
    integer_scores,
    quantise,
    restore_scale,
    units,
    weights_of,
)
from zobra.train.verify import verify

QB = 128
SMALL = 8  # neurons
EITHER_UNIT = pytest.mark.parametrize("qb", OUTPUT_UNITS)


@EITHER_UNIT
def test_rounding_costs_little_and_everything_is_verified(positions, qb):
    """For weights like those of a trained network."""
    weights = weights_of(BUILT_IN_NETWORK)
    source = np.random.default_rng(4)
    for name, unit in units(256).items():
        weights[name] += source.uniform(-0.5, 0.5, weights[name].shape) / unit
    network = quantise(weights[0], qb, {})
    assert network.qb == qb

    sample = positions[:300]
    errors = np.abs(float_scores(weights[0], sample) - integer_scores(network, sample))
    assert errors.mean() < 1_024 / qb
    findings = verify(network, weights[0], sample)
    assert findings.faults() == []
    assert findings.mean_error == pytest.approx(errors.mean())


@EITHER_UNIT
def test_training_can_go_on_from_a_network(qb):
    network = quantise(initial_weights(WIDTH, 4)[0], qb, {})
    assert quantise(weights_of(network)[0], qb, {}).payload() == network.payload()


@pytest.mark.parametrize(("qb", "stored"), [(256, LARGEST_OUTPUT), (128, round(0.9 * 128))])
def test_output_weights_are_clipped(qb, stored):
    weights = initial_weights(SMALL, 1)
    weights["output"][0, 0, 0, 0] = 0.9
    assert quantise(weights[0], qb, {}).output[0, 0, 0] == stored


def test_centipawns_are_those_of_the_scores(positions):
    weights = initial_weights(SMALL, 1)[0]
    usual = positions[np.abs(positions["score"]) < SCALE]
    before = float_scores(weights, usual)
    factor = restore_scale(weights, positions)
    assert float_scores(weights, usual) == pytest.approx(factor * before, rel=1e-3, abs=1e-2)
    assert np.abs(factor * before).mean() == pytest.approx(np.abs(usual["score"]).mean(), rel=1e-3)
    with pytest.raises(ValueError, match="no validation position"):
        restore_scale(weights, positions[:0])


def test_other_weights_do_not_verify(positions):
    network = quantise(initial_weights(WIDTH, 4)[0], QB, {})
    others = initial_weights(WIDTH, 5)[0]
    assert "quantised scores are off" in verify(network, others, positions[:300]).faults()[0]


def test_positions_seen_from_the_wrong_wing_do_not_verify(positions):
    weights = initial_weights(WIDTH, 4)[0]
    turned = positions[:50].copy()
    turned["mirrored"] ^= 1
    findings = verify(quantise(weights, QB, {}), weights, turned)
    assert findings.kernel_differences > 40
    assert "in the kernels" in " ".join(findings.faults())


def test_scores_that_depend_on_the_colour_do_not_verify(positions, monkeypatch):
    monkeypatch.setattr(
        "zobra.train.verify.evaluate_position",
        lambda position, network: int(position.record["side"]),
    )
    weights = initial_weights(WIDTH, 4)[0]
    findings = verify(quantise(weights, QB, {}), weights, positions[:50])
    assert findings.asymmetries == 50
    assert "50 positions change their score" in " ".join(findings.faults())
