"""Cost of the copy against the whole of making a move, which is what copy-make stands or falls with.

    python benchmarks/make.py

Every legal move of the positions of `zobra bench` is made, again and again; then the records are copied only. The two take
turns, medians are told. What is not copied would have to be remembered and taken back.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import typer
from variants import apart_from_cache

from zobra.engine.fen import parse_fen
from zobra.engine.kernels import INT, WORD, copy_record, entry, record
from zobra.engine.layouts import MOVE_LIST, POSITION, TABLES_TYPE
from zobra.engine.make import make
from zobra.engine.position import TABLES_RECORD
from zobra.uci.bench import POSITIONS

CASE = np.dtype([("position", POSITION), ("following", POSITION), ("moves", MOVE_LIST)], align=True)

with apart_from_cache():

    @entry(WORD, record(CASE), TABLES_TYPE, INT)
    def make_all(case, tables, rounds):
        """Make every move of the list, `rounds` times; something that depends on all of it."""
        total = np.uint64(0)
        for _ in range(rounds):
            for index in range(case.moves.count):
                make(case.position, case.following, np.uint64(case.moves.moves[index]), tables)
                total ^= case.following.key
        return total

    @entry(WORD, record(CASE), TABLES_TYPE, INT)
    def copy_all(case, tables, rounds):
        """Copy the position as often; the copy is changed after each, lest one do for all."""
        total = np.uint64(0)
        for _ in range(rounds):
            for _move in range(case.moves.count):
                copy_record(case.following, case.position)
                total ^= case.following.key
                case.following.key = total
        return total


def cases() -> np.ndarray:
    """The positions and their legal moves."""
    array = np.zeros(len(POSITIONS), CASE)
    for case, fen in zip(array, POSITIONS, strict=True):
        position = parse_fen(fen)
        moves = position.legal_moves()
        case["position"] = position.record
        case["moves"]["count"] = len(moves)
        case["moves"]["moves"][: len(moves)] = moves
    return array


def nanoseconds(kernel: Any, array: np.ndarray, repeats: int) -> float:
    """Time of one move, or copy, over all positions."""
    begin = time.thread_time()
    for case in array:
        kernel(case, TABLES_RECORD, repeats)
    return (time.thread_time() - begin) / repeats / int(array["moves"]["count"].sum()) * 1e9


def main(rounds: int = 9, repeats: int = 2000) -> None:
    """Measure; in each of `rounds` every move is made `repeats` times."""
    array = cases()
    times: dict[Any, list[float]] = {make_all: [], copy_all: []}
    for _ in range(rounds):
        for kernel, measured in times.items():
            measured.append(nanoseconds(kernel, array, repeats))
    whole, copy = (statistics.median(measured) for measured in times.values())
    print(f"{int(array['moves']['count'].sum())} moves of {len(array)} positions, a record of {POSITION.itemsize} bytes")
    print(f"make, copy included: {whole:.1f} ns a move; the copy alone: {copy:.1f} ns, {copy / whole:.0%} of it")


if __name__ == "__main__":
    typer.run(main)
