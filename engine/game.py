"""A game so far: the present position and the keys of the earlier ones, which repetition needs."""

from zobra.engine.position import Position


class Game:
    """A starting position and the moves played from it.

    `position` is the present one; `keys` are the keys of the positions before it that could still be repeated, oldest first:
    a capture, a pawn move or the loss of a castling right makes all that came earlier unreachable.
    """

    def __init__(self, start: Position) -> None:
        self.position = start
        self.keys: list[int] = []

    def push(self, move: int) -> None:
        """Play a legal move."""
        self.keys.append(self.position.key)
        self.position = self.position.after(move)
        if self.position.record["repeatable"] == 0:
            self.keys = []
