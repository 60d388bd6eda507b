"""The file of positions: what it has, when it is used again, and what becomes of old ones."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.training_games import positions_of
from zobra.train.games import (
    count_games,
    levels_of,
    load_positions,
    scores_of,
    shard_path,
    write_shard,
)
from zobra.train.position_file import map_positions, position_path, remove_stale, write_positions
from zobra.train.positions import PACKED
from zobra.train.recipe import Filter

WANTED = Filter(first_ply=10)


@pytest.fixture(scope="module")
def shards(games, tmp_path_factory):
    """Two shards of three games each."""
    folder = tmp_path_factory.mktemp("games")
    for first in (0, 3):
        write_shard(shard_path(folder, first), games[first : first + 3])
    return [shard_path(folder, 0), shard_path(folder, 3)]


def test_the_file_has_the_positions_of_all_games_in_order(games, shards, tmp_path):
    path = tmp_path / "a.positions"
    write_positions(path, shards, WANTED)
    found = map_positions(path)
    assert type(found) is np.ndarray
    assert found.dtype == PACKED
    assert len(found) > 50
    stored = [replace(game, scores=scores_of(levels_of(game.scores))) for game in games[:6]]
    assert (found["occupied"] == positions_of(stored, WANTED)["occupied"]).all()
    assert [each.name for each in tmp_path.iterdir()] == ["a.positions"]
    with pytest.raises(ValueError, match="read-only"):
        found["score"] = 0

    loaded, number = load_positions(shards, WANTED)
    assert (found == loaded).all()
    assert number == count_games(shards) == 6


def test_games_without_a_position_make_an_empty_file(shards, tmp_path):
    path = tmp_path / "a.positions"
    write_positions(path, shards, Filter(fewest_pieces=33))
    assert len(map_positions(path)) == 0


def test_the_name_changes_with_games_order_and_filter(tmp_path):
    path = position_path(tmp_path, "a", ["1", "2"], WANTED)
    assert path == position_path(tmp_path, "a", ["1", "2"], Filter(first_ply=10))
    others = [
        position_path(tmp_path, "a", ["2", "1"], WANTED),
        position_path(tmp_path, "a", ["1", "2", "3"], WANTED),
        position_path(tmp_path, "a", ["12"], WANTED),
        position_path(tmp_path, "a", ["1", "2"], Filter(first_ply=11)),
        position_path(tmp_path, "b", ["1", "2"], WANTED),
    ]
    assert len({path, *others}) == 6


def test_stale_files_go_and_those_of_others_stay(tmp_path):
    path = position_path(tmp_path, "a", ["new"], WANTED)
    stale = position_path(tmp_path, "a", ["old"], WANTED)
    unfinished = stale.with_name(stale.name + ".new")
    other = position_path(tmp_path, "a.b", ["new"], WANTED)
    others = [path, other, tmp_path / "a.network", tmp_path / "a.positions"]
    for each in (stale, unfinished, *others):
        each.write_bytes(b"")
    remove_stale(path, "a")
    assert set(tmp_path.iterdir()) == set(others)


def test_a_failure_leaves_no_file(shards, tmp_path):
    damaged = tmp_path / "damaged.games"
    damaged.write_bytes(shards[0].read_bytes()[:-30])
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match=r"damaged\.games"):
        write_positions(tmp_path / "out" / "a.positions", [shards[1], damaged], WANTED)
    assert not list((tmp_path / "out").iterdir())
    with pytest.raises(OSError, match="nowhere"):
        write_positions(tmp_path / "nowhere" / "a.positions", shards, WANTED)
