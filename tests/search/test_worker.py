"""The worker: its memory, and when a search looks at its limits: by time if it has a deadline,
otherwise by nodes.
"""

import sys
import time

import numpy as np
import pytest

from tests.support.memory import resident_megabytes
from tests.support.search_kernels import DEFAULTS, Workbench, call
from zobra.engine.fen import START, parse_fen
from zobra.search.worker import (
    DEADLINE,
    FIRST_DEPTHS,
    MAX_CHECK_INTERVAL,
    MIN_CHECK_INTERVAL,
    SIGNALS,
    STOP,
    WORKER,
    clock_now,
    count_node,
    new_worker,
)

FAR = 3_600 * 1_000_000_000  # nanoseconds: a deadline that does not come
MILLISECOND = 1_000_000


@pytest.fixture
def bench():
    bench = Workbench(parse_fen(START))
    bench.this["root"]["depth"] = FIRST_DEPTHS + 1
    return bench


def count(bench: Workbench, nodes: int) -> None:
    for _ in range(nodes):
        call(count_node, bench)


def test_the_clock_is_read_often_at_first_and_after_a_stall(bench):
    bench.stop[DEADLINE] = clock_now() + FAR
    count(bench, 1)
    assert bench.this["next_check"] == 1 + MIN_CHECK_INTERVAL
    read = int(bench.this["clock_read"])
    count(bench, int(MIN_CHECK_INTERVAL) - 1)
    assert bench.this["clock_read"] == read
    time.sleep(0.01)
    count(bench, 1)
    assert bench.this["clock_read"] >= read + 10 * MILLISECOND
    assert bench.this["check_interval"] == MIN_CHECK_INTERVAL


@pytest.mark.parametrize(("milliseconds", "expected"), [(0.05, 1024), (1, 250), (10, 25), (99, 16)])
def test_the_interval_adapts_to_half_a_millisecond(bench, milliseconds, expected):
    bench.stop[DEADLINE] = clock_now() + FAR
    bench.this["check_interval"] = 500
    bench.this["clock_read"] = clock_now() - int(milliseconds * MILLISECOND)
    count(bench, 1)
    assert 0.2 * expected <= bench.this["check_interval"] <= expected  # the machine may be slow
    assert bench.this["check_interval"] >= MIN_CHECK_INTERVAL


def test_without_a_deadline_no_clock_is_read(bench):
    count(bench, 1_100)
    assert bench.this["clock_read"] == 0
    assert bench.this["next_check"] == 1 + 2 * MAX_CHECK_INTERVAL


@pytest.mark.parametrize("signal", [STOP, DEADLINE])
def test_a_late_search_still_finishes_its_first_depths(bench, signal):
    bench.stop[signal] = 1
    bench.this["root"]["depth"] = FIRST_DEPTHS
    bench.this["nodes"] = 500
    count(bench, 1)
    assert not bench.this["stopped"]
    bench.this["root"]["depth"] = FIRST_DEPTHS + 1
    count(bench, int(MAX_CHECK_INTERVAL))
    assert bench.this["stopped"]
    assert bench.this["nodes"] <= 501 + MAX_CHECK_INTERVAL


def test_slow_first_depths_are_cut_off(bench):
    bench.stop[STOP] = 1
    bench.this["root"]["depth"] = 1
    count(bench, 2 * int(MAX_CHECK_INTERVAL))
    assert bench.this["nodes"] <= 1 + MAX_CHECK_INTERVAL


@pytest.mark.parametrize("limit", [1, 7, 1_000, 3_000])
def test_the_node_limit_is_exact(bench, limit):
    bench.stop[DEADLINE] = clock_now() + FAR
    bench.this["node_limit"] = limit
    count(bench, limit + 100)
    assert bench.this["nodes"] == limit
    assert bench.this["stopped"]


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_the_memory_of_a_new_worker_is_resident():
    before = resident_megabytes()
    workers = [new_worker(DEFAULTS, np.zeros(SIGNALS, np.int64)) for _ in range(10)]
    assert resident_megabytes() - before >= len(workers) * (WORKER.itemsize >> 20)
