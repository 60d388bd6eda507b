"""Cost of the evaluation network: an update of the accumulator by a move, and the output.

    python benchmarks/network.py

The moves are all legal ones except the king's in the positions of `zobra bench`; the weights are
random. A first run of each kernel, which is not counted, warms up.
"""

import statistics
import time
from typing import Any

import numpy as np
import typer

from zobra.engine.accumulator import refresh, update
from zobra.engine.board import ONE
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import INT, entry, layout, record
from zobra.engine.layouts import ACCUMULATOR, NETWORK, POSITION
from zobra.engine.network import evaluate_anew, network_score
from zobra.engine.network_file import BUCKETS, LARGEST_OUTPUT, SCALE, WIDTH
from zobra.search.bench import POSITIONS

MAX_MEASURED = 64  # moves of a position
KINGS = 10  # piece codes from here on are kings
ORIGIN = 63  # the bits of a move that name the square that the piece leaves
# A position, and those that follow its moves
CASE = layout(
    ("position", POSITION),
    ("accumulator", ACCUMULATOR),
    ("count", "i8"),
    ("followings", POSITION, (MAX_MEASURED,)),
    ("accumulators", ACCUMULATOR, (MAX_MEASURED,)),
)


@entry(INT, record(CASE), record(NETWORK), INT)
def update_all(case, network, rounds):
    """Update both sides of the accumulator for every move."""
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
    """Compute both sides of the accumulator from scratch for every move."""
    for _ in range(rounds):
        for index in range(case.count):
            refresh(network, case.accumulators[index], case.followings[index])
    return case.count * rounds


@entry(INT, record(CASE), record(NETWORK), INT)
def score_all(case, network, rounds):
    """Compute the output for every move, and return a value that depends on all outputs."""
    total = 0
    for _ in range(rounds):
        for index in range(case.count):
            total += network_score(network, case.accumulators[index], case.followings[index])
            network.output_bias[index % BUCKETS] += ONE  # so that the loop cannot be folded
    return total


def random_network() -> np.ndarray:
    """Return a network with weights like those of a trained one."""
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
    """Return the positions, each with the positions after its moves and all accumulators."""
    array: Any = np.zeros(len(POSITIONS), CASE)
    for case, fen in zip(array, POSITIONS, strict=True):
        position = parse_fen(fen)
        case["position"] = position.record
        evaluate_anew(network, case["accumulator"], case["position"])
        board = case["position"]["board"]
        moves = [move for move in position.legal_moves() if board[move & ORIGIN] < KINGS]
        case["count"] = min(len(moves), MAX_MEASURED)
        for index, move in enumerate(moves[:MAX_MEASURED]):
            case["followings"][index] = position.after(move).record
            evaluate_anew(network, case["accumulators"][index], case["followings"][index])
    return array


def nanoseconds(kernel: Any, array: np.ndarray, network: Any, repeats: int) -> float:
    """Return the average time per move over all positions."""
    begin = time.thread_time()
    for case in array:
        kernel(case, network, repeats)
    return (time.thread_time() - begin) / repeats / int(array["count"].sum()) * 1e9


def main(rounds: int = 7, repeats: int = 1000) -> None:
    """Measure; every move is made `repeats` times in each of `rounds` rounds."""
    network = random_network()
    array = cases(network[0])
    kernels = {"update": update_all, "from scratch": refresh_all, "output": score_all}
    for kernel in kernels.values():
        nanoseconds(kernel, array, network[0], repeats)

    times: dict[str, list[float]] = {name: [] for name in kernels}
    for _ in range(rounds):
        for name, kernel in kernels.items():
            times[name].append(nanoseconds(kernel, array, network[0], repeats))
    moves = int(array["count"].sum())
    print(f"{WIDTH} neurons per side, both sides, {moves} moves in {len(array)} positions")
    print(f"{'':12} ns per move, median of {rounds} rounds")
    for name, measured in times.items():
        print(f"{name:12} {statistics.median(measured):11.1f}")


if __name__ == "__main__":
    typer.run(main)
