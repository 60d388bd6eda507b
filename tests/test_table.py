"""The transposition table: where an entry lies, when it verifies, what gives way, and what memory it takes."""

import mmap

import numpy as np
import pytest

from tests.search_kernels import call, unpacked
from zobra.engine.scores import NO_SCORE
from zobra.tt.entry import EXACT, LOWER, NO_BOUND, UPPER, as_hint, move_of_data
from zobra.tt.memory import map_memory
from zobra.tt.table import AGE_WEIGHT, BUCKET, ENTRIES_PER_BUCKET, KEEP_DEPTH, MAX_MEGABYTES, Table, probe, store

KEY = 0x9E3779B97F4A7C15
MOVE = 796  # e2e4
GENERATIONS = 64
SIGNATURE = 1 << 40  # a bit far above every index


@pytest.fixture
def table():
    return Table(1)


def put(table: Table, key: int, move: int = MOVE, score: int = 25, depth: int = 5, bound: int = int(LOWER)) -> None:
    call(store, table=table.record, key=key, move=move, score=score, evaluation=-3, depth=depth, bound=bound)


def get(table: Table, key: int) -> dict[str, int] | None:
    word = call(probe, table=table.record, key=key)
    return unpacked(word) if word else None


def known(table: Table, keys: list[int]) -> list[bool]:
    return [get(table, key) is not None for key in keys]


def same_bucket(count: int) -> list[int]:
    return [KEY ^ SIGNATURE * number for number in range(count)]


def test_what_is_stored_is_found(table):
    assert get(table, KEY) is None
    put(table, KEY, score=-31_000)
    assert get(table, KEY) == {
        "move": MOVE,
        "score": -31_000,
        "evaluation": -3,
        "depth": 5,
        "bound": int(LOWER),
        "generation": 0,
    }


def test_no_evaluation_is_told_apart(table):
    call(store, table=table.record, key=KEY, move=MOVE, evaluation=int(NO_SCORE), bound=int(UPPER))
    assert get(table, KEY)["evaluation"] == NO_SCORE


@pytest.mark.parametrize("key", [0, 1, 2**64 - 1, KEY, 2**63])
def test_the_low_bits_are_the_index(table, key):
    put(table, key)
    buckets = table.buckets()
    used = np.flatnonzero(buckets["data"].any(axis=1))
    assert list(used) == [key & (len(buckets) - 1)]
    assert get(table, key) is not None


def test_the_whole_key_is_verified(table):
    put(table, KEY)
    for bit in range(64):
        assert get(table, KEY ^ 1 << bit) is None


def test_the_same_high_bits_in_another_bucket_are_another_entry(table):
    put(table, KEY, score=1)
    put(table, KEY ^ 1, score=2)
    assert (get(table, KEY)["score"], get(table, KEY ^ 1)["score"]) == (1, 2)


def test_a_bucket_holds_four_keys(table):
    keys = same_bucket(ENTRIES_PER_BUCKET)
    for number, key in enumerate(keys):
        put(table, key, score=number)
    assert [get(table, key)["score"] for key in keys] == [0, 1, 2, 3]
    assert BUCKET.itemsize == 64
    assert table.bytes.ctypes.data % BUCKET.itemsize == 0


@pytest.mark.parametrize("word", ["data", "check"])
def test_a_torn_entry_does_not_verify(table, word):
    put(table, KEY)
    put(table, KEY ^ SIGNATURE, score=77)
    bucket = table.buckets()[KEY & int(table.record["mask"])]
    bucket[word][0] = bucket[word][1]  # as if one of two writes had been overtaken
    assert get(table, KEY) is None
    assert get(table, KEY ^ SIGNATURE)["score"] == 77


@pytest.mark.parametrize("shallow", range(ENTRIES_PER_BUCKET))
def test_the_shallowest_gives_way(table, shallow):
    *keys, newcomer = same_bucket(ENTRIES_PER_BUCKET + 1)
    for number, key in enumerate(keys):
        put(table, key, depth=1 if number == shallow else 9)
    put(table, newcomer, depth=0)
    assert known(table, keys) == [number != shallow for number in range(ENTRIES_PER_BUCKET)]
    assert get(table, newcomer)["depth"] == 0


