"""Cost of keeping the Zobrist keys up to date, per move made: perft with and without them, in turn.

    python benchmarks/keys.py

Variants of engine/make.py are compiled without the statements that change keys. The difference in time is divided by the number
of moves made (the inner nodes of the tree: leaves are counted in bulk). The counts of all variants must agree.
"""

from __future__ import annotations

import re
import statistics
import time
from typing import Any

import numpy as np
import typer
from perft_positions import POSITIONS
from variants import variant

from zobra.engine import make, perft
from zobra.engine.fen import parse_fen
from zobra.engine.position import TABLES_RECORD

ANY_KEY = r"^ *\w+\.(key|structure_keys\[.*\]) \^= .*\n"
STRUCTURE_KEY = r"^ *\w+\.structure_keys\[.*\] \^= .*\n"


def without(pattern: str) -> Any:
    """Perft that makes moves without the statements that match."""

    def change(source: str) -> str:
        changed, removed = re.subn(pattern, "", source, flags=re.MULTILINE)
        assert removed, f"nothing in engine/make.py matches {pattern}"
        return changed

    return variant(perft, make=variant(make, change)["make"])["perft"]


def seconds_and_leaves(kernel: Any, fen: str, depth: int) -> tuple[float, int]:
    """Time of one count, and its result."""
    stack = np.zeros(1, perft.STACK)
    stack["frames"]["position"][0, 0] = parse_fen(fen).record
    begin = time.thread_time()
    leaves = int(kernel(stack[0], TABLES_RECORD, 0, depth))
    return time.thread_time() - begin, leaves


def main(rounds: int = 9) -> None:
    """Measure."""
    whole = variant(perft, make=variant(make)["make"])["perft"]
    kernels = {"no keys": without(ANY_KEY), "the key": without(STRUCTURE_KEY), "the key and three structure keys": whole}
    for name, (fen, depth) in POSITIONS.items():
        position = parse_fen(fen)
        makes = sum(perft.count_leaves(position, inner) for inner in range(1, depth))
        times: dict[str, list[float]] = {kind: [] for kind in kernels}
        counts = set()
        for _ in range(rounds):
            for kind, kernel in kernels.items():
                seconds, leaves = seconds_and_leaves(kernel, fen, depth)
                times[kind].append(seconds)
                counts.add(leaves)
        assert len(counts) == 1, f"the variants do not count alike: {counts}"
        print(f"{name}, depth {depth}: {makes:,} moves made, medians of {rounds}")
        for kind, measured in times.items():
            more = statistics.median(one - bare for one, bare in zip(measured, times["no keys"], strict=True)) / makes * 1e9
            print(f"  {kind:33} {statistics.median(measured) / makes * 1e9:6.1f} ns a move made, {more:+5.1f} ns")


if __name__ == "__main__":
    typer.run(main)
