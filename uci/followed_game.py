"""The game that `position` lines describe, followed from line to line: a line that adds a move
costs one move.
"""

from zobra.engine.fen import START, FenError, parse_fen, write_fen
from zobra.engine.position import Game, Position
from zobra.uci.commands import SetPosition


class FollowedGame:
    """`game` is the last one that could be read; `readable` says whether the last line was."""

    def __init__(self) -> None:
        self.game = Game(parse_fen(START))
        self.readable = True
        self._described = SetPosition(None, ())

    def follow(self, line: SetPosition) -> None:
        """Set up what a line says; ValueError names what is wrong with it, and `game` stays as it
        was.
        """
        self.readable = False
        known = self._described.moves
        if line.fen == self._described.fen and line.moves[: len(known)] == known:
            game, begin = Game(self.game.position), len(known)
            game.keys = list(self.game.keys)
        else:
            try:
                game, begin = Game(parse_fen(START if line.fen is None else line.fen)), 0
            except FenError as error:
                raise ValueError(f"in fen: {error}") from None
        for number, text in enumerate(line.moves[begin:], begin + 1):
            try:
                game.push(game.position.parse_move(text))
            except ValueError as error:
                raise ValueError(
                    f"in move {number}: {error} ({write_fen(game.position)})"
                ) from None
        self.game, self._described, self.readable = game, line, True

    def set_up(self, position: Position) -> None:
        """Begin a new game from a position."""
        self.game, self.readable, self._described = (
            Game(position),
            True,
            SetPosition(write_fen(position), ()),
        )