@pytest.mark.parametrize("first_generation", [0, GENERATIONS - 1])
def test_the_old_gives_way(table, first_generation):
    table.record["generation"] = first_generation
    *keys, newcomer = same_bucket(ENTRIES_PER_BUCKET + 1)
    weight = int(AGE_WEIGHT)
    put(table, keys[0], depth=2 * weight)
    table.next_generation()
    assert int(table.record["generation"]) == (first_generation + 1) % GENERATIONS
    for key in keys[1:]:
        put(table, key, depth=weight + 1)
    put(table, newcomer)
    assert known(table, keys) == [False, True, True, True]


def test_depth_outweighs_a_little_age(table):
    *keys, newcomer = same_bucket(ENTRIES_PER_BUCKET + 1)
    put(table, keys[0], depth=2 * int(AGE_WEIGHT))
    table.next_generation()
    for key in keys[1:]:
        put(table, key, depth=int(AGE_WEIGHT) - 1)
    put(table, newcomer)
    assert known(table, keys) == [True, False, True, True]


def test_an_entry_that_is_used_again_is_young_again(table):
    put(table, KEY, depth=20)
    table.next_generation()
    put(table, KEY, depth=1)
    assert get(table, KEY)["generation"] == 1


def test_an_unknown_move_keeps_the_known_one(table):
    put(table, KEY, depth=5)
    put(table, KEY, move=0, depth=6, bound=int(UPPER))
    assert get(table, KEY) | {"score": 0} == {
        "move": MOVE,
        "score": 0,
        "evaluation": -3,
        "depth": 6,
        "bound": int(UPPER),
        "generation": 0,
    }
    put(table, KEY, move=MOVE + 1, depth=6)
    assert get(table, KEY)["move"] == MOVE + 1


def test_an_unknown_move_takes_none_from_a_neighbour(table):
    put(table, KEY)
    put(table, KEY ^ SIGNATURE, move=0)
    assert get(table, KEY ^ SIGNATURE)["move"] == 0


def test_one_position_has_one_entry(table):
    for depth in range(10):
        put(table, KEY, depth=depth)
    assert np.count_nonzero(table.buckets()["data"]) == 1


def test_a_much_shallower_search_of_the_same_position_is_not_stored(table):
    depth = 10
    put(table, KEY, depth=depth)
    put(table, KEY, depth=depth - int(KEEP_DEPTH) - 1, score=1)
    assert get(table, KEY)["depth"] == depth
    put(table, KEY, depth=depth - int(KEEP_DEPTH), score=1)
    assert get(table, KEY)["depth"] == depth - int(KEEP_DEPTH)


def test_a_much_shallower_search_still_brings_its_move(table):
    put(table, KEY, depth=20)
    before = get(table, KEY)
    put(table, KEY, depth=1, move=MOVE + 1, score=1)
    assert get(table, KEY) == before | {"move": MOVE + 1}
    put(table, KEY, depth=1, move=0, score=1)
    assert get(table, KEY)["move"] == MOVE + 1


def test_an_exact_score_is_always_stored(table):
    put(table, KEY, depth=30)
    put(table, KEY, depth=1, bound=int(EXACT))
    assert get(table, KEY)["bound"] == EXACT


def test_hashfull_counts_the_present_search(table):
    assert table.permille_full() == 0
    for index in range(250):
        put(table, index)
    assert table.permille_full() == 250
    for index in range(250):
        put(table, index | SIGNATURE)
    assert table.permille_full() == 500
    table.next_generation()
    assert table.permille_full() == 0
    put(table, 0)
    assert table.permille_full() == 1


def test_hashfull_reaches_a_thousand(table):
    for number in range(ENTRIES_PER_BUCKET):
        for index in range(250):
            put(table, index | SIGNATURE * number)
    assert table.permille_full() == 1_000


def test_clear_forgets_everything(table):
    table.next_generation()
    put(table, KEY)
    size = len(table.buckets())
    table.clear()
    assert get(table, KEY) is None
    assert not table.buckets()["data"].any()
    assert not table.buckets()["check"].any()
    assert len(table.buckets()) == size
    assert table.record["generation"] == 0


def test_clear_needs_no_second_table(table, monkeypatch):
    put(table, KEY)
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: 0)
    table.clear()
    assert get(table, KEY) is None


def test_own_memory_counts_as_available_when_the_size_changes(monkeypatch):
    table = Table(8)
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: 0)
    table.resize(4)
    assert table.megabytes == 4


