"""What it costs that kernels see memory as records with named fields, and not as bare addresses: nothing much.

    python benchmarks/records.py

First a recursion with four children to a node, which reads a table, writes the next ply's state and counts, in three forms:
with records, with raw addresses, with NumPy arrays (whose reference counts are kept at every call). The records should cost at
most 1.3 times as much as the addresses. Then the compiled code of the recursive kernels is searched for reference counting:
there must be none.
"""

from __future__ import annotations

import re
import statistics
import time
from typing import Any

import numpy as np
import typer
from variants import apart_from_cache

from zobra.engine.kernels import INT, WORD, entry, kernel, numeric, record, record_at
from zobra.engine.perft import perft
from zobra.search.negamax import negamax
from zobra.search.quiescence import quiescence

CHILDREN, PLIES = 4, 32
COUNTER = np.dtype([("nodes", "u8")])
KEYS = np.dtype([("numbers", "u8", (CHILDREN,))])
STACK = np.dtype([("states", "u8", (PLIES,))])
WORD_BYTES, ONE = np.uint64(8), np.uint64(1)
REFERENCE_COUNTING = re.compile(r"call .*@NRT_(incref|decref)")

word_at = record_at(np.dtype([("value", "u8")]))


@kernel
def child_state(state, number):
    """The state that a child goes on from: some arithmetic that depends on all before."""
    return (state ^ number) * np.uint64(0x9E3779B97F4A7C15)


with apart_from_cache():

    @entry(WORD, record(STACK), record(KEYS), record(COUNTER), INT, INT)
    def walk_records(stack, keys, counter, ply, depth):
        """The recursion through records."""
        counter.nodes += ONE
        total = stack.states[ply]
        if depth == 0:
            return total
        for child in range(CHILDREN):
            stack.states[ply + 1] = child_state(stack.states[ply], keys.numbers[child])
            total ^= walk_records(stack, keys, counter, np.int64(ply + 1), np.int64(depth - 1))
        return total

    @entry(WORD, WORD, WORD, WORD, INT, INT)
    def walk_addresses(stack, keys, counter, ply, depth):
        """The recursion through addresses."""
        word_at(counter).value += ONE
        here = stack + np.uint64(ply) * WORD_BYTES
        total = word_at(here).value
        if depth == 0:
            return total
        for child in range(CHILDREN):
            number = word_at(keys + np.uint64(child) * WORD_BYTES).value
            word_at(here + WORD_BYTES).value = child_state(word_at(here).value, number)
            total ^= walk_addresses(stack, keys, counter, np.int64(ply + 1), np.int64(depth - 1))
        return total


@numeric
def walk_arrays(stack, keys, counter, ply, depth):
    """The recursion through arrays."""
    counter[0] += ONE
    total = stack[ply]
    if depth == 0:
        return total
    for child in range(CHILDREN):
        stack[ply + 1] = child_state(stack[ply], keys[child])
        total ^= walk_arrays(stack, keys, counter, ply + 1, depth - 1)
    return total


def report_walks(rounds: int, depth: int) -> None:
    """Time the three forms in turn; they must agree."""
    stack, keys, counter = np.zeros(1, STACK), np.zeros(1, KEYS), np.zeros(1, COUNTER)
    keys["numbers"] = range(1, CHILDREN + 1)
    owners = (stack, keys, counter)
    forms: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "records": (walk_records, tuple(owner[0] for owner in owners)),
        "addresses": (walk_addresses, tuple(owner.ctypes.data for owner in owners)),
        "arrays": (walk_arrays, tuple(owner.view(np.uint64).reshape(-1) for owner in owners)),
    }
    times: dict[str, list[float]] = {name: [] for name in forms}
    results = set()
    for _ in range(rounds):
        for name, (walk, arguments) in forms.items():
            stack["states"][0, 0], counter["nodes"] = 1, 0
            begin = time.thread_time()
            total = int(walk(*arguments, 0, depth))
            times[name].append((time.thread_time() - begin) / int(counter["nodes"][0]) * 1e9)
            results.add((total, int(counter["nodes"][0])))
    assert len(results) == 1, f"the three forms do not agree: {results}"
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    print(f"recursion of {results.pop()[1]:,} nodes: " + ", ".join(f"{name} {ns:.2f} ns" for name, ns in medians.items()))
    for name in ("records", "arrays"):
        print(f"  {name}: {medians[name] / medians['addresses']:.2f} times the addresses")


def report_reference_counts() -> bool:
    """Say how often each recursive kernel touches a reference count; is it never?"""
    clean = True
    for name, function in (("perft", perft), ("quiescence", quiescence), ("negamax", negamax), ("walk_arrays", walk_arrays)):
        compiled = function.dispatcher if function is walk_arrays else function.specialised
        code = compiled.inspect_llvm(compiled.signatures[0])
        found = len(REFERENCE_COUNTING.findall(code))
        print(f"{name}: {len(code.splitlines()):,} lines of LLVM code, {found} calls that count references")
        clean = clean and (found == 0 or function is walk_arrays)
    return clean


def main(rounds: int = 9, depth: int = 11) -> None:
    """Measure; a tree of `depth` plies."""
    report_walks(rounds, depth)
    if not report_reference_counts():
        raise SystemExit("a recursive kernel counts references")


if __name__ == "__main__":
    typer.run(main)
