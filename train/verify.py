"""Does a network file mean the same to everyone? Whole numbers against floats, the kernels against plain arithmetic, updates
against computing anew, and the symmetries of chess."""

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
from zobra.engine.layouts import ACCUMULATOR, HIDDEN, TABLES_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.network import Network, evaluate_anew, install
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.evaluation import evaluate, reset_accumulator
from zobra.search.node import make_move
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, WORKER_TYPE, new_worker
from zobra.train.positions import unpack_board
from zobra.train.quantise import float_scores, integer_scores

LARGEST_MEAN_ERROR = 5.0  # centipawns that rounding the weights may cost
WALK_PLIES = np.int64(100)  # as deep as a walk goes
FACTOR, ADDEND, SHIFT = np.uint64(6364136223846793005), np.uint64(1442695040888963407), np.uint64(33)
ROOT, NEXT, NONE = np.int64(0), np.int64(1), np.int64(0)
PASS_RATE, LOOK_RATE, BACK_RATE, BACK_RANGE = map(np.uint64, (16, 3, 12, 5))


@kernel
def differs(worker, tables, ply, fresh):
    """Evaluate at `ply` as the search does; is either side of its accumulator other than when computed anew?"""
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
    """Random moves, null moves and steps back from the root, some of the positions evaluated: how many came out different?"""
    ply, wrong, state = ROOT, NONE, seed
    reset_accumulator(worker.stack[ROOT])
    for _ in range(plies):
        node = worker.stack[ply]
        state = state * FACTOR + ADDEND
        number = state >> SHIFT
        node.moves.count = ZERO
        count = generate(node.position, tables, node.moves, ALL)
        if count == ZERO or ply == WALK_PLIES or number % BACK_RATE == ZERO:
            ply = max(ROOT, ply - NEXT - np.int64(number % BACK_RANGE))
            continue
        passes = number % PASS_RATE == ONE and node.position.checkers == ZERO
        make_move(worker, tables, ply, NO_MOVE if passes else np.uint64(node.moves.moves[number % count]))
        ply += NEXT
        if number % LOOK_RATE != ZERO:
            wrong += np.int64(differs(worker, tables, ply, fresh))
        if ply == WALK_PLIES // 2 and number % LOOK_RATE == ZERO:  # go on from here
            copy_record(worker.stack[ROOT], worker.stack[ply])
            reset_accumulator(worker.stack[ROOT])
            ply = ROOT
    return wrong


@dataclass(frozen=True)
class Findings:
    """What was measured, in centipawns and numbers of differences."""

    mean_error: float
    largest_error: float
    kernel_differences: int
    update_differences: int
    asymmetries: int

    def faults(self) -> list[str]:
        """What must not be, in words."""
        found = []
        if self.mean_error > LARGEST_MEAN_ERROR:
            found.append(f"whole numbers are {self.mean_error:.1f} centipawns from the floats on average")
        for number, what in (
            (self.kernel_differences, "positions are scored otherwise by the kernels than by plain arithmetic"),
            (self.update_differences, "accumulators came out otherwise when updated than when computed anew"),
            (self.asymmetries, "positions are worth something else with colours exchanged, or mirrored"),
        ):
            if number:
                found.append(f"{number} {what}")
        return found


class Verifier:
    """Checks one network, in tables of its own: the engine's stay as they are."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._tables = np.array([TABLES_RECORD])
        self._record: Any = self._tables[0]["network"]
        install(network, self._record)
        self._accumulator = np.zeros(1, ACCUMULATOR)

    def score(self, position: Position) -> int:
        """Centipawns for the side to move, computed anew."""
        return int(evaluate_anew(self._record, self._accumulator[0], position.record))

    def walk(self, plies: int, seed: int) -> int:
        """Differences between updated and fresh accumulators in a random walk, half of it in Chess960."""
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
        """Positions whose score changes when the colours are exchanged, or left and right."""
        count = 0
        for board in boards:
            own = self.score(Position.from_board(board))
            exchanged = self.score(Position.from_board(board.mirror()))
            plain = board.copy()
            plain.castling_rights, plain.ep_square = chess.BB_EMPTY, None
            turned = self.score(Position.from_board(plain.transform(chess.flip_horizontal)))
            count += own != exchanged or own != turned
        return count


def random_boards(count: int, seed: int) -> list[chess.Board]:
    """Positions of random games."""
    source, board = random.Random(seed), chess.Board()
    boards: list[chess.Board] = []
    while len(boards) < count:
        moves = list(board.legal_moves)
        if not moves or board.ply() > 120:
            board = chess.Board()
            continue
        board.push(source.choice(moves))
        boards.append(board.copy(stack=False))
    return boards


def verify(network: Network, weights: Any, positions: np.ndarray, plies: int = 100_000, seed: int = 1) -> Findings:
    """All checks; `weights` are the floats that the network was made of."""
    verifier = Verifier(network)
    plain = integer_scores(network, positions)
    errors = np.abs(float_scores(weights, positions) - plain)
    scores = [verifier.score(Position.from_board(unpack_board(packed))) for packed in positions]
    return Findings(
        mean_error=float(errors.mean()),
        largest_error=float(errors.max()),
        kernel_differences=int((np.array(scores, np.int64) != plain).sum()),
        update_differences=verifier.walk(plies, seed),
        asymmetries=verifier.asymmetries(random_boards(500, seed)),
    )
