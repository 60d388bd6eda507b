"""Perft in pieces of a second or less, so that a user who asked for too much can stop it (a kernel cannot be stopped)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zobra.engine.perft import count_leaves
from zobra.engine.position import Position

PIECE = 4  # plies counted in one call: 4 from a crowded middlegame are some ten million leaves


class PerftStopped(Exception):
    """The user did not want to wait for the end."""


def divide(position: Position, depth: int, is_stopped: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """For each legal move: the move and the leaves below it (`depth` is at least 1); PerftStopped once `is_stopped()`."""
    for move in position.legal_moves():
        yield move, _count(position.after(move), depth - 1, is_stopped)


def _count(position: Position, depth: int, is_stopped: Callable[[], bool]) -> int:
    if is_stopped():
        raise PerftStopped
    if depth <= PIECE:
        return count_leaves(position, depth)
    return sum(_count(position.after(move), depth - 1, is_stopped) for move in position.legal_moves())
