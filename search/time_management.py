"""Time management: the time budget of a move, and when a running search has to end.

No new depth is begun after the optimum; the search is cut off at the maximum. The optimum is scaled
after each depth by how stable the search is. Times are milliseconds. Idea: Stockfish and others;
Chess Programming Wiki, "Time Management".
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np

from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.iterative_deepening import PvLine
from zobra.search.limits import ClockTimes, Limits
from zobra.search.worker import DEADLINE, SIGNALS, STOP, clock_now

MOST_MOVES, MOST_MOVES_WITHOUT_INCREMENT = (
    20,
    30,
)  # that a clock is shared out over: an increment refills it
INCREMENT_SHARE = 0.85  # of the increment that comes back after the move
OPTIMUM_FACTOR, MAXIMUM_FACTOR = (
    1.0,
    3.0,
)  # of a move's share: after the optimum, a depth seldom ends within the rest
RESERVE, RESERVE_SHARE = (
    150,
    0.3,
)  # milliseconds kept for a machine that stalls; at most this share of the clock,
LEAST_RESERVE = 50  # but at least so many: with an increment the clock does not sink to nothing
CLOCK_SHARE = 0.35  # of the clock: the most for one of several moves
MINIMUM = 1  # millisecond

FIRST_STABLE_DEPTH = 6  # plies: earlier depths say nothing of stability
STABILITY_FACTORS = (
    1.5,
    1.2,
    1.0,
    0.9,
    0.85,
)  # by the number of depths for which the best move has not changed
EFFORT_BASE, EFFORT_SLOPE = 1.7, 1.2  # of the share of nodes spent on the best move
DROP_SCALE, DROP_LEAST, DROP_MOST = (
    120.0,
    0.9,
    1.4,
)  # centipawns: a score that falls by so much would double the time

NANOSECONDS, NEVER = 1_000_000, np.iinfo(np.int64).max  # in a millisecond; the last there are


class TimeBudget(NamedTuple):
    """Milliseconds for one move; None: no limit."""

    optimum: float | None
    maximum: float | None


def time_budget(limits: Limits, white_to_move: bool, overhead: int) -> TimeBudget:
    """The budget of the next move less `overhead` milliseconds.

    A `movetime` is used up as far as the clock, if any, allows.
    """
    exact = None if limits.movetime is None else max(MINIMUM, limits.movetime - overhead)
    time, increment = (None, 0) if limits.clock is None else limits.clock.of(white_to_move)
    if limits.clock is None or time is None:
        return TimeBudget(None, exact)
    most = MOST_MOVES if increment else MOST_MOVES_WITHOUT_INCREMENT
    moves = min(limits.clock.moves_to_go or most, most)
    left = max(0, time - overhead)
    usable = max(MINIMUM, left - min(RESERVE, max(LEAST_RESERVE, RESERVE_SHARE * left)))
    share = usable / moves + INCREMENT_SHARE * increment
    ceiling = max(MINIMUM, usable * (CLOCK_SHARE if moves > 1 else 1))
    if exact is not None:
        return TimeBudget(None, min(exact, ceiling))
    return TimeBudget(
        max(MINIMUM, min(share * OPTIMUM_FACTOR, ceiling)),
        max(MINIMUM, min(share * MAXIMUM_FACTOR, ceiling)),
    )


def stability_factor(lines: Sequence[PvLine], effort: float) -> float:
    """Scales the optimum after depths that ended with these lines.

    `effort`: the share of all nodes spent on the best move.
    """
    if len(lines) < FIRST_STABLE_DEPTH:
        return 1.0
    *earlier, last = lines
    unchanged = next(
        (count for count, line in enumerate(reversed(earlier)) if line.moves[0] != last.moves[0]),
        len(earlier),
    )
    stable = STABILITY_FACTORS[min(unchanged, len(STABILITY_FACTORS) - 1)]
    average = reduce(
        lambda average, line: (average + line.score) / 2, earlier, float(earlier[0].score)
    )
    drop = max(DROP_LEAST, min(1 + (average - last.score) / DROP_SCALE, DROP_MOST))
    return stable * drop * (EFFORT_BASE - EFFORT_SLOPE * effort)


@dataclass
class NodeTime:
    """A clock of nodes: games that do not depend on the speed of a machine.

    Idea: Stockfish's option nodestime.

    A millisecond is `rate` nodes, 0 turns it off. The first `go` of a game sets the clock. The
    nodes of each search, pondering too, are taken off it; the increment, and the time of each new
    period of moves, are added.
    """

    rate: int = 0
    left: float | None = None  # milliseconds on the own clock, None before the first move of a game
    period: float = 0
    moves_to_go: int = 0

    def begin(self, limits: Limits, white_to_move: bool) -> Limits:
        """The limits of a search, with the own clock in place of the real one."""
        if not self.rate or limits.clock is None:
            return limits
        moves_to_go = limits.clock.moves_to_go or 0
        if self.left is None:
            self.left = self.period = limits.clock.of(white_to_move)[0] or 0
        elif moves_to_go > self.moves_to_go:  # the next period has begun
            self.left += self.period
        self.moves_to_go = moves_to_go
        return limits._replace(
            clock=limits.clock._replace(white_time=int(self.left), black_time=int(self.left))
        )

    def end(self, clock: ClockTimes | None, white_to_move: bool, nodes: int) -> None:
        """A search has ended after so many nodes."""
        if self.rate and clock is not None and self.left is not None:
            self.left += clock.of(white_to_move)[1] - nodes / self.rate


class TimeManager:
    """Ends a search in time, by `signals` that its first thread reads.

    `stop`, `ponderhit`, `arm` may come from any thread.

    While the search ponders it has no deadline. Its time counts from the `ponderhit` for the
    maximum, but from the beginning for the optimum; a search that is past the optimum ends at the
    `ponderhit`. `node_limit`: if time is counted in nodes.
    """

    def __init__(self, overhead: int) -> None:
        self.overhead, self.node_time, self.signals = (
            overhead,
            NodeTime(),
            np.zeros(SIGNALS, np.int64),
        )
        self._lock = threading.RLock()
        self._limits, self._budget = Limits(), TimeBudget(None, None)
        self._lines: list[PvLine] = []  # the best of each depth
        self.node_limit: int | None = None
        self._armed = self._began = self._counted_from = 0
        self._pondering = self._hit = self._has_enough = False

    def arm(self, elapsed: int = 0) -> None:
        """Reset stop and ponderhit for the next search, whose time began `elapsed` nanoseconds
        ago.
        """
        with self._lock:
            self.signals[STOP] = 0
            self._armed = int(clock_now()) - elapsed
            self._hit = False
            self._pondering = False
            self._has_enough = False

    def stop(self) -> None:
        """End the search at once."""
        with self._lock:
            self.signals[STOP] = 1

    def start(self, limits: Limits, white_to_move: bool) -> None:
        """A search begins."""
        limits = self.node_time.begin(limits, white_to_move)
        with self._lock:
            self._limits, self._lines = limits, []
            self._budget = time_budget(limits, white_to_move, self.overhead)
            maximum, rate = self._budget.maximum, self.node_time.rate
            self.node_limit = max(1, int(maximum * rate)) if rate and maximum is not None else None
            self._began = self._counted_from = self._armed or int(clock_now())
            self._armed = 0
            self._pondering, self._has_enough = limits.ponder and not self._hit, False
            self._set_deadline()

    def ponderhit(self) -> None:
        """The opponent has made the expected move: time counts from now on."""
        with self._lock:
            self._hit = True
            if self._pondering:
                self._pondering, self._counted_from = False, int(clock_now())
                self._set_deadline()
                self.signals[STOP] |= self._has_enough

    def time_until(self, share: float) -> float:
        """Return the seconds until this share of the optimum is over, 0 without an optimum."""
        if self._budget.optimum is None or self.node_time.rate:
            return 0.0
        spent = (int(clock_now()) - self._counted_from) / NANOSECONDS
        return max(0.0, share * self._budget.optimum - spent) / 1000

    def _set_deadline(self) -> None:
        self.signals[DEADLINE] = 0
        if self._budget.maximum is not None and not self._pondering and not self.node_time.rate:
            self.signals[DEADLINE] = min(
                self._counted_from + int(self._budget.maximum * NANOSECONDS), NEVER
            )

    @property
    def milliseconds(self) -> int:
        """Since the search began."""
        return (int(clock_now()) - self._began) // NANOSECONDS

    def should_stop(
        self, depth: int, best: PvLine, effort: float, nodes: int, forced: bool
    ) -> bool:
        """Return True if no deeper iteration should start.

        `effort`: the best move's share of nodes. `forced`: the only move.
        """
        self._lines.append(best)
        limits, (optimum, maximum), rate = self._limits, self._budget, self.node_time.rate
        if limits.infinite:
            return False
        mate = abs(mate_in_moves(best.score)) if is_mate(best.score) else None
        if mate is not None and limits.mate is not None and mate <= limits.mate:
            return True
        if optimum is None or maximum is None:
            return False
        spent = nodes / rate if rate else (int(clock_now()) - self._began) / NANOSECONDS
        is_late = spent >= min(optimum * stability_factor(self._lines, effort), maximum)
        with self._lock:
            self._has_enough = is_late
            is_over = is_late and (bool(rate) or not self._pondering)
        return is_over or forced or (mate is not None and depth > 2 * mate)
