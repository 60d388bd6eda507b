"""Checks a network file: integers against floats, kernels against NumPy, updates against full refreshes, symmetries."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import chess
import numpy as np

from zobra.engine.accumulator import refresh
from zobra.engine.board import BLACK, ONE, WHITE, ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import INT, WORD, copy_record, entry, kernel, record
from zobra.engine.layouts import ACCUMULATOR, TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.network import evaluate_anew
from zobra.engine.network_file import HIDDEN, Network, install
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.evaluation import evaluate
from zobra.search.node import make_move
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, WORKER_TYPE, new_worker
from zobra.train.positions import unpack_board
from zobra.train.quantise import float_scores, integer_scores

LARGEST_MEAN_ERROR = 5.0  # centipawns of rounding error
WALK_PLIES = np.int64(100)  # largest ply of a walk
FACTOR, ADDEND, SHIFT = np.uint64(6364136223846793005), np.uint64(1442695040888963407), np.uint64(33)
NULL_MOVE_RATE, EVALUATION_RATE, BACK_RATE, BACK_RANGE = map(np.uint64, (16, 3, 12, 5))


@kernel
def accumulator_differs(worker, tables, ply, fresh):
    """Evaluate at `ply` as the search does. True if its accumulator differs from a full refresh."""
    node = worker.stack[ply]
    evaluate(worker, tables, ply)
    refresh(tables.network, fresh, node.position, WHITE)
    refresh(tables.network, fresh, node.position, BLACK)
    different = False
    for side in range(2):
        for neuron in range(HIDDEN):
            different |= fresh.sides[side].values[neuron] != node.accumulator.sides[side].values[neuron]
    return different


@entry(INT, WORKER_TYPE, TABLES_TYPE, record(ACCUMULATOR), WORD, INT)
def walk(worker, tables, fresh, seed, plies):
    """Random moves, null moves and take-backs, with evaluations in between; number of accumulators that differ."""
    ply, wrong, state = np.int64(0), np.int64(0), seed
    worker.stack[0].accumulator.computed = ZERO
    for _ in range(plies):
        node = worker.stack[ply]
        state = state * FACTOR + ADDEND
        number = state >> SHIFT
        node.moves.count = ZERO
        count = generate(node.position, tables, node.moves, ALL)
        if count == ZERO or ply == WALK_PLIES or number % BACK_RATE == ZERO:
            ply = max(np.int64(0), ply - 1 - np.int64(number % BACK_RANGE))
            continue
        is_null_move = number % NULL_MOVE_RATE == ONE and node.position.checkers == ZERO
        make_move(worker, tables, ply, NO_MOVE if is_null_move else np.uint64(node.moves.moves[number % count]))
        ply += 1
        if number % EVALUATION_RATE != ZERO:
            wrong += np.int64(accumulator_differs(worker, tables, ply, fresh))
        if ply == WALK_PLIES // 2 and number % EVALUATION_RATE == ZERO:  # a new root
            copy_record(worker.stack[0], worker.stack[ply])
            worker.stack[0].accumulator.computed = ZERO
            ply = np.int64(0)
    return wrong


@dataclass(frozen=True)
class Findings:
    """Errors in centipawns, and numbers of differences."""

    mean_error: float
    largest_error: float
    kernel_differences: int
    update_differences: int
    asymmetries: int

    def faults(self) -> list[str]:
        """Failed checks, in words."""
        found = []
        if self.mean_error > LARGEST_MEAN_ERROR:
            found.append(f"integers are {self.mean_error:.1f} centipawns from the floats on average")
        for number, what in (
            (self.kernel_differences, "positions have another score in the kernels than in plain arithmetic"),
            (self.update_differences, "accumulators differ between update and full refresh"),
            (self.asymmetries, "positions change their score with colours exchanged, or mirrored"),
        ):
            if number:
                found.append(f"{number} {what}")
        return found


class Verifier:
    """Checks one network in its own tables; the engine's tables are unchanged."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._tables = np.array([TABLES_RECORD])
        self._record: Any = self._tables[0]["network"]
        install(network, self._record)
        self._accumulator = np.zeros(1, ACCUMULATOR)

    def score(self, position: Position) -> int:
        """Centipawns for the side to move, after a full refresh."""
        return int(evaluate_anew(self._record, self._accumulator[0], position.record))

    def walk(self, plies: int, seed: int) -> int:
        """Number of differences between updated and refreshed accumulators in random walks, half of them in Chess960."""
        signals = np.zeros(SIGNALS, np.int64)
        worker = new_worker(default_parameters() | {"use_network": 1}, signals)
        source, wrong, rounds = random.Random(seed), 0, 20
        for number in range(rounds):
            board = chess.Board.from_chess960_pos(source.randrange(960)) if number % 2 else chess.Board()
            worker[0]["stack"][0]["position"] = Position.from_board(board).record
            arguments = (worker[0], self._tables[0], self._accumulator[0], source.getrandbits(64), plies // rounds)
            wrong += int(walk(*arguments))
        return wrong

    def asymmetries(self, boards: list[chess.Board]) -> int:
        """Number of positions, without castling, whose score changes when colours, or left and right, are exchanged."""

        def score(board: chess.Board) -> int:
            return self.score(Position.from_board(board))

        return sum(
            not score(board) == score(board.mirror()) == score(board.transform(chess.flip_horizontal)) for board in boards
        )


def verify(network: Network, weights: Any, positions: np.ndarray, plies: int = 100_000, seed: int = 1) -> Findings:
    """All checks; `weights` are the floats of the network, `positions` have dtype PACKED."""
    verifier = Verifier(network)
    plain = integer_scores(network, positions)
    errors = np.abs(float_scores(weights, positions) - plain)
    boards = [unpack_board(packed) for packed in positions]
    scores = [verifier.score(Position.from_board(board)) for board in boards]
    return Findings(
        mean_error=float(errors.mean()),
        largest_error=float(errors.max()),
        kernel_differences=int((np.array(scores, np.int64) != plain).sum()),
        update_differences=verifier.walk(plies, seed),
        asymmetries=verifier.asymmetries(boards),
    )
