"""The check of a data set: it finds what would spoil a training."""

from dataclasses import replace

import numpy as np
import pytest

from zobra.train.check import check_data, coherence, duplicate_share
from zobra.train.games import write_shard
from zobra.train.positions import PACKED
from zobra.train.recipe import Filter


@pytest.fixture
def check(tmp_path):
    """Checks games."""

    def check(games):
        path = tmp_path / "000000000.games"
        write_shard(path, games)
        return check_data([path], Filter(), len(games))

    return check


def test_scores_are_for_white_and_go_with_results(positions):
    found = coherence(positions)
    assert found is not None and found > 0.75
    swapped = positions.copy()
    swapped["score"] *= -1
    assert coherence(swapped) == pytest.approx(1 - found)


def test_a_fair_set_has_no_fault(games, check):
    won = [game for game in games if game.result == 2]
    lost = [game for game in games if game.result == 0]
    pairs = min(len(won), len(lost))
    fair = [*won[:pairs], *lost[:pairs]]
    report = check(fair)
    assert report.games == len(fair)
    assert report.plies == sum(len(game.moves) for game in fair)
    assert report.results == {2: pairs, 0: pairs}
    assert report.faults() == []


def test_repeated_positions_are_found(games, check):
    fault = check([*games, *games]).faults()[0]
    assert fault.endswith("of the positions repeat an earlier one")


def test_scores_of_the_wrong_side_are_found(games, check):
    turned = [replace(game, scores=-game.scores) for game in games]
    assert "is their sign right" in " ".join(check(turned).faults())


def test_results_of_one_colour_are_found(games, check):
    won = [replace(game, result=2) for game in games]
    assert "White has 100% of the points" in " ".join(check(won).faults())


def test_games_without_a_position_that_passes_are_found(shard):
    report = check_data([shard], Filter(first_ply=200), 6)
    assert "no position passes the filter" in report.faults()


def test_a_set_without_positions_has_no_shares():
    nothing = np.zeros(0, PACKED)
    assert duplicate_share(nothing) == 0
    assert coherence(nothing) is None


def test_of_many_games_a_sample_is_compared(games, check, monkeypatch):
    """Everything is counted, and the shares stay."""
    twice = [*games, *games]
    whole = check(twice)
    monkeypatch.setattr("zobra.train.check.COMPARED_GAMES", 20)
    part = check(twice)
    assert (part.games, part.plies, part.positions) == (whole.games, whole.plies, whole.positions)
    assert part.duplicates == pytest.approx(whole.duplicates, abs=0.05)
    assert part.duplicates >= 0.5
    assert part.coherence == pytest.approx(whole.coherence, abs=0.1)
