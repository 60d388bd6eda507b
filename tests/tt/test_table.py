"""The transposition table: where an entry lies, when it verifies, what gives way, and what memory
it takes.
"""

import mmap
import sys
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from tests.support.memory import resident_megabytes
from tests.support.search_kernels import call, probed, tt_entry
from zobra.engine.scores import MATE, NO_SCORE
from zobra.tt.entry import EXACT, LOWER, NO_ENTRY, UPPER, generation_of
from zobra.tt.table import (
    AGE_WEIGHT,
    BUCKET,
    ENTRIES_PER_BUCKET,
    KEEP_DEPTH,
    MAX_MEGABYTES,
    Table,
    store,
)

KEY = 0x9E3779B97F4A7C15
MOVE = 796  # e2e4
GENERATIONS = 32
SIGNATURE = 1 << 40  # a bit far above every index


@pytest.fixture
def table():
    return Table(1)


def put(table: Table, key: int, ply: int = 1, **fields: int) -> None:
    usual = {"move": MOVE, "score": 25, "evaluation": -3, "depth": 5, "bound": int(LOWER)}
    call(store, ply=ply, table=table.record, key=key, tt_entry=tt_entry(**usual | fields))


def get(table: Table, key: int, ply: int = 1) -> dict[str, int] | None:
    return probed(table.record, key, ply)


def test_store_and_probe(table):
    assert get(table, KEY) is None
    put(table, KEY, score=-31_000, tt_pv=1)
    assert get(table, KEY) == {
        "move": MOVE,
        "score": -31_000,
        "evaluation": -3,
        "depth": 5,
        "bound": int(LOWER),
        "tt_pv": 1,
    }
    put(table, KEY ^ 1, evaluation=int(NO_SCORE), bound=int(UPPER))
    assert get(table, KEY ^ 1)["evaluation"] == NO_SCORE


def test_a_mate_is_as_far_from_the_position_wherever_it_is_met(table):
    put(table, KEY, score=int(MATE) - 10, ply=4)
    assert get(table, KEY, ply=7)["score"] == MATE - 13
    assert table.recall(KEY).score == MATE - 6


@pytest.mark.parametrize("key", [0, 2**64 - 1, KEY])
def test_the_low_bits_are_the_index(table, key):
    put(table, key)
    used = np.flatnonzero(table.buckets()["data"].any(axis=1))
    assert list(used) == [key & (len(table.buckets()) - 1)]
    assert get(table, key) is not None


def test_the_whole_key_is_verified(table):
    put(table, KEY, score=1)
    for bit in range(64):
        assert get(table, KEY ^ 1 << bit) is None
    put(table, KEY ^ 1, score=2)  # the same high bits in another bucket
    assert get(table, KEY)["score"] == 1
    assert get(table, KEY ^ 1)["score"] == 2


def test_a_bucket_is_a_cache_line(table):
    assert BUCKET.itemsize == 64
    assert table.bytes.ctypes.data % 64 == 0


W = int(AGE_WEIGHT)


@pytest.mark.parametrize("generation", [1, 0])  # 0 follows 31
@pytest.mark.parametrize(
    ("entries", "victim"),
    [
        ([(0, 9), (0, 9), (0, 9), (0, 1)], 3),  # the shallowest
        ([(1, 2 * W), (0, W + 1), (0, W + 1), (0, W + 1)], 0),  # the old one, though deeper
        ([(1, 2 * W), (0, W - 1), (0, W), (0, W)], 1),  # depth outweighs a little age
    ],
)
def test_replacement(table, generation, entries, victim):
    """Entries of a full bucket by age in searches and by depth."""
    *keys, newcomer = [KEY ^ SIGNATURE * number for number in range(ENTRIES_PER_BUCKET + 1)]
    for key, (age, depth) in zip(keys, entries, strict=True):
        table.record["generation"] = (generation - age) % GENERATIONS
        put(table, key, depth=depth)
    table.record["generation"] = generation
    put(table, newcomer, depth=0)
    gone = [number for number, key in enumerate(keys) if get(table, key) is None]
    assert gone == [victim]
    assert get(table, newcomer)["depth"] == 0


def test_recall_from_python(table):
    assert table.recall(KEY) == NO_ENTRY
    put(table, KEY)
    assert table.recall(KEY)._asdict() == get(table, KEY)


def test_storing_again_renews_the_generation(table):
    table.record["generation"] = GENERATIONS - 1
    put(table, KEY, depth=20)
    table.next_generation()
    put(table, KEY, depth=1)
    (data,) = [int(word) for word in table.buckets()["data"].ravel() if word]
    assert call(generation_of, data=data) == table.record["generation"] == 0


def test_storing_without_a_move_keeps_the_stored_move(table):
    put(table, KEY, depth=5)
    before = get(table, KEY)
    put(table, KEY, move=0, depth=6, bound=int(UPPER))
    assert get(table, KEY) == before | {"depth": 6, "bound": int(UPPER)}
    put(table, KEY, move=MOVE + 1, depth=6)
    assert get(table, KEY)["move"] == MOVE + 1
    put(table, KEY ^ SIGNATURE, move=0)  # a neighbour in the bucket has nothing to give
    assert get(table, KEY ^ SIGNATURE)["move"] == 0
    assert np.count_nonzero(table.buckets()["data"]) == 2  # one entry for each position


