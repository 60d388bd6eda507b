"""Time controls, and the clock of one side.

The clock runs from the sending of "go" to the arrival of the move.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import chess
import chess.engine

from zobra.arena.formats.text import printable

_SECONDS = r"\d{1,9}(?:\.\d+)?|\.\d+"
_CLOCK = re.compile(
    r"(?:(?P<moves>[1-9]\d{0,8})/)?(?:(?P<minutes>\d{1,9}):)?"
    rf"(?P<seconds>{_SECONDS})(?:\+(?P<increment>{_SECONDS}))?"
)
_FIXED = re.compile(r"(?P<kind>movetime|nodes|depth)=(?P<number>\d{1,18})")
USUAL_MOVES = 60  # of each side in a game of usual length
_USUAL_SHARE = 0.8  # of its time, that a side uses in such a game


@dataclass(frozen=True)
class TimeControl:
    """A clock, and limits of each move; None means no limit.

    `base_ms` is the time for the game, or for `moves` moves if that is not 0; `increment_ms` is
    added after each move. `movetime` (milliseconds), `nodes` and `depth` (plies) limit one move.
    """

    base_ms: int | None = None
    increment_ms: int = 0
    moves: int = 0
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Read a time control.

        It is "10+0.1", "40/60", "40/1:30+0.5" (seconds), "movetime=100" (ms), "nodes=5000",
        "depth=8", or several of these separated by spaces. Raise ValueError for anything else.
        """
        values: dict[str, int] = {}
        for part in text.split() or [""]:
            fixed = _FIXED.fullmatch(part)
            clock = _CLOCK.fullmatch(part)
            if fixed:
                values[fixed["kind"]] = int(fixed["number"])
            elif clock:
                seconds = int(clock["minutes"] or 0) * 60 + float(clock["seconds"])
                values["base_ms"] = round(seconds * 1000)
                values["increment_ms"] = round(float(clock["increment"] or 0) * 1000)
                values["moves"] = int(clock["moves"] or 0)
            else:
                raise ValueError(
                    f"time control {printable(part)!r}: must be of the form 10+0.1, 40/60, "
                    "movetime=100, nodes=5000 or depth=8"
                )
        if 0 in (values.get(name) for name in ("base_ms", "movetime", "nodes", "depth")):
            raise ValueError(f"time control {text!r}: 0 is not allowed")
        if values.keys() >= {"base_ms", "movetime"}:
            raise ValueError(f"time control {text!r}: a clock and movetime exclude each other")
        return cls(**values)

    @property
    def is_timed(self) -> bool:
        """True if time limits the moves, by a clock or by `movetime`."""
        return self.base_ms is not None or self.movetime is not None

    def side_seconds(self, move_seconds: float = 0.0) -> float:
        """Return an estimate of the time that one side uses in a game of usual length.

        Without a clock and `movetime`, a move is assumed to take `move_seconds`.
        """
        if self.base_ms is None:
            if self.movetime:
                move_seconds = self.movetime / 1000
            return USUAL_MOVES * move_seconds
        periods = USUAL_MOVES / self.moves if self.moves else _USUAL_SHARE
        return (self.base_ms * periods + self.increment_ms * USUAL_MOVES) / 1000

    def scaled(self, odds: float) -> "TimeControl":
        """Return this time control with time and nodes multiplied by `odds`; depth is unchanged."""
        values = {"increment_ms": round(self.increment_ms * odds)}
        for name in ("base_ms", "movetime", "nodes"):
            value = getattr(self, name)
            if value is not None:
                values[name] = max(1, round(value * odds))
        return replace(self, **values)

    def in_words(self) -> str:
        """Return the time control as text with units: "5 min + 3 s per move"."""
        parts = []
        if self.base_ms is not None:
            moves = f"{self.moves} moves in " if self.moves else ""
            increment = f" + {_duration(self.increment_ms)} per move" if self.increment_ms else ""
            parts.append(f"{moves}{_duration(self.base_ms)}{increment}")
        if self.movetime is not None:
            parts.append(f"{_duration(self.movetime)} per move")
        if self.nodes is not None:
            parts.append(f"{self.nodes:,} nodes per move")
        if self.depth is not None:
            parts.append(f"depth {self.depth}")
        return ", ".join(parts)

    def __str__(self) -> str:
        parts = []
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves else ""
            increment = f"+{self.increment_ms / 1000:g}" if self.increment_ms else ""
            parts.append(f"{moves}{self.base_ms / 1000:g}{increment}")
        for name in ("movetime", "nodes", "depth"):
            number = getattr(self, name)
            if number is not None:
                parts.append(f"{name}={number}")
        return " ".join(parts)


def _duration(milliseconds: int) -> str:
    """Return a duration in minutes, or in seconds if it is short or has a part of a minute."""
    seconds = milliseconds / 1000
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:g} min"
    return f"{seconds:g} s"


class GameClock:
    """One side's clock in one game."""

    def __init__(self, control: TimeControl, margin_ms: float = 0) -> None:
        self.control = control
        self.margin_ms = margin_ms
        self.remaining_ms: float | None = control.base_ms
        self.moves_to_go = control.moves

    def allowance_ms(self) -> float | None:
        """Return the milliseconds within which this move does not lose on time.

        Return None if time is not limited.
        """
        limit = self.control.movetime if self.remaining_ms is None else self.remaining_ms
        return None if limit is None else limit + self.margin_ms

    def spend(self, elapsed_ms: float) -> float:
        """Take the time of a move off the clock, and return by how many milliseconds it was late.

        The time is rounded down to whole milliseconds, as in fastchess. A move is late only if it
        exceeds its time by more than the margin; a move in time returns 0.
        """
        elapsed_ms = int(elapsed_ms)
        allowance = self.allowance_ms()
        if allowance is not None and elapsed_ms > allowance:
            return elapsed_ms - (allowance - self.margin_ms)
        if self.remaining_ms is not None:
            # A move within the margin leaves an empty clock, not a negative one
            left = max(0.0, self.remaining_ms - elapsed_ms)
            self.remaining_ms = left + self.control.increment_ms
        if self.control.moves:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.moves_to_go = self.control.moves
                self.remaining_ms = (self.remaining_ms or 0.0) + (self.control.base_ms or 0)
        return 0.0


def engine_limit(
    clocks: Mapping[chess.Color, GameClock], turn: chess.Color, clock_id: object
) -> chess.engine.Limit:
    """Return the limit for the "go" command to the side to move.

    It has the fixed limits of that side, and if its clock runs, the clocks of both sides.
    """
    own = clocks[turn].control
    limit = chess.engine.Limit(nodes=own.nodes, depth=own.depth, clock_id=clock_id)
    if own.movetime is not None:
        limit.time = own.movetime / 1000
    if clocks[turn].remaining_ms is not None:
        limit.remaining_moves = clocks[turn].moves_to_go or None
        white = clocks[chess.WHITE]
        black = clocks[chess.BLACK]
        if white.remaining_ms is not None:
            limit.white_clock = white.remaining_ms / 1000
            limit.white_inc = white.control.increment_ms / 1000
        if black.remaining_ms is not None:
            limit.black_clock = black.remaining_ms / 1000
            limit.black_inc = black.control.increment_ms / 1000
    return limit
