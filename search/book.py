"""The opening book: a file in Polyglot's format, read by python-chess, which is imported when a book is opened.

The file is opened anew for each look into it, so that one that is replaced or vanishes while a game is played costs a remark.
The key of a position counts an en-passant file only where the capture is legal: the few book positions in which a pinned pawn
stands beside one that has just advanced two squares are not found.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from zobra.engine.move import move_text
from zobra.engine.position import Position

if TYPE_CHECKING:
    from chess.polyglot import MemoryMappedReader

ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
FULL_VARIETY = 100


class BookMove(NamedTuple):
    """A move from the book, the reply that the book likes best (0: none), and the weights: its own and that of all moves."""

    move: int
    reply: int
    weight: int
    total: int


class Book:
    """An opening book, or none. `variety`: 0 plays the heaviest move always, 100 each as often as its weight says."""

    def __init__(self, source: random.Random | None = None) -> None:
        self.variety = FULL_VARIETY
        self._path: Path | None = None
        self._source = source or random.Random()

    @property
    def name(self) -> str:
        """Name of the file, empty without a book."""
        return self._path.name if self._path else ""

    def open(self, path: str) -> list[str]:
        """Use the book at `path` from now on (empty: none); what there is to say. For a damaged one the last one stays."""
        if not path:
            self._path = None
            return []
        try:
            entries = _count_entries(Path(path))
        except (OSError, ValueError) as error:
            used = f"{self.name} is used still" if self._path else "no book is used"
            return [f"error: {used}, since {path} cannot be: {getattr(error, 'strerror', None) or error}"]
        self._path = Path(path)
        return [f"book {path}: {entries} entries"]

    def choose(self, position: Position, allowed: Collection[int]) -> BookMove | None:
        """A book move among the `allowed` ones, None without any; OSError when the file cannot be read any more."""
        if self._path is None:
            return None
        from chess.polyglot import open_reader

        with open_reader(self._path) as reader:
            weights = {move: weight for move, weight in _weights(reader, position).items() if move in allowed}
            if not weights:
                return None
            move = self._draw(weights)
            replies = _weights(reader, position.after(move))
        reply = max(replies, key=lambda reply: replies[reply], default=0)
        return BookMove(move, reply, weights[move], sum(weights.values()))

    def _draw(self, weights: dict[int, int]) -> int:
        """By weight at full variety; the less of it, the higher the power of the weight that counts."""
        heaviest = max(weights, key=lambda move: weights[move])
        if self.variety == 0:
            return heaviest
        chances = [(weight / weights[heaviest]) ** (FULL_VARIETY / self.variety) for weight in weights.values()]
        return self._source.choices(list(weights), chances)[0]


def _weights(reader: MemoryMappedReader, position: Position) -> dict[int, int]:
    """The legal moves that the book knows here, with their weights; a weight of 0 means that a move is not to be played."""
    by_text = {move_text(move, chess960=True): move for move in position.legal_moves()}
    board = position.to_board(chess960=True)
    return {by_text[entry.move.uci()]: entry.weight for entry in reader.find_all(board)}


def _count_entries(path: Path) -> int:
    """How many entries a book has; ValueError if it is none or damaged: a search by bisection needs sorted keys."""
    if not path.is_file():
        raise ValueError("it is not a file" if path.exists() else "there is no such file")
    if path.stat().st_size == 0:
        raise ValueError("it is empty")
    if path.stat().st_size % ENTRY.itemsize:
        raise ValueError(f"its size is not a multiple of {ENTRY.itemsize} bytes, so it is no Polyglot book or a damaged one")
    keys = np.memmap(path, ENTRY, "r")["key"]
    if np.any(keys[:-1] > keys[1:]):
        raise ValueError("its keys are not in order, so it is no Polyglot book or a damaged one")
    return len(keys)
