"""What a person asks for in a new game: colour, level, time and position."""

import random
from dataclasses import dataclass

import chess

from zobra.arena.formats.fen import read_fen
from zobra.arena.formats.text import printable
from zobra.arena.model.adjudication import ending_on_board
from zobra.arena.model.clock import TimeControl

WHITE = "white"
BLACK = "black"
RANDOM = "random"
COLORS = (WHITE, BLACK, RANDOM)
FULL = "full"  # strength
DEFAULT_ELO = 1500
DEFAULT_TIME = "movetime=1000"

_MAX_CHESS960 = 959
_MAX_ELO = 10_000
_LONGEST_TEXT = 200  # characters of a FEN or of a time control
_MAX_TIME = 24 * 3_600_000  # milliseconds


def read_level(text: str) -> int | None:
    """Return a level in Elo, or None for full strength. Raise ValueError."""
    if text.lower() == FULL:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"level {printable(text, 40)}: must be a number or {FULL!r}")
    return int(text)


@dataclass(frozen=True)
class NewGame:
    """The settings of a new game, as the page and the command line give them."""

    color: str = WHITE
    elo: int | None = DEFAULT_ELO  # None: full strength
    time: str = DEFAULT_TIME  # as TimeControl.parse reads it
    fen: str = ""  # empty: the start position
    chess960: bool = False
    number: int | None = None  # of a start position of Chess960; None: any

    def __post_init__(self) -> None:
        if self.color not in COLORS:
            raise ValueError(
                f"colour {printable(self.color, 40)!r}: must be white, black or random"
            )
        if self.number is not None and not 0 <= self.number <= _MAX_CHESS960:
            raise ValueError(f"start position {self.number}: must be from 0 to {_MAX_CHESS960}")
        if self.elo is not None and not 0 < self.elo <= _MAX_ELO:
            raise ValueError(f"the level must be from 1 to {_MAX_ELO}")
        if len(self.fen) > _LONGEST_TEXT:
            raise ValueError("the FEN is too long")
        if len(self.time) > _LONGEST_TEXT:
            raise ValueError("the time control is too long")

    def control(self) -> TimeControl:
        """Return the time control. Raise ValueError."""
        control = TimeControl.parse(self.time)
        times = (control.base_ms, control.increment_ms, control.movetime)
        if any(time is not None and time > _MAX_TIME for time in times):
            raise ValueError("time control: more than 24 hours")
        return control

    def human(self) -> chess.Color:
        """Return the colour that the person plays."""
        if self.color == RANDOM:
            return random.choice(chess.COLORS)
        return self.color == WHITE

    def start(self) -> chess.Board:
        """Return the start position.

        Raise ValueError if chess cannot be played from it, or if the game is already over.
        """
        if self.fen.strip():
            try:
                board, _ = read_fen(self.fen.strip(), chess960=self.chess960)
            except ValueError as error:
                raise ValueError(f"FEN {printable(self.fen)}: {error}") from error
        elif self.chess960:
            number = self.number
            if number is None:
                number = random.randint(0, _MAX_CHESS960)
            board = chess.Board.from_chess960_pos(number)
        else:
            board = chess.Board()

        ending = ending_on_board(board)
        if ending is not None:
            raise ValueError(f"the game is over in this position ({ending.reason})")
        return board
