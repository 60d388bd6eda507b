"""Accumulators that are brought up to date are those that are computed anew, whatever is played."""

import random

import chess
import numpy as np
import pytest

from tests.support.networks import random_network
from zobra.engine.accumulator import refresh, update
from zobra.engine.board import ONE, ZERO
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import INT, VOID, WORD, copy_record, entry, record
from zobra.engine.layouts import ACCUMULATOR, CONSTANTS_TYPE, NETWORK, POSITION_TYPE
from zobra.engine.move import NO_MOVE
from zobra.engine.network import evaluate_anew, load_network, network_at
from zobra.engine.network_file import WIDTH
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.search.node import make_move
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, WORKER_TYPE, new_worker

NETWORK_ARRAY = load_network(random_network(WIDTH))
KNOWN = record(ACCUMULATOR), POSITION_TYPE
update_from_python = entry(VOID, record(NETWORK), *KNOWN, *KNOWN)(update.function)


def anew(position: Position) -> np.ndarray:
    accumulator = np.zeros(1, ACCUMULATOR)
    evaluate_anew(NETWORK_ARRAY[0], accumulator[0], position.record)
    return accumulator


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
        ("1n6/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7b8n"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "0000"),
        ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8g8"),
        ("4k3/8/8/8/8/8/8/3K3R w - - 0 1", "d1e1"),  # crosses the middle
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),  # king and rook trade places
    ],
)
def test_an_update_by_a_move(fen, move):
    before = parse_fen(fen)
    after = before.after(0 if move == "0000" else before.parse_move(move))
    found = np.zeros(1, ACCUMULATOR)
    update_from_python(NETWORK_ARRAY[0], found[0], after.record, anew(before)[0], before.record)
    assert np.array_equal(found["sides"], anew(after)["sides"])


FACTOR = np.uint64(6364136223846793005)
ADDEND = np.uint64(1442695040888963407)
SHIFT = np.uint64(33)
NULL_MOVE_RATE = np.uint64(16)
ROOT_RATE = np.uint64(3)
BACK_RATE = np.uint64(12)
BACK_RANGE = np.uint64(5)
WALK_PLIES = np.int64(100)  # largest ply of a walk


@entry(INT, WORKER_TYPE, CONSTANTS_TYPE, record(ACCUMULATOR), WORD, INT)
def walk(worker, constants, fresh, seed, plies):
    """Play random moves, null moves and take-backs.

    Return the number of neurons that differ from a refresh.
    """
    ply = np.int64(0)
    wrong = np.int64(0)
    state = seed
    network = network_at(worker.network_address)
    refresh(network, worker.stack[0].accumulator, worker.stack[0].position)
    for _ in range(plies):
        node = worker.stack[ply]
        state = state * FACTOR + ADDEND
        number = state >> SHIFT
        node.moves.count = ZERO
        count = generate(node.position, constants, node.moves, ALL)
        if count == ZERO or ply == WALK_PLIES or number % BACK_RATE == ZERO:
            ply = max(np.int64(0), ply - 1 - np.int64(number % BACK_RANGE))
            continue
        move = np.uint64(node.moves.moves[number % count])
        if number % NULL_MOVE_RATE == ONE and node.position.checkers == ZERO:
            move = NO_MOVE
        make_move(worker, constants, ply, move)
        ply += 1
        node = worker.stack[ply]
        refresh(network, fresh, node.position)
        for side in range(2):
            for neuron in range(WIDTH):
                wrong += (
                    fresh.sides[side].values[neuron] != node.accumulator.sides[side].values[neuron]
                )
        if ply == WALK_PLIES // 2 and number % ROOT_RATE == ZERO:  # a new root
            copy_record(worker.stack[0], node)
            ply = np.int64(0)
    return wrong


def test_random_walks_through_the_search_s_stack():
    """Half of them in Chess960."""
    source = random.Random(3)
    fresh = np.zeros(1, ACCUMULATOR)
    worker = new_worker(default_parameters(), np.zeros(SIGNALS, np.int64))
    worker[0]["network_address"] = NETWORK_ARRAY.ctypes.data
    for number in range(20):
        board = chess.Board()
        if number % 2:
            board = chess.Board.from_chess960_pos(source.randrange(960))
        worker[0]["stack"][0]["position"] = Position.from_board(board).record
        assert walk(worker[0], CONSTANTS_RECORD, fresh[0], source.getrandbits(64), 1_500) == 0
