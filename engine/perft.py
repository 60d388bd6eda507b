"""Perft: counting the leaves of the tree of legal moves, which tests move generation and make.

Leaves are counted in bulk: at depth 1 the moves are written to the list, and their number is the
count.
"""

from collections.abc import Callable, Iterator

import numpy as np

from zobra.engine.attacks import find_checks
from zobra.engine.board import ZERO
from zobra.engine.generator import ALL, generate
from zobra.engine.kernels import INT, WORD, entry, layout, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.position import CONSTANTS_RECORD, Position

MAX_DEPTH = 32
CHUNK_DEPTH = 4  # plies counted in one call: some ten million leaves from a crowded middlegame
FRAME = layout(("position", POSITION), ("moves", MOVE_LIST))
STACK = layout(("frames", FRAME, (MAX_DEPTH + 1,)))


@entry(WORD, record(STACK), CONSTANTS_TYPE, INT, INT)
def perft(stack, constants, ply, depth):
    """Return the number of sequences of `depth` moves (at least 1) from the position at `ply`."""
    position = stack.frames[ply].position
    moves = stack.frames[ply].moves
    find_checks(position, constants)
    moves.count = ZERO
    count = generate(position, constants, moves, ALL)
    if depth == 1:
        return count
    total = ZERO
    following = stack.frames[ply + 1].position
    for index in range(count):
        make(position, following, np.uint64(moves.moves[index]), constants)
        total += perft(stack, constants, np.int64(ply + 1), np.int64(depth - 1))
    return total


def count_leaves(position: Position, depth: int) -> int:
    """Return the perft of a position; depth 0 is one leaf. Raise ValueError above MAX_DEPTH."""
    if depth <= 0:
        return 1
    if depth > MAX_DEPTH:
        raise ValueError(f"depth {depth} is more than {MAX_DEPTH}")
    stack = np.zeros(1, STACK)
    stack["frames"]["position"][0, 0] = position.record
    return int(perft(stack[0], CONSTANTS_RECORD, 0, depth))


class PerftStopped(Exception):
    """The count was stopped before its end."""


def divide(
    position: Position, depth: int, is_stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[int, int]]:
    """Yield each legal move, in order of generation, and the number of leaves below it.

    `depth` is at least 1. Leaves are counted in chunks of a second or less, because a kernel
    cannot be stopped. Raise PerftStopped once `is_stopped()`.
    """
    for move in position.legal_moves():
        yield move, _count_in_chunks(position.after(move), depth - 1, is_stopped)


def _count_in_chunks(position: Position, depth: int, is_stopped: Callable[[], bool]) -> int:
    if is_stopped():
        raise PerftStopped
    if depth <= CHUNK_DEPTH:
        return count_leaves(position, depth)
    return sum(
        _count_in_chunks(position.after(move), depth - 1, is_stopped)
        for move in position.legal_moves()
    )
