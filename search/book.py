"""The opening book: a file in Polyglot's format, read by python-chess.

The file is opened for each position, so a file that is replaced or removed during a game causes
only a message. The key of a position counts an en-passant file only if the capture is legal; the
few book positions with a pinned pawn are not found.
"""

import random
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
from chess.polyglot import MemoryMappedReader, open_reader

from zobra.engine.move import move_text
from zobra.engine.position import Position

ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])


class BookMove(NamedTuple):
    """A move from the book, and the reply to it with the largest weight (0: none).

    `weight` is the weight of the move, `total` the sum of the weights of all allowed moves.
    """

    move: int
    reply: int
    weight: int
    total: int


class Book:
    """An opening book; if there is none, `path` is empty.

    `inform` receives messages for the user. `variety` 0 always plays the move with the largest
    weight, 100 plays each move with the probability that its weight gives.
    """

    def __init__(self, inform: Callable[[str], None], source: random.Random | None = None) -> None:
        self.variety = 100
        self.path = Path()
        self._inform = inform
        self._source = source or random.Random()

    def open(self, path: str) -> None:
        """Use the book at `path`, or none if that is empty.

        Raise ValueError if it is not a book; the previous one then stays in use.
        """
        if not path:
            self.path = Path()
            return
        file = Path(path)
        try:
            if not file.is_file():
                raise ValueError(
                    "it is not a regular file" if file.exists() else "there is no such file"
                )
            size = file.stat().st_size
            if size == 0 or size % ENTRY.itemsize:
                raise ValueError(
                    f"its size, {size} bytes, is not that of a Polyglot book (entries of "
                    f"{ENTRY.itemsize} bytes)"
                )
            keys = np.memmap(file, ENTRY, "r")["key"]
            if np.any(keys[:-1] > keys[1:]):  # they are found by bisection
                raise ValueError("its keys are not sorted: it is damaged or not a Polyglot book")
        except (OSError, ValueError) as error:
            used = f"{self.path.name} stays in use" if self.path.name else "no book is used"
            raise ValueError(
                f"{path} is not a usable book: {getattr(error, 'strerror', None) or error}; {used}"
            ) from error
        self.path = file
        self._inform(f"book {path}: {len(keys)} entries")

    def choose(self, position: Position, allowed: Collection[int]) -> BookMove | None:
        """Return a book move among the `allowed` ones, or None if there is none.

        A book that can no longer be read is closed.
        """
        if not self.path.name:
            return None
        try:
            with open_reader(self.path) as reader:
                weights = _weights(reader, position)
                weights = {move: weights[move] for move in weights if move in allowed}
                if not weights:
                    return None
                move = self._draw(weights)
                replies = _weights(reader, position.after(move))
        except Exception as error:  # a fault in the book must not cost the game
            self._inform(f"error: book {self.path.name} is no longer used: {error}")
            self.path = Path()
            return None
        return BookMove(
            move=move,
            reply=max(replies, key=replies.__getitem__, default=0),
            weight=weights[move],
            total=sum(weights.values()),
        )

    def _draw(self, weights: dict[int, int]) -> int:
        """Return a random move; its chance is proportional to weight ** (100 / variety)."""
        heaviest = max(weights, key=weights.__getitem__)
        if not self.variety:
            return heaviest
        exponent = 100 / self.variety
        chances = [(weight / weights[heaviest]) ** exponent for weight in weights.values()]
        return self._source.choices(list(weights), chances)[0]


def _weights(reader: MemoryMappedReader, position: Position) -> dict[int, int]:
    """Return the legal moves that the book has here, with their weights.

    python-chess leaves out moves of weight 0.
    """
    by_text = {move_text(move, chess960=True): move for move in position.legal_moves()}
    board = position.to_board(chess960=True)
    return {by_text[entry.move.uci()]: entry.weight for entry in reader.find_all(board)}
