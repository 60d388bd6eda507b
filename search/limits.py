"""What a search may spend, and what it tells: plain values between the conversation and the search."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class GameClock:
    """The clocks of a game in milliseconds; `moves_to_go` is None for sudden death."""

    white_time: int | None = None
    black_time: int | None = None
    white_increment: int = 0
    black_increment: int = 0
    moves_to_go: int | None = None


@dataclass(frozen=True)
class Limits:
    """When to stop: whatever comes first. All None and not infinite means: until stopped.

    `depth` in plies, `nodes` in positions, `movetime` in milliseconds, `mate` in moves; `searchmoves` are legal moves of the
    root to which the search is confined (empty: all); `infinite` forbids the search to end by itself; `ponder` says that the
    clock, or the move time, cannot run out before the opponent has made the expected move.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    clock: GameClock | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] = ()


def without(limits: Limits, milliseconds: int) -> Limits:
    """The limits that are left when this time has been spent before the search."""
    clock, movetime = limits.clock, limits.movetime
    if clock is not None:
        white, black = (time if time is None else time - milliseconds for time in (clock.white_time, clock.black_time))
        clock = replace(clock, white_time=white, black_time=black)
    return replace(limits, clock=clock, movetime=None if movetime is None else max(1, movetime - milliseconds))


@dataclass(frozen=True)
class Report:
    """One finished attempt at a depth.

    `score` is in centipawns or a mate score (see engine/scores.py), from the side to move; `bound` is 0 for an exact score,
    1 for a lower bound, -1 for an upper bound; `hashfull` in permille; `pv` is the principal variation; `multipv` is its rank
    among the lines of the search, from 1; `tablebase_hits` are positions looked up in endgame tables.
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


@dataclass(frozen=True)
class Progress:
    """What a search is looking at: a root move (0 before the first), its number from 1, and the depth."""

    depth: int
    move: int
    number: int


@dataclass(frozen=True)
class Result:
    """The move to play and the reply it expects; 0 for none (the root has no legal move)."""

    best: int
    ponder: int
