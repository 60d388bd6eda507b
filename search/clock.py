"""How long to think: a soft limit after which no new depth is begun, and a hard limit at which the search is cut off."""

from __future__ import annotations

from typing import NamedTuple

from zobra.search.limits import Limits

DEFAULT_MOVES_TO_GO = 25  # moves that a sudden-death clock is shared out over
INCREMENT_SHARE = 0.65  # the rest builds a reserve against a machine that stalls
SOFT_SHARE = 0.6  # of the allotment: the next depth seldom ends within the rest
HARD_FACTOR = 2.5  # times the allotment
CLOCK_SHARE = 0.35  # never more than this of what is on the clock
MINIMUM = 1  # millisecond


class Allotment(NamedTuple):
    """Milliseconds for one move; None: no limit."""

    soft: float | None
    hard: float | None


def allot(limits: Limits, white_to_move: bool, overhead: int) -> Allotment:
    """Time for the next move. `overhead` milliseconds are kept back for what happens outside the search."""
    if limits.movetime is not None:
        exact = max(MINIMUM, limits.movetime - overhead)
        return Allotment(None, exact)
    clock = limits.clock
    time = None if clock is None else (clock.white_time if white_to_move else clock.black_time)
    if clock is None or time is None:
        return Allotment(None, None)
    increment = clock.white_increment if white_to_move else clock.black_increment
    moves = min(clock.moves_to_go or DEFAULT_MOVES_TO_GO, DEFAULT_MOVES_TO_GO)
    usable = max(MINIMUM, time - overhead)
    share = usable / moves + INCREMENT_SHARE * increment
    ceiling = max(MINIMUM, usable * (CLOCK_SHARE if moves > 1 else 1))
    return Allotment(max(MINIMUM, min(share * SOFT_SHARE, ceiling)), max(MINIMUM, min(share * HARD_FACTOR, ceiling)))
