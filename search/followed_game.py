"""The game in the `position` commands, followed from line to line.

A line that adds a move costs only one move.
"""

from collections.abc import Sequence

from zobra.engine.fen import START, parse_fen, read_fen, write_fen
from zobra.engine.fen_reader import FenError
from zobra.engine.position import Game


class FollowedGame:
    """The last `game` that could be read; `readable` says whether the last line was.

    `notices` names what was dropped from the FEN of the last line.
    """

    def __init__(self) -> None:
        self.game = Game(parse_fen(START))
        self.readable = True
        self.notices: list[str] = []
        # The FEN and moves that describe it; None if no line does
        self._described: tuple[str | None, tuple[str, ...]] | None = (None, ())

    def follow(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set up a FEN (None: the start position) and play moves in UCI notation.

        Raise ValueError that names what is wrong; `game` is then unchanged.
        """
        self.readable = False
        self.notices = []
        moves = tuple(moves)
        known = self._count_known(fen, moves)
        if known is not None:
            game = Game(self.game.position)
            game.keys = list(self.game.keys)
        else:
            known = 0
            try:
                position, self.notices = read_fen(START if fen is None else fen)
                game = Game(position)
            except FenError as error:
                raise ValueError(f"in fen: {error}") from None
        for number, text in enumerate(moves[known:], known + 1):
            try:
                game.push(game.position.parse_move(text))
            except ValueError as error:
                raise ValueError(
                    f"in move {number}: {error} ({write_fen(game.position)})"
                ) from None
        self.game = game
        self.readable = True
        self._described = (fen, moves)

    def set_up(self, game: Game) -> None:
        """Replace the game by another one."""
        self.game = game
        self.readable = True
        self._described = None

    def _count_known(self, fen: str | None, moves: tuple[str, ...]) -> int | None:
        """Return how many of the moves `game` already has, or None if it is another game."""
        if self._described is None:
            return None
        known_fen, known = self._described
        if fen != known_fen or moves[: len(known)] != known:
            return None
        return len(known)
