"""Time controls, and the clock of one side: it runs from the sending of "go" to the arrival of the
move.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import chess
import chess.engine

from zobra.arena.formats.text import printable

_SECONDS = r"\d+(?:\.\d+)?|\.\d+"
_CLOCK = re.compile(
    rf"(?:(?P<moves>[1-9]\d*)/)?(?:(?P<minutes>\d+):)?(?P<seconds>{_SECONDS})(?:\+(?P<increment>{_SECONDS}))?"
)
_FIXED = re.compile(r"(?P<kind>movetime|nodes|depth)=(?P<number>\d+)")
USUAL_MOVES, _USUAL_SHARE = (
    60,
    0.8,
)  # a usual game: moves of each side, and the share of its time that a side uses up


@dataclass(frozen=True)
class TimeControl:
    """Time for the game (or for each `moves` moves) and per move in milliseconds, and other limits
    a move; None: no limit.
    """

    base_ms: int | None = None
    increment_ms: int = 0
    moves: int = 0
    movetime: int | None = None
    nodes: int | None = None
    depth: int | None = None

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Reads "10+0.1", "40/60", "40/1:30+0.5" (seconds), "movetime=100" (ms), "nodes=5000",
        "depth=8", or several of them with spaces. Raises ValueError.
        """
        values: dict[str, int] = {}
        for part in text.split() or [""]:
            if fixed := _FIXED.fullmatch(part):
                values[fixed["kind"]] = int(fixed["number"])
            elif clock := _CLOCK.fullmatch(part):
                seconds = int(clock["minutes"] or 0) * 60 + float(clock["seconds"])
                values |= {
                    "base_ms": round(seconds * 1000),
                    "increment_ms": round(float(clock["increment"] or 0) * 1000),
                }
                values["moves"] = int(clock["moves"] or 0)
            else:
                raise ValueError(
                    f"time control {printable(part)!r}: not 10+0.1, 40/60, movetime=100, "
                    "nodes=5000 or depth=8"
                )
        if 0 in (values.get(name) for name in ("base_ms", "movetime", "nodes", "depth")):
            raise ValueError(f"time control {text!r}: 0 is too little")
        if values.keys() >= {"base_ms", "movetime"}:
            raise ValueError(f"time control {text!r}: either a clock or a time per move")
        return cls(**values)

    def side_seconds(self, move_seconds: float = 0.0) -> float:
        """How long one side thinks in a game of usual length, as an estimate.

        `move_seconds`: for a move by nodes or depth.
        """
        if self.base_ms is None:
            return USUAL_MOVES * (self.movetime / 1000 if self.movetime else move_seconds)
        shares = USUAL_MOVES / self.moves if self.moves else _USUAL_SHARE
        return (self.base_ms * shares + self.increment_ms * USUAL_MOVES) / 1000

    def scaled(self, odds: float) -> "TimeControl":
        """With time and nodes multiplied; depth stays."""
        limits = ((name, getattr(self, name)) for name in ("base_ms", "movetime", "nodes"))
        scaled = {name: max(1, round(value * odds)) for name, value in limits if value is not None}
        return replace(self, increment_ms=round(self.increment_ms * odds), **scaled)

    def __str__(self) -> str:
        fixed = {"movetime": self.movetime, "nodes": self.nodes, "depth": self.depth}
        parts = [f"{kind}={number}" for kind, number in fixed.items() if number is not None]
        if self.base_ms is not None:
            moves, increment = (
                f"{self.moves}/" * bool(self.moves),
                f"+{self.increment_ms / 1000:g}" * bool(self.increment_ms),
            )
            parts.insert(0, f"{moves}{self.base_ms / 1000:g}{increment}")
        return " ".join(parts)


class GameClock:
    """One side's clock in one game."""

    def __init__(self, control: TimeControl, margin_ms: float = 0) -> None:
        self.control, self.margin_ms = control, margin_ms
        self.remaining_ms: float | None = control.base_ms
        self.moves_to_go = control.moves

    def allowance_ms(self) -> float | None:
        """The longest time in milliseconds that this move may take without a loss; None when time
        is not limited.
        """
        limit = self.control.movetime if self.remaining_ms is None else self.remaining_ms
        return None if limit is None else limit + self.margin_ms

    def spend(self, elapsed_ms: float) -> float:
        """Counts a move.

        Returns the whole milliseconds (as in fastchess) by which it was late, without the margin,
        else 0.
        """
        elapsed_ms, allowance = int(elapsed_ms), self.allowance_ms()
        if allowance is not None and elapsed_ms > allowance:
            return elapsed_ms - (allowance - self.margin_ms)
        if (
            self.remaining_ms is not None
        ):  # a move within the margin leaves an empty clock, not a negative one
            self.remaining_ms = max(0.0, self.remaining_ms - elapsed_ms) + self.control.increment_ms
        if self.control.moves:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.moves_to_go = self.control.moves
                self.remaining_ms = (self.remaining_ms or 0.0) + (self.control.base_ms or 0)
        return 0.0


def engine_limit(
    clocks: Mapping[chess.Color, GameClock], turn: chess.Color, clock_id: object
) -> chess.engine.Limit:
    """What "go" says to the engine to move: both clocks if its own runs, and its own fixed
    limits.
    """
    own = clocks[turn].control
    time = own.movetime and own.movetime / 1000
    limit = chess.engine.Limit(time=time, nodes=own.nodes, depth=own.depth, clock_id=clock_id)
    if clocks[turn].remaining_ms is not None:
        limit.remaining_moves = clocks[turn].moves_to_go or None
        for color, clock in clocks.items():
            if clock.remaining_ms is not None:
                setattr(limit, f"{chess.COLOR_NAMES[color]}_clock", clock.remaining_ms / 1000)
                setattr(limit, f"{chess.COLOR_NAMES[color]}_inc", clock.control.increment_ms / 1000)
    return limit
