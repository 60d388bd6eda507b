"""Time management: the time budget of a move, and when a running search has to end.

No new depth is begun after the optimum; the search is aborted at the maximum. The optimum is scaled
after each depth by how stable the search is. Times are milliseconds; the numbers are among the
parameters of the search. Idea: Stockfish and others; Chess Programming Wiki, "Time Management".
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import ClockTimes, Limits
from zobra.search.root import RootLine
from zobra.search.worker import DEADLINE, SIGNALS, STOP, clock_now

MINIMUM = 1  # millisecond
FIRST_STABLE_DEPTH = 6  # plies: earlier depths say nothing of stability
# Factors of the optimum for a best move that is new, or has stood for 1, 2, 3, or 4 or more depths
STABILITY = (
    "time_stability_0",
    "time_stability_1",
    "time_stability_2",
    "time_stability_3",
    "time_stability_4",
)
NS_PER_MS = 1_000_000
NEVER = np.iinfo(np.int64).max  # a deadline that does not come


class TimeBudget(NamedTuple):
    """The milliseconds for one move; None means no limit."""

    optimum: float | None
    maximum: float | None


def time_budget(
    limits: Limits, white_to_move: bool, overhead: int, parameters: Mapping[str, int]
) -> TimeBudget:
    """Return the budget of the next move, minus `overhead` milliseconds.

    A `movetime` is used up as far as the clock, if any, allows.
    """
    exact = None if limits.movetime is None else max(MINIMUM, limits.movetime - overhead)
    if limits.clock is None:
        return TimeBudget(None, exact)
    time, increment = limits.clock.of(white_to_move)
    if time is None:
        return TimeBudget(None, exact)

    if increment:  # refills the clock
        most_moves = parameters["time_moves"]
    else:
        most_moves = parameters["time_moves_without_increment"]
    moves = min(limits.clock.moves_to_go or most_moves, most_moves)

    # A reserve is kept for a machine that stalls.
    left = max(0, time - overhead)
    reserve = parameters["time_reserve_share"] / 100 * left
    reserve = max(parameters["time_least_reserve"], reserve)
    usable = max(MINIMUM, left - min(parameters["time_reserve"], reserve))

    ceiling = float(usable)
    if moves > 1:
        ceiling = max(MINIMUM, usable * parameters["time_clock_share"] / 100)
    if exact is not None:
        return TimeBudget(None, min(exact, ceiling))

    share = usable / moves + parameters["time_increment_share"] / 100 * increment
    optimum = share * parameters["time_optimum"] / 100
    maximum = share * parameters["time_maximum"] / 100
    return TimeBudget(
        max(MINIMUM, min(optimum, ceiling)),
        max(MINIMUM, min(maximum, ceiling)),
    )


def stability_factor(
    lines: Sequence[RootLine], effort: float, parameters: Mapping[str, int]
) -> float:
    """Return the factor on the optimum, given the best line of each depth so far.

    It is smaller the longer the best move has been stable and the larger its share of all nodes
    (`effort`); it is larger after the score falls below its running average.
    """
    if len(lines) < FIRST_STABLE_DEPTH:
        return 1.0

    *earlier, last = lines
    unchanged = 0
    for line in reversed(earlier):
        if line.moves[0] != last.moves[0]:
            break
        unchanged += 1
    stable = parameters[STABILITY[min(unchanged, len(STABILITY) - 1)]] / 100

    average = float(earlier[0].score)
    for line in earlier:
        average = (average + line.score) / 2
    drop = 1 + (average - last.score) / parameters["time_drop_scale"]
    drop = max(parameters["time_drop_least"] / 100, min(drop, parameters["time_drop_most"] / 100))

    spread = (parameters["time_effort_base"] - parameters["time_effort_slope"] * effort) / 100
    return stable * drop * spread


@dataclass
class NodeTime:
    """A clock that counts nodes: such games do not depend on the speed of a machine.

    Idea: Stockfish's option nodestime.

    A millisecond is `rate` nodes; 0 switches this off. The first `go` of a game sets the clock. The
    nodes of each search, pondering included, are taken off it; the increment, and the time of each
    new period of moves, are added.
    """

    rate: int = 0
    left: float | None = None  # milliseconds on the node clock, None before a game's first move
    period: float = 0
    period_moves: int = 0  # the most moves to go so far
    moves_to_go: int = 0

    def begin(self, limits: Limits, white_to_move: bool) -> Limits:
        """Return the limits of a search, with the node clock in place of the real one."""
        if not self.rate or limits.clock is None:
            return limits
        moves_to_go = limits.clock.moves_to_go or 0
        if self.left is None:
            self.left = self.period = limits.clock.of(white_to_move)[0] or 0
        elif moves_to_go > self.moves_to_go or self.period_moves == 1:  # the next period has begun
            self.left += self.period
        self.period_moves = max(self.period_moves, moves_to_go)
        self.moves_to_go = moves_to_go
        return limits._replace(
            clock=limits.clock._replace(white_time=int(self.left), black_time=int(self.left))
        )

    def end(self, clock: ClockTimes | None, white_to_move: bool, nodes: int) -> None:
        """Take a search of this many nodes off the clock."""
        if self.rate and clock is not None and self.left is not None:
            self.left += clock.of(white_to_move)[1] - nodes / self.rate


class TimeManager:
    """Ends a search in time, by `signals` that its first thread reads.

    `stop`, `ponderhit` and `arm` may be called from any thread.

    While the search ponders it has no deadline. After the `ponderhit` it may run for the maximum,
    unless it has pondered for so long; the optimum counts from the beginning. `node_limit` is the
    budget in nodes if time is counted in nodes, otherwise None.
    """

    def __init__(self, overhead: int, parameters: Mapping[str, int]) -> None:
        self.overhead = overhead
        self.node_time = NodeTime()
        self.node_limit: int | None = None
        self.signals = np.zeros(SIGNALS, np.int64)
        self._parameters = parameters
        self._lock = threading.RLock()
        self._limits = Limits()
        self._budget = TimeBudget(None, None)
        self._lines: list[RootLine] = []  # the best of each depth
        self._armed = 0  # nanoseconds of the clock, as are the next two; 0: not armed
        self._began = 0
        self._counted_from = 0
        self._pondering = False
        self._hit = False
        self._is_late = False

    def arm(self, elapsed: int | None = None) -> None:
        """Reset stop and ponderhit for the next search.

        Its time began `elapsed` nanoseconds ago; if that is None, it begins with `start`.
        """
        with self._lock:
            self.signals[STOP] = 0
            self._armed = 0 if elapsed is None else int(clock_now()) - elapsed
            self._hit = False
            self._pondering = False
            self._is_late = False

    def stop(self) -> None:
        """End the search at once."""
        with self._lock:
            self.signals[STOP] = 1

    def start(self, limits: Limits, white_to_move: bool) -> None:
        """Start a search: set its budget and deadline."""
        limits = self.node_time.begin(limits, white_to_move)
        with self._lock:
            self._limits = limits
            self._lines = []
            self._budget = time_budget(limits, white_to_move, self.overhead, self._parameters)
            self.node_limit = None
            if self.node_time.rate and self._budget.maximum is not None:
                self.node_limit = max(1, int(self._budget.maximum * self.node_time.rate))

            self._began = self._armed or int(clock_now())
            self._counted_from = self._began
            self._armed = 0
            self._pondering = limits.ponder and not self._hit
            self._is_late = False
            self._set_deadline()

    def ponderhit(self) -> None:
        """Set the deadline from now on, because the opponent has played the expected move.

        The search ends at once if it finished a depth after its optimum, or has pondered for longer
        than its maximum.
        """
        with self._lock:
            self._hit = True
            if self._pondering:
                self._pondering = False
                self._counted_from = int(clock_now())
                self._set_deadline()
                if self._is_late or self._has_pondered_enough():
                    self.signals[STOP] = 1

    def _has_pondered_enough(self) -> bool:
        """Return whether the search has pondered for its maximum.

        False with movetime, which has no optimum, and with nodestime.
        """
        optimum, maximum = self._budget
        if optimum is None or maximum is None or self.node_time.rate:
            return False
        return self._counted_from - self._began >= maximum * NS_PER_MS

    def time_until(self, share: float) -> float:
        """Return the seconds until this share of the optimum is used.

        Return 0 if it is used up, without an optimum, or with nodestime.
        """
        if self._budget.optimum is None or self.node_time.rate:
            return 0.0
        spent = (int(clock_now()) - self._counted_from) / NS_PER_MS
        return max(0.0, share * self._budget.optimum - spent) / 1000

    def _set_deadline(self) -> None:
        self.signals[DEADLINE] = 0
        if self._budget.maximum is not None and not self._pondering and not self.node_time.rate:
            self.signals[DEADLINE] = min(
                self._counted_from + int(self._budget.maximum * NS_PER_MS), NEVER
            )

    @property
    def milliseconds(self) -> int:
        """The milliseconds since the search began."""
        return (int(clock_now()) - self._began) // NS_PER_MS

    def should_stop(self, best: RootLine, effort: float, nodes: int, forced: bool) -> bool:
        """Return True if no deeper iteration should start after one with this best line.

        `effort` is the best move's share of nodes; `forced` means that it is the only move.
        """
        self._lines.append(best)
        if self._limits.infinite:
            return False

        moves_to_mate = abs(mate_in_moves(best.score)) if is_mate(best.score) else None
        if moves_to_mate is not None and self._limits.mate is not None:
            if moves_to_mate <= self._limits.mate:
                return True

        optimum, maximum = self._budget
        if optimum is None or maximum is None:
            return False
        if moves_to_mate is not None and best.depth > 2 * moves_to_mate:
            return True

        rate = self.node_time.rate
        spent = nodes / rate if rate else (int(clock_now()) - self._began) / NS_PER_MS
        factor = stability_factor(self._lines, effort, self._parameters)
        if forced:
            factor = self._parameters["time_forced"] / 100
        is_late = spent >= min(optimum * factor, maximum)
        with self._lock:
            self._is_late = is_late
            return is_late and (bool(rate) or not self._pondering)
