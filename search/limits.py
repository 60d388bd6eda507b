"""The limits of a search, and its reports and result: plain values between `uci` and the search."""

from typing import NamedTuple


class ClockTimes(NamedTuple):
    """The clocks of a game in milliseconds; `moves_to_go` is None for sudden death."""

    white_time: int | None = None
    black_time: int | None = None
    white_increment: int = 0
    black_increment: int = 0
    moves_to_go: int | None = None

    def of(self, white: bool) -> tuple[int | None, int]:
        """Time and increment of a side."""
        return (
            (self.white_time, self.white_increment)
            if white
            else (self.black_time, self.black_increment)
        )


class Limits(NamedTuple):
    """When to stop: at the first limit that is reached, without any when stopped, if infinite not
    by itself.

    `depth` in plies, `nodes` in positions, `movetime` in milliseconds, `mate` in moves.
    `searchmoves`: the legal moves of the root to search (None: all). `ponder`: no time runs before
    the `ponderhit`.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    clock: ClockTimes | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] | None = None


class Report(NamedTuple):
    """One finished search of the root at one depth and window.

    `hashfull` in permille; `multipv` is the line's rank, from 1.

    `score` is for the side to move (see engine/scores.py); `bound` is 0 for exact, 1 for a lower
    and -1 for an upper bound.
    """

    depth: int
    selective_depth: int
    score: int
    bound: int
    nodes: int
    milliseconds: int
    hashfull: int
    pv: tuple[int, ...]
    multipv: int = 1
    tablebase_hits: int = 0


class Progress(NamedTuple):
    """Where a running search is: a root move (0 before the first), its number from 1, and the
    depth.
    """

    depth: int
    move: int
    number: int


class Result(NamedTuple):
    """The move to play and the reply it expects; 0 for none (the root has no legal move)."""

    best: int
    ponder: int
