"""Training: it learns, threads change nothing, and the numbers of the schedule do what they say."""

from dataclasses import replace

import numpy as np
import pytest

from zobra.engine.network_file import LARGEST_OUTPUT
from zobra.train.float_network import initial_weights
from zobra.train.recipe import Schedule
from zobra.train.trainer import LARGEST_WEIGHT, Epoch, Trainer

QB = 128
SMALL = 8  # neurons, where no kernel of the engine takes part
SCHEDULE = Schedule(epochs=30, batch_size=128, learning_rate=3e-3, warmup=10, validation_every=5)


def new_trainer(
    positions, schedule=SCHEDULE, threads=1, qb=QB, weights=None, group_size=1
) -> Trainer:
    weights = initial_weights(SMALL, 1) if weights is None else weights
    return Trainer(positions, weights, qb, schedule, threads, group_size)


def test_games_are_kept_out_as_a_whole(positions):
    trainer = new_trainer(positions)
    assert len(trainer.training) + len(trainer.validation) == len(positions)
    learned = set(positions["game"][trainer.training])
    kept_out = set(positions["game"][trainer.validation])
    assert not learned & kept_out
    assert kept_out == {number for number in positions["game"] if number % 5 == 0}


def test_a_branch_is_kept_out_with_the_games_that_it_may_begin_off(positions):
    """In groups of three games, the first group of every five is kept out."""
    trainer = new_trainer(positions, group_size=3)
    numbers = set(positions["game"].tolist())
    kept_out = set(positions["game"][trainer.validation].tolist())
    assert kept_out == numbers & {0, 1, 2, 15, 16, 17}
    assert set(positions["game"][trainer.training].tolist()) == numbers - kept_out


def test_too_few_games_are_refused(positions):
    with pytest.raises(ValueError, match="too few games"):
        new_trainer(positions[positions["game"] == 1])


def test_it_learns_and_threads_change_nothing(positions):
    trainer = new_trainer(positions)
    epochs: list[Epoch] = []
    trainer.run(on_epoch=epochs.append)
    after = trainer.validate()
    assert [epoch.number for epoch in epochs] == list(range(1, SCHEDULE.epochs + 1))
    assert epochs[-1].training.loss < 0.6 * epochs[0].training.loss
    assert epochs[-1].validation == after

    weights = trainer.weights[0]
    assert np.abs(weights["output"]).max() <= LARGEST_OUTPUT / QB
    assert np.abs(weights["rows"]).max() <= LARGEST_WEIGHT

    other = new_trainer(positions, threads=2)
    other.run()
    assert other.validate() == after
    assert (other.weights == trainer.weights).all()


def test_the_rate_climbs_and_falls():
    schedule = Schedule(learning_rate=1e-3, final_learning_rate=1e-5, warmup=10)
    rates = [schedule.learning_rate_at(step, 1_000) for step in range(1_001)]
    assert rates[0] < rates[9]
    assert rates[10] == pytest.approx(1e-3, rel=0.01)
    assert rates[-1] == pytest.approx(1e-5)
    assert rates[10:] == sorted(rates[10:], reverse=True)


def test_the_share_of_results_rises_evenly():
    schedule = Schedule(wdl_start=0.1, wdl_end=0.4)
    assert [schedule.wdl_at(step, 4) for step in range(4)] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert Schedule(wdl_start=0.1, wdl_end=0.0).wdl_at(99, 100) == 0
    constant = Schedule(wdl_start=0.2)
    assert constant.wdl_at(0, 100) == constant.wdl_at(99, 100) == constant.final_wdl == 0.2


def test_a_rising_share_is_learned_from_and_validated_with_its_last_value(positions):
    """One epoch of shares 0 to 1 changes the weights otherwise than share 0 throughout; validation
    is by results alone.
    """
    epochs: list[Epoch] = []
    by_scores = new_trainer(positions, replace(SCHEDULE, epochs=1, wdl_start=0.0))
    rising = new_trainer(positions, replace(SCHEDULE, epochs=1, wdl_start=0.0, wdl_end=1.0))
    by_scores.run(on_epoch=epochs.append)
    rising.run(on_epoch=epochs.append)
    first, second = (epoch.validation for epoch in epochs)
    assert first.loss == pytest.approx(first.score)
    assert second.loss == pytest.approx(second.result)
    assert (rising.weights != by_scores.weights).any()


@pytest.mark.parametrize(("qb", "largest"), [(256, LARGEST_OUTPUT / 256), (128, 0.9)])
def test_a_coarser_unit_leaves_room_for_larger_weights(positions, qb, largest):
    """Weights beyond ±126/256 are clipped with the finer unit, and kept with the coarser one."""
    weights = initial_weights(SMALL, 1)
    weights["output"][0, :, 0] = 0.9
    still = Schedule(
        epochs=1,
        batch_size=128,
        learning_rate=1e-9,
        final_learning_rate=0.0,
        warmup=0,
        weight_decay=0.0,
    )
    new_trainer(positions, still, qb=qb, weights=weights).run()
    assert weights["output"].max() == pytest.approx(largest, abs=1e-5)
