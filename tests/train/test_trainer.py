"""The trainer: its gradient is the loss' slope, threads change nothing, and it learns; what it
learned survives rounding.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from zobra.engine.network_file import (
    BUILT_IN,
    LARGEST_OUTPUT,
    OUTPUT_UNITS,
    SCALE,
    WIDTH,
    read_network,
)
from zobra.train.generate import SelfPlayer
from zobra.train.positions import NO_RESULT, Replayer
from zobra.train.trainer import (
    LARGEST_WEIGHT,
    Schedule,
    Trainer,
    accumulate_gradient,
    float_scores,
    initial_weights,
    integer_scores,
    quantise,
    restore_centipawns,
    units,
    verify,
    weights_of,
)

QB = 128
SMALL = 8  # neurons, where no kernel of the engine takes part
SCHEDULE = Schedule(epochs=30, batch=128, rate=3e-3, warmup=10, validation=5)


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    player, replayer = SelfPlayer({"nodes": 100, "node_limit": 1_000}, seed=3), Replayer({})
    return np.concatenate([replayer.positions(player.play(number)) for number in range(40)])


def loss_and_gradient(
    weights: np.ndarray, positions: np.ndarray, blend: float, chance_scale: float = SCALE
) -> tuple[np.ndarray, np.ndarray]:
    gradient, errors = np.zeros(1, weights.dtype), np.zeros(3)
    target = blend, float(chance_scale)
    accumulate_gradient(weights[0], gradient[0], positions, target, True, errors)
    return errors, gradient.view("f4")


@pytest.mark.parametrize("scale", [SCALE, 190])
def test_the_gradient_is_the_slope_of_the_loss(positions, scale):
    sample, weights = positions[::60][:12], initial_weights(SMALL, 1)
    _, gradient = loss_and_gradient(weights, sample, 0.3, scale)
    flat = weights.view("f4")
    largest = np.argsort(-np.abs(gradient))[:40]
    others = np.random.default_rng(1).choice(len(flat), 20)
    for index in [*largest, *others, len(flat) - 1]:
        kept, step = flat[index], np.float32(2e-3)
        flat[index] = kept + step
        above = loss_and_gradient(weights, sample, 0.3, scale)[0][0]
        flat[index] = kept - step
        below = loss_and_gradient(weights, sample, 0.3, scale)[0][0]
        flat[index] = kept
        assert gradient[index] == pytest.approx((above - below) / (2 * step), rel=0.05, abs=2e-3)


@pytest.mark.parametrize("scale", [SCALE, 190])
def test_the_loss_is_what_the_output_says(positions, scale):
    """Against the plain arithmetic of float_scores, for the target, the score and the result, which
    some positions lack.
    """
    sample, weights = positions[:200].copy(), initial_weights(SMALL, 2)
    sample["result"][::3] = NO_RESULT
    errors, _ = loss_and_gradient(weights, sample, 0.25, scale)
    chance, by_score = (
        1 / (1 + np.exp(-values / scale))
        for values in (float_scores(weights[0], sample), sample["score"])
    )
    by_result = np.where(sample["result"] == NO_RESULT, by_score, sample["result"] / 2)
    targets = (0.75 * by_score + 0.25 * by_result, by_score, by_result)
    assert errors == pytest.approx([((chance - target) ** 2).sum() for target in targets], rel=1e-4)


def test_games_are_kept_out_as_a_whole(positions):
    trainer = Trainer(positions, initial_weights(SMALL, 1), QB, SCHEDULE, 1)
    training, validation = trainer.training, trainer.validation
    assert len(training) + len(validation) == len(positions)
    assert not set(positions["game"][training]) & set(positions["game"][validation])
    assert set(positions["game"][validation]) == {
        number for number in positions["game"] if number % 5 == 0
    }


def test_it_learns_and_threads_change_nothing(positions):
    trainers = [
        Trainer(positions, initial_weights(SMALL, 1), QB, SCHEDULE, threads) for threads in (1, 2)
    ]
    reports: list[Any] = []
    after = trainers[0].run(lambda *report: reports.append(report))
    (*_, first, _), (epoch, _, last, validation) = reports[0], reports[-1]
    assert last.loss < 0.6 * first.loss and epoch == SCHEDULE.epochs and validation == after
    assert trainers[1].run() == after and (trainers[0].weights == trainers[1].weights).all()
    weights = trainers[0].weights[0]
    assert (
        np.abs(weights["output"]).max() <= LARGEST_OUTPUT / QB
        and np.abs(weights["rows"]).max() <= LARGEST_WEIGHT
    )


def test_the_rate_climbs_and_falls():
    schedule = Schedule(rate=1e-3, last_rate=1e-5, warmup=10)
    rates = [schedule.rate_at(step, 1_000) for step in range(1_001)]
    assert (
        rates[0] < rates[9]
        and rates[10] == pytest.approx(1e-3, rel=0.01)
        and rates[-1] == pytest.approx(1e-5)
    )
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_the_share_of_results_rises_evenly():
    schedule = Schedule(blend=0.1, last_blend=0.4)
    assert [schedule.blend_at(step, 4) for step in range(4)] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert Schedule(blend=0.1, last_blend=0.0).blend_at(99, 100) == 0
    constant = Schedule(blend=0.2)
    assert constant.blend_at(0, 100) == constant.blend_at(99, 100) == constant.final_blend == 0.2


def test_a_rising_share_is_learned_from_and_validated_with_its_last_value(positions):
    """One epoch of shares 0 to 1 changes the weights otherwise than share 0 throughout; validation
    is by results alone.
    """
    rising = replace(SCHEDULE, epochs=1, blend=0.0, last_blend=1.0)
    trainers = [
        Trainer(positions, initial_weights(SMALL, 1), QB, schedule, 1)
        for schedule in (rising, replace(SCHEDULE, epochs=1, blend=0.0))
    ]
    after, plain = (trainer.run() for trainer in trainers)
    assert after.loss == pytest.approx(after.result)
    assert plain.loss == pytest.approx(plain.score)
    assert (trainers[0].weights != trainers[1].weights).any()


def test_too_few_games_are_refused(positions):
    with pytest.raises(ValueError, match="too few games"):
        Trainer(positions[positions["game"] == 1], initial_weights(SMALL, 1), QB, SCHEDULE, 1)


@pytest.mark.parametrize("qb", OUTPUT_UNITS)
def test_rounding_costs_little_and_everything_is_verified(positions, qb):
    """For weights like those of a trained network."""
    weights = weights_of(read_network(BUILT_IN))
    source = np.random.default_rng(4)
    for name, unit in units(256).items():
        weights[name] += source.uniform(-0.5, 0.5, weights[name].shape) / unit
    network = quantise(weights[0], qb, {})
    assert network.qb == qb
    sample = positions[:300]
    errors = np.abs(float_scores(weights[0], sample) - integer_scores(network, sample))
    assert errors.mean() < 1_024 / qb
    findings = verify(network, weights[0], sample)
    assert findings.faults() == [] and findings.mean_error == pytest.approx(errors.mean())


@pytest.mark.parametrize("qb", OUTPUT_UNITS)
def test_training_can_go_on_from_a_network(qb):
    network = quantise(initial_weights(WIDTH, 4)[0], qb, {})
    assert quantise(weights_of(network)[0], qb, {}).payload() == network.payload()


def test_a_coarser_unit_leaves_room_for_larger_weights(positions):
    """Weights beyond ±126/256 are clipped with the finer unit, and kept with the coarser one."""
    weights = initial_weights(SMALL, 1)
    weights["output"][0, :, 0] = 0.9
    assert quantise(weights[0], 256, {}).output[0, 0, 0] == LARGEST_OUTPUT
    assert quantise(weights[0], 128, {}).output[0, 0, 0] == round(0.9 * 128)
    still = Schedule(epochs=1, batch=128, rate=1e-9, last_rate=0.0, warmup=0, decay=0.0)
    for qb, largest in ((256, LARGEST_OUTPUT / 256), (128, 0.9)):
        trainer = Trainer(positions, weights.copy(), qb, still, 1)
        trainer.run()
        assert trainer.weights["output"].max() == pytest.approx(largest, abs=1e-5)


def test_centipawns_are_those_of_the_scores(positions):
    weights = initial_weights(SMALL, 1)[0]
    usual = positions[np.abs(positions["score"]) < SCALE]
    before = float_scores(weights, usual)
    factor = restore_centipawns(weights, positions)
    assert float_scores(weights, usual) == pytest.approx(factor * before, rel=1e-3, abs=1e-2)
    assert np.abs(factor * before).mean() == pytest.approx(np.abs(usual["score"]).mean(), rel=1e-3)
    with pytest.raises(ValueError, match="no position to validate on"):
        restore_centipawns(weights, positions[:0])


def test_verification_finds_what_is_wrong(positions, monkeypatch):
    """Weights of another network, positions seen from the wrong wing, and scores that depend on the
    colour.
    """
    weights, others, turned = (
        initial_weights(WIDTH, 4)[0],
        initial_weights(WIDTH, 5)[0],
        positions[:50].copy(),
    )
    network = quantise(weights, QB, {})
    assert "centipawns from the floats" in verify(network, others, positions[:300]).faults()[0]
    turned["mirrored"] ^= 1
    findings = verify(network, weights, turned)
    assert findings.kernel_differences > 40 and "in the kernels" in " ".join(findings.faults())
    monkeypatch.setattr(
        "zobra.train.trainer.evaluate_position",
        lambda position, network: int(position.record["side"]),
    )
    assert verify(network, weights, positions[:50]).asymmetries == 50
