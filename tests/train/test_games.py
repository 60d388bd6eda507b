"""The files of games: they are read as they were written, and damage is named."""

import json
import zlib
from dataclasses import replace

import numpy as np
import pytest

from tests.support.training_games import read_shard, same_game
from zobra.train.game_kernel import DataError
from zobra.train.games import (
    count_games,
    levels_of,
    read_sets,
    scores_of,
    with_dots,
    with_game_count,
    without_dots,
    write_atomically,
    write_shard,
)

FEN = "r3k2r/p1ppqpb1/8/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def test_levels_are_stable():
    levels = np.arange(-127, 128).astype(np.int8)
    assert (levels_of(scores_of(levels)) == levels).all()
    assert (scores_of(levels) == -scores_of(levels)[::-1]).all()


def test_levels_keep_winning_chances():
    scores = np.arange(-3_000, 3_001)
    read = scores_of(levels_of(scores)).astype(float)
    errors = np.abs(np.tanh(read / 800) - np.tanh(scores / 800))
    assert errors.max() < 0.6 / 127
    assert read[3_000] == 0


def test_empty_squares_become_dots_and_back():
    dotted = with_dots(FEN)
    assert dotted.startswith("r...k..r/p.ppqpb./......../")
    assert dotted.endswith(" w KQkq - 0 1")
    assert without_dots(dotted) == FEN


def test_shards_come_back_as_they_were(games, tmp_path):
    path = tmp_path / "000000000.games"
    write_shard(path, games)
    header = json.loads(path.read_bytes().partition(b"\n")[0])
    assert header["games"] == len(games)
    assert header["first"] == 0
    for read, game in zip(read_shard(path), games, strict=True):
        kept = scores_of(levels_of(game.scores))
        assert same_game(read, replace(game, scores=kept))
    # Of few games; more of them take 1.3 bytes a ply
    assert path.stat().st_size < 1.7 * header["plies"]

    again = tmp_path / "again.games"
    write_shard(again, read_shard(path))
    assert again.read_bytes() == path.read_bytes()


def with_huge_dictionary(body: bytes) -> bytes:
    """XZ data whose header demands a dictionary of 4 GiB.

    Its size is coded in the filter's property, before the header's padding and checksum.
    """
    header = body[12:16] + b"\x28" + body[17:20]
    return body[:12] + header + zlib.crc32(header).to_bytes(4, "little") + body[24:]


DAMAGE = {
    "nothing": lambda header, body: b"",
    "another file": lambda header, body: b"noise",
    "half": lambda header, body: header + body[: len(body) // 2],
    "a byte less": lambda header, body: header + body[:-1],
    "more at the end": lambda header, body: header + body + b"more",
    "data twice": lambda header, body: header + body + body,
    "another end": lambda header, body: header + body[:-9] + b"123456789",
    "a bit": lambda header, body: header + body[:-60] + bytes([body[-60] ^ 1]) + body[-59:],
    "a list as header": lambda header, body: b"[]\n" + body,
    "an empty header": lambda header, body: b"{}\n" + body,
    "a nested header": lambda header, body: b"[" * 60_000 + b"\n" + body,
    "an unknown number": lambda header, body: header.replace(b'"games": 6, ', b"") + body,
    "a fractional number": lambda header, body: (
        header.replace(b'"games": 6', b'"games": 6.5') + body
    ),
    "a huge dictionary": lambda header, body: header + with_huge_dictionary(body),
    "other plies": lambda header, body: header.replace(b'"plies": ', b'"plies": 9999999') + body,
    "no games": lambda header, body: header.replace(b'"games": 6', b'"games": 0') + body,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_named(damage, shard, tmp_path):
    header, body = shard.read_bytes().split(b"\n", 1)
    content = damage(header + b"\n", body)
    assert content != shard.read_bytes()
    path = tmp_path / shard.name
    path.write_bytes(content)
    with pytest.raises(DataError, match=shard.name):
        read_shard(path)


@pytest.mark.parametrize("number", [b"", b'"games": null, ', b'"games": "many", '])
def test_a_header_without_its_number_of_games_is_named(number, shard, tmp_path):
    path = tmp_path / shard.name
    path.write_bytes(shard.read_bytes().replace(b'"games": 6, ', number))
    with pytest.raises(DataError, match=f"{shard.name}: damaged: its header has no integer"):
        count_games([path])


def test_a_folder_without_games_is_named(tmp_path):
    with pytest.raises(DataError, match="nothing: this folder has no games"):
        read_sets([tmp_path / "nothing"])


def test_a_set_has_as_many_games_as_were_planned(shard):
    folder = shard.parent
    assert with_game_count(folder, {"seed": 1}) == {"seed": 1, "games": 6}
    assert with_game_count(folder, {"games": 6}) == {"games": 6}
    with pytest.raises(DataError, match="has only 6 of 1,280 games: `zobra train data` plays"):
        with_game_count(folder, {"games": 1_280})
    with pytest.raises(DataError, match="has 6 games, but 4 were planned: set `games`"):
        with_game_count(folder, {"games": 4})


def test_an_illegal_move_is_never_written(games, tmp_path):
    path = tmp_path / "000000000.games"
    moves = games[7].moves.copy()
    moves[1] = moves[0]
    with pytest.raises(DataError, match="game 7: its move at ply 1 is not legal"):
        write_shard(path, [*games[:7], replace(games[7], moves=moves)])
    assert not path.exists()


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match="there"):
        write_atomically(tmp_path / "there", b"something")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
