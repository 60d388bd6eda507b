"""Thirty short games, which most tests of this folder look at."""

import numpy as np
import pytest

from tests.support.training_games import QUICK, play_games, positions_of
from zobra.train.game_kernel import TrainingGame
from zobra.train.games import shard_path, write_shard


@pytest.fixture(scope="session")
def games(kernels) -> list[TrainingGame]:
    return play_games(QUICK, 30)


@pytest.fixture(scope="session")
def positions(games) -> np.ndarray:
    return positions_of(games)


@pytest.fixture(scope="session")
def shard(games, tmp_path_factory):
    """A file of the first six games."""
    path = shard_path(tmp_path_factory.mktemp("games"), 0)
    write_shard(path, games[:6])
    return path
