"""How long to think: an optimum time after which no new depth is begun, a maximum time at which the search is cut off, and how
the optimum moves while the search goes on.
"""

from __future__ import annotations

from typing import NamedTuple

from zobra.search.limits import Limits

DEFAULT_MOVES_TO_GO = 20  # moves that a sudden-death clock is shared out over
INCREMENT_SHARE = 0.85  # of what a move gets back, the part that it may count on
SOFT_SHARE = 0.7  # of the budget: the next depth seldom ends within the rest
RESERVE, RESERVE_SHARE = 150, 0.3  # milliseconds left alone against a machine that stalls, and how much of a clock at most
HARD_FACTOR = 2.5  # times the budget
CLOCK_SHARE = 0.35  # never more than this of what is on the clock
MINIMUM = 1  # millisecond

FIRST_STEADY_DEPTH = 6  # plies: before, nothing is known of how steady a search is
STEADY_FACTORS = (1.5, 1.2, 1.0, 0.9, 0.85)  # by the number of depths that the best move has stood
EFFORT_BASE, EFFORT_SLOPE = 1.7, 1.2  # of the share of nodes that the best move took: one-sided searches end early
DROP_SCALE = 120.0  # centipawns that the score must fall to double the time
DROP_LEAST, DROP_MOST = 0.9, 1.4


class TimeBudget(NamedTuple):
    """Milliseconds for one move; None: no limit."""

    optimum: float | None
    maximum: float | None

    def at(self, factor: float) -> TimeBudget:
        """The same with the optimum limit scaled, but not beyond the maximum one."""
        if self.optimum is None or self.maximum is None:
            return self
        return TimeBudget(min(self.optimum * factor, self.maximum), self.maximum)


def time_budget(limits: Limits, white_to_move: bool, overhead: int) -> TimeBudget:
    """Time for the next move. `overhead` milliseconds are kept back for what happens outside the search.

    A time for the move is used up, but not beyond the most that a clock beside it allows.
    """
    exact = None if limits.movetime is None else max(MINIMUM, limits.movetime - overhead)
    clock = limits.clock
    time = None if clock is None else (clock.white_time if white_to_move else clock.black_time)
    if clock is None or time is None:
        return TimeBudget(None, exact)
    increment = clock.white_increment if white_to_move else clock.black_increment
    moves = min(clock.moves_to_go or DEFAULT_MOVES_TO_GO, DEFAULT_MOVES_TO_GO)
    left = max(0, time - overhead)
    usable = max(MINIMUM, left - min(RESERVE, RESERVE_SHARE * left))
    share = usable / moves + INCREMENT_SHARE * increment
    ceiling = max(MINIMUM, usable * (CLOCK_SHARE if moves > 1 else 1))
    if exact is not None:
        return TimeBudget(None, min(exact, ceiling))
    return TimeBudget(max(MINIMUM, min(share * SOFT_SHARE, ceiling)), max(MINIMUM, min(share * HARD_FACTOR, ceiling)))


class Stability:
    """How sure a search is of its move, told depth by depth; `factor` scales the optimum limit.

    Idea: Stockfish and others; see Chess Programming Wiki, "Time Management".
    """

    def __init__(self) -> None:
        self.factor = 1.0
        self._best = 0
        self._stood = 0
        self._average: float | None = None

    def note(self, depth: int, best: int, score: int, effort: float) -> None:
        """A depth is finished: its best move, its score in centipawns, and the share of all nodes spent on that move."""
        self._stood = self._stood + 1 if best == self._best else 0
        self._best = best
        average = score if self._average is None else self._average
        self._average = (average + score) / 2
        if depth < FIRST_STEADY_DEPTH:
            return
        steady = STEADY_FACTORS[min(self._stood, len(STEADY_FACTORS) - 1)]
        drop = max(DROP_LEAST, min(1 + (average - score) / DROP_SCALE, DROP_MOST))
        self.factor = steady * drop * (EFFORT_BASE - EFFORT_SLOPE * effort)
