"""Time of a table probe by table size, with and without huge pages; time to resize and to clear.

    python benchmarks/table.py

A probe is timed in a chain: where the next one goes depends on the bytes of the last, so nothing is overlapped or guessed.
"""

from __future__ import annotations

import mmap
import statistics
import time
from typing import Any

import numpy as np
import typer

from zobra.engine.kernels import INT, WORD, entry, kernel, record
from zobra.tt.table import TABLE, Table, bucket_address, bucket_at, probe

SIZES = (1, 16, 256, 1024)  # megabytes
SMALL_PAGE = 4096
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
THIRTY, TWENTY_SEVEN, THIRTY_ONE = np.uint64(30), np.uint64(27), np.uint64(31)
STRIDE = np.uint64(0x9E3779B97F4A7C15)


@kernel
def mix(word):
    """Scatter a word over all 64 bits (the finalizer of SplitMix64: Steele, Lea and Flood, 2014)."""
    word = (word ^ word >> THIRTY) * FIRST
    word = (word ^ word >> TWENTY_SEVEN) * SECOND
    return word ^ word >> THIRTY_ONE


@entry(WORD, record(TABLE), WORD, INT)
def chain(table, key, count):
    """Probe `count` random keys, each made from what lay in the bucket before; the last key."""
    for _ in range(count):
        found = probe(table, key)
        key = mix(key + STRIDE) ^ found ^ bucket_at(bucket_address(table, key)).entries[0].data
    return key


@entry(WORD, WORD, INT)
def chain_without_table(key, count):
    """The same arithmetic without a table: what to subtract."""
    for _ in range(count):
        key = mix(key + STRIDE)
    return key


def touched_table(megabytes: int, huge_pages: bool) -> Table:
    """A table whose memory is really there."""
    table = Table(megabytes)
    if not huge_pages:
        mapping: Any = table.bytes.base
        mapping = mapping.obj if isinstance(mapping, memoryview) else mapping
        mapping.madvise(mmap.MADV_NOHUGEPAGE)
    table.bytes[::SMALL_PAGE] = 1
    return table


def nanoseconds_a_step(function, *arguments: object, count: int) -> float:
    """Processor time of one step of a chain."""
    begin = time.thread_time()
    function(*arguments, count)
    return (time.thread_time() - begin) / count * 1e9


def report_probes(rounds: int, count: int) -> None:
    """Print a line per size: the kinds of pages alternate, medians are told."""
    kinds = (True, False) if hasattr(mmap, "MADV_NOHUGEPAGE") else (True,)
    base = statistics.median(nanoseconds_a_step(chain_without_table, 1, count=count) for _ in range(rounds))
    print(f"arithmetic alone: {base:.1f} ns, taken off below")
    for megabytes in SIZES:
        times: dict[bool, list[float]] = {kind: [] for kind in kinds}
        tables = {kind: touched_table(megabytes, kind) for kind in kinds}
        for seed in range(rounds):
            for kind in kinds:
                times[kind].append(nanoseconds_a_step(chain, tables[kind].record, seed + 1, count=count) - base)
        told = [f"{'huge' if kind else 'small'} pages {statistics.median(times[kind]):6.1f} ns" for kind in kinds]
        print(f"probe at {megabytes:5} MB: {', '.join(told)}")


def milliseconds(action) -> float:
    """Time of one call."""
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1e3


def report_memory(rounds: int) -> None:
    """Print what it costs to make and to clear tables that were used to the last page."""
    for megabytes in SIZES:
        table = Table(1)
        made, touched, cleared = [], [], []
        for _ in range(rounds):
            made.append(milliseconds(lambda: table.resize(megabytes)))  # noqa: B023  (called at once)
            touched.append(milliseconds(lambda: table.bytes.__setitem__(slice(None, None, SMALL_PAGE), 1)))  # noqa: B023
            cleared.append(milliseconds(table.clear))
        parts = (("resize", made), ("first touch of all", touched), ("clear", cleared))
        print(f"table of {megabytes:5} MB: " + ", ".join(f"{name} {statistics.median(t):.2f} ms" for name, t in parts))


def main(rounds: int = 5, count: int = 1_000_000) -> None:
    """Measure; `count` probes a round."""
    report_probes(rounds, count)
    report_memory(rounds)


if __name__ == "__main__":
    typer.run(main)
