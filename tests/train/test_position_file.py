"""The file of positions: what it has, when it is used again, and what becomes of old ones."""

import numpy as np
import pytest

from zobra.train.games import count_games, load_positions, shard_path, write_shard
from zobra.train.generate import SelfPlayer
from zobra.train.position_file import map_positions, position_path, remove_stale, write_positions
from zobra.train.positions import PACKED

RULES = {"first_ply": 10}


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    """Two shards of three games each."""
    folder = tmp_path_factory.mktemp("games")
    player = SelfPlayer({"nodes": 50, "node_limit": 500}, seed=2)
    paths = []
    for first in (0, 3):
        path = shard_path(folder, first)
        write_shard(path, [player.play(number) for number in range(first, first + 3)], {})
        paths.append(path)
    return paths


def test_the_file_has_the_positions_of_all_games_in_order(shards, tmp_path):
    path = tmp_path / "a.positions"
    write_positions(path, shards, RULES)
    expected, games = load_positions(shards, RULES)
    found = map_positions(path)
    assert type(found) is np.ndarray
    assert found.dtype == PACKED
    assert len(found) > 50
    assert (found == expected).all()
    assert games == count_games(shards) == 6
    assert [each.name for each in tmp_path.iterdir()] == ["a.positions"]
    with pytest.raises(ValueError, match="read-only"):
        found["score"] = 0


def test_games_without_a_position_make_an_empty_file(shards, tmp_path):
    path = tmp_path / "a.positions"
    write_positions(path, shards, {"fewest_pieces": 33})
    assert len(map_positions(path)) == 0


def test_the_name_changes_with_games_order_and_filter(tmp_path):
    path = position_path(tmp_path, "a", ["1", "2"], RULES)
    assert path == position_path(tmp_path, "a", ["1", "2"], dict(RULES))
    others = [
        position_path(tmp_path, "a", ["2", "1"], RULES),
        position_path(tmp_path, "a", ["1", "2", "3"], RULES),
        position_path(tmp_path, "a", ["12"], RULES),
        position_path(tmp_path, "a", ["1", "2"], {"first_ply": 11}),
        position_path(tmp_path, "b", ["1", "2"], RULES),
    ]
    assert len({path, *others}) == 6
    assert position_path(tmp_path, "a", ["1"], {"first_ply": 16}) == position_path(
        tmp_path, "a", ["1"], {}
    )


def test_stale_files_go_and_those_of_others_stay(tmp_path):
    path, stale = (position_path(tmp_path, "a", [text], RULES) for text in ("new", "old"))
    unfinished = stale.with_name(stale.name + ".new")
    other = position_path(tmp_path, "a.b", ["new"], RULES)
    others = [path, other, tmp_path / "a.network", tmp_path / "a.positions"]
    for each in (stale, unfinished, *others):
        each.write_bytes(b"")
    assert set(remove_stale(path, "a")) == {stale, unfinished}
    assert set(tmp_path.iterdir()) == set(others)


def test_a_failure_leaves_no_file(shards, tmp_path):
    damaged = tmp_path / "damaged.games"
    damaged.write_bytes(shards[0].read_bytes()[:-30])
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match=r"damaged\.games"):
        write_positions(tmp_path / "out" / "a.positions", [shards[1], damaged], RULES)
    assert not list((tmp_path / "out").iterdir())
    with pytest.raises(OSError, match="nowhere"):
        write_positions(tmp_path / "nowhere" / "a.positions", shards, RULES)