def test_a_table_grows_into_the_memory_that_the_old_one_gives_up(monkeypatch):
    table, events = Table(8), []
    put(table, KEY)
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: 10 if table.megabytes == 8 else 17)
    monkeypatch.setattr("zobra.tt.table.map_memory", lambda size: events.append((table.megabytes, size)) or map_memory(size))
    table.resize(16)
    assert events == [(8, 1), (1, 16)]  # the old one went first
    assert table.megabytes == 16 and get(table, KEY) is None
    put(table, KEY)
    assert get(table, KEY) is not None


def test_a_table_that_does_not_fit_even_so_leaves_one_of_the_old_size(monkeypatch):
    table = Table(8)
    monkeypatch.setattr("zobra.tt.table.available_megabytes", lambda: 10)
    with pytest.raises(MemoryError, match="16 MB does not fit: 10 MB"):
        table.resize(16)
    assert table.megabytes == 8 and len(table.buckets()) << 6 == 8 << 20
    put(table, KEY)
    assert get(table, KEY) is not None


def test_entries_are_recalled_and_revised_in_place(table):
    put(table, KEY)
    data = table.recall(KEY)
    assert move_of_data(data) == MOVE
    table.revise(KEY, as_hint(data, 77))
    hinted = get(table, KEY)
    assert (hinted["move"], hinted["depth"], hinted["bound"]) == (77, 0, int(NO_BOUND))
    table.revise(KEY, data)
    assert table.recall(KEY) == data
    table.revise(KEY, 0)
    assert table.recall(KEY) == 0 and not table.buckets().view("u8").any()
    table.revise(KEY, data)  # there is no place for it any more
    assert table.recall(KEY) == 0


def test_clear_without_any_new_memory_writes_over_the_old(table, monkeypatch):
    put(table, KEY)
    table.next_generation()
    address = int(table.record["address"])
    monkeypatch.setattr("zobra.tt.memory.mmap.mmap", refuse)
    table.clear()
    assert get(table, KEY) is None
    assert not table.buckets()["check"].any()
    assert (int(table.record["address"]), int(table.record["generation"])) == (address, 0)


def test_a_system_without_huge_pages_is_no_obstacle(monkeypatch):
    class Stubborn(mmap.mmap):
        def madvise(self, *_arguments):
            raise OSError("Invalid argument")

    monkeypatch.setattr("zobra.tt.memory.mmap.mmap", Stubborn)
    table = Table(1)
    put(table, KEY)
    assert get(table, KEY) is not None


@pytest.mark.parametrize("megabytes", [1, 2, 3, 5, 7, 33, 64, 100])
def test_sizes_are_powers_of_two_within_what_was_asked(megabytes):
    table = Table(megabytes)
    size = table.buckets().nbytes
    assert size & (size - 1) == 0
    assert size <= megabytes << 20 < 2 * size
    assert table.megabytes << 20 == size
    assert int(table.record["mask"]) + 1 == len(table.buckets())
    assert int(table.record["address"]) == table.buckets().ctypes.data


@pytest.mark.parametrize("megabytes", [0, -5])
def test_the_smallest_table_is_one_megabyte(megabytes):
    assert Table(megabytes).megabytes == 1


def test_resize_makes_an_empty_table(table):
    put(table, KEY)
    table.resize(4)
    assert table.megabytes == 4
    assert get(table, KEY) is None
    put(table, 2**64 - 1)  # the last bucket is there
    assert get(table, 2**64 - 1) is not None


@pytest.mark.parametrize("say", [lambda: None, lambda: 100])
def test_too_much_memory_is_refused_and_the_table_kept(table, say, monkeypatch):
    put(table, KEY)
    address = int(table.record["address"])
    monkeypatch.setattr("zobra.tt.table.available_megabytes", say)
    if say() is None:  # a system that does not say refuses the mapping itself
        monkeypatch.setattr("zobra.tt.memory.mmap.mmap", refuse)
    with pytest.raises(MemoryError, match=str(MAX_MEGABYTES)):
        table.resize(MAX_MEGABYTES)
    assert get(table, KEY)["move"] == MOVE
    assert (table.megabytes, int(table.record["address"])) == (1, address)


def refuse(*_arguments, **_options):
    raise OSError("Cannot allocate memory")


def test_more_than_this_machine_has_is_refused(table):
    with pytest.raises(MemoryError):
        table.resize(MAX_MEGABYTES)
    assert table.megabytes == 1
