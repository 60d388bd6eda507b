"""Cost of the evaluation network: bringing an accumulator up to date by a move, and the output.

    python benchmarks/network.py

Uses all legal moves but the king's in the positions of `zobra bench`, with random weights. Prints
medians.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import typer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that tests/tools is found

from zobra.engine.accumulator import refresh, update
from zobra.engine.board import ONE
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import INT, entry, record
from zobra.engine.layouts import ACCUMULATOR, NETWORK, POSITION
from zobra.engine.network import evaluate_anew, network_score
from zobra.engine.network_file import BUCKETS, LARGEST_OUTPUT, SCALE, WIDTH
from zobra.search.bench import POSITIONS

MOST = 64  # moves of a position that are measured
KINGS = 10  # piece codes from here on are kings
LISTS = [("followings", POSITION, (MOST,)), ("accumulators", ACCUMULATOR, (MOST,))]
CASE = np.dtype(
    [("position", POSITION), ("accumulator", ACCUMULATOR), ("count", "i8"), *LISTS], align=True
)


@entry(INT, record(CASE), record(NETWORK), INT)
def update_all(case, network, rounds):
    """Bring both sides up to date after every move."""
    for _ in range(rounds):
        for index in range(case.count):
            update(
                network,
                case.accumulators[index],
                case.followings[index],
                case.accumulator,
                case.position,
            )
    return case.count * rounds


@entry(INT, record(CASE), record(NETWORK), INT)
def refresh_all(case, network, rounds):
    """Compute both sides from scratch after every move."""
    for _ in range(rounds):
        for index in range(case.count):
            refresh(network, case.accumulators[index], case.followings[index])
    return case.count * rounds


@entry(INT, record(CASE), record(NETWORK), INT)
def score_all(case, network, rounds):
    """The output of both sides after every move; something that depends on all of it."""
    total = 0
    for _ in range(rounds):
        for index in range(case.count):
            total += network_score(network, case.accumulators[index], case.followings[index])
            network.output_bias[index % BUCKETS] += ONE  # so that the loop cannot be folded
    return total


def random_network() -> np.ndarray:
    """Weights like those of a trained network."""
    source = np.random.default_rng(1)
    network = np.zeros(1, NETWORK)
    network["rows"]["values"] = source.normal(0, 20, network["rows"]["values"].shape)
    network["bias"]["values"] = source.normal(60, 20, network["bias"]["values"].shape)
    network["output"]["values"] = source.integers(
        -LARGEST_OUTPUT, LARGEST_OUTPUT + 1, network["output"]["values"].shape
    )
    network["scale"] = SCALE
    return network


def cases(network: Any) -> np.ndarray:
    """The positions, and what follows each move."""
    array: Any = np.zeros(len(POSITIONS), CASE)
    for case, fen in zip(array, POSITIONS, strict=True):
        position = parse_fen(fen)
        case["position"] = position.record
        evaluate_anew(network, case["accumulator"], case["position"])
        board = case["position"]["board"]
        moves = [move for move in position.legal_moves() if board[move & 63] < KINGS][:MOST]
        case["count"] = len(moves)
        for index, move in enumerate(moves):
            case["followings"][index] = position.after(move).record
            evaluate_anew(network, case["accumulators"][index], case["followings"][index])
    return array


def nanoseconds(kernel: Any, array: np.ndarray, network: Any, repeats: int) -> float:
    """Time of one move, over all positions."""
    begin = time.thread_time()
    for case in array:
        kernel(case, network, repeats)
    return (time.thread_time() - begin) / repeats / int(array["count"].sum()) * 1e9


def main(rounds: int = 7, repeats: int = 1000) -> None:
    """Measure; in each of `rounds` every move is taken `repeats` times."""
    network = random_network()
    array = cases(network[0])
    kernels = {"update": update_all, "from scratch": refresh_all, "output": score_all}
    times: dict[str, list[float]] = {name: [] for name in kernels}
    for _ in range(rounds):
        for name, kernel in kernels.items():
            times[name].append(nanoseconds(kernel, array, network[0], repeats))
    print(
        f"{WIDTH} neurons a side, both sides, {int(array['count'].sum())} moves of "
        f"{len(array)} positions"
    )
    for name, measured in times.items():
        print(f"{name}: {statistics.median(measured):.1f} ns")


if __name__ == "__main__":
    typer.run(main)