def test_a_much_shallower_result_only_updates_the_move(table):
    put(table, KEY, depth=10)
    before = get(table, KEY)
    put(table, KEY, depth=10 - int(KEEP_DEPTH) - 1, move=MOVE + 1, score=1)
    assert get(table, KEY) == before | {"move": MOVE + 1}
    put(table, KEY, depth=1, move=0, score=1)
    assert get(table, KEY)["move"] == MOVE + 1
    put(table, KEY, depth=10 - int(KEEP_DEPTH), score=1)
    assert get(table, KEY)["depth"] == 10 - int(KEEP_DEPTH)
    put(table, KEY, depth=0, bound=int(EXACT))  # an exact score is always stored
    assert get(table, KEY)["bound"] == EXACT


def test_hashfull_counts_the_present_search(table):
    for number in range(ENTRIES_PER_BUCKET):
        assert table.permille_full() == 250 * number
        for index in range(250):
            put(table, index | SIGNATURE * number)
    assert table.permille_full() == 1_000
    table.next_generation()
    assert table.permille_full() == 0
    put(table, 0)
    assert table.permille_full() == 1


# Memory


def leave(monkeypatch, megabytes: int | None) -> None:
    """Let the system say that so much memory is available."""
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: megabytes)


def refuse_mappings(monkeypatch) -> None:
    """Let the system refuse new memory."""
    refuse = Mock(side_effect=OSError("Cannot allocate memory"))
    monkeypatch.setattr("zobra.engine.memory.mmap.mmap", refuse)


@pytest.fixture
def small_shares(monkeypatch):
    """Threads that clear a table take a share of it however small it is."""
    monkeypatch.setattr("zobra.engine.memory.SMALLEST_SHARE", 1 << 20)


@pytest.mark.parametrize("threads", [1, 3])
def test_clear_forgets_everything_in_place(small_shares, threads, monkeypatch):
    table = Table(8)
    leave(monkeypatch, 0)
    refuse_mappings(monkeypatch)
    for forget in (table.clear, partial(table.resize, 8)):
        table.next_generation()
        table.buckets()["data"] = 1
        address = int(table.record["address"])
        forget(threads=threads)
        assert not table.buckets().view("u8").any()
        assert table.record["generation"] == 0
        assert len(table.buckets()) == 8 << 14
        assert int(table.record["address"]) == address


def test_a_table_is_cleared_without_threads_if_none_can_be_started(small_shares, monkeypatch):
    table = Table(8)
    table.buckets()["data"] = 1
    monkeypatch.setattr("threading.Thread.start", Mock(side_effect=RuntimeError))
    table.clear(threads=4)
    assert not table.buckets().view("u8").any()


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("threads", [1, 2])
def test_the_memory_of_a_new_table_is_resident(table, threads, small_shares):
    before = resident_megabytes()
    table.resize(64, threads)
    assert resident_megabytes() - before > 60


def test_resizing_frees_the_old_table_first_if_memory_is_short(monkeypatch):
    table = Table(8)
    put(table, KEY)
    sizes = []

    def available() -> int:
        sizes.append(table.megabytes)
        return 10 if table.megabytes == 8 else 17

    monkeypatch.setattr("zobra.tt.table.available_megabytes", available)
    table.resize(16)
    assert sizes == [8, 1]  # the old one went first
    assert table.megabytes == 16
    assert get(table, KEY) is None
    leave(monkeypatch, 0)
    table.resize(4)
    assert table.megabytes == 4


def test_a_failed_resize_leaves_a_table_of_the_old_size(monkeypatch):
    table = Table(8)
    leave(monkeypatch, 10)
    with pytest.raises(MemoryError, match="16 MB does not fit: 10 MB"):
        table.resize(16)
    assert table.megabytes == 8
    assert len(table.buckets()) << 6 == 8 << 20
    put(table, KEY)
    assert get(table, KEY) is not None


def test_huge_pages_are_optional(monkeypatch):
    class Stubborn(mmap.mmap):
        def madvise(self, *_arguments):
            raise OSError("Invalid argument")

    monkeypatch.setattr("zobra.engine.memory.mmap.mmap", Stubborn)
    table = Table(1)
    put(table, KEY)
    assert get(table, KEY) is not None


@pytest.mark.parametrize("megabytes", [-5, 1, 2, 33])
def test_sizes_are_powers_of_two_within_what_was_asked(table, megabytes):
    put(table, KEY)
    table.resize(megabytes)
    size = table.buckets().nbytes
    assert size & (size - 1) == 0
    assert size <= max(1, megabytes) << 20 < 2 * size
    assert table.megabytes << 20 == size
    assert int(table.record["mask"]) + 1 == len(table.buckets())
    assert int(table.record["address"]) == table.buckets().ctypes.data
    assert get(table, KEY) is None
    put(table, 2**64 - 1)  # the last bucket is there
    assert get(table, 2**64 - 1) is not None


@pytest.mark.parametrize("available", [None, 100])
def test_too_much_memory_is_refused_and_the_table_kept(table, available, monkeypatch):
    put(table, KEY)
    address = int(table.record["address"])
    leave(monkeypatch, available)
    if available is None:  # a system that does not say refuses the mapping itself
        refuse_mappings(monkeypatch)
    with pytest.raises(MemoryError, match=str(MAX_MEGABYTES)):
        table.resize(MAX_MEGABYTES)
    assert get(table, KEY)["move"] == MOVE
    assert table.megabytes == 1
    assert int(table.record["address"]) == address
