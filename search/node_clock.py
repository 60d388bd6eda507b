"""Nodes in place of milliseconds (the option nodestime): games that do not depend on the speed of a machine.

A millisecond is so many nodes. The engine keeps its own clock, set by the first `go` of a game: what a search used is taken
off, and the increment is added, as is the time of a new period of moves. Idea: Stockfish's option of the same name.
"""

from __future__ import annotations

from dataclasses import replace

from zobra.search.clock import TimeBudget
from zobra.search.limits import GameClock, Limits


class NodeClock:
    """`rate` is the nodes in a millisecond; 0 turns it off. Pondering counts like thinking."""

    def __init__(self) -> None:
        self.rate = 0
        self._left: float | None = None  # milliseconds on the own clock, None before the first move of a game
        self._period = 0  # milliseconds for each period of moves
        self._moves_to_go = 0

    def reset(self) -> None:
        """A new game."""
        self._left, self._moves_to_go = None, 0

    def begin(self, limits: Limits, white_to_move: bool) -> Limits:
        """The limits of a search with the own clock in place of the real one."""
        clock = limits.clock
        if not self.rate or clock is None:
            return limits
        if self._left is None:
            self._left = self._period = (clock.white_time if white_to_move else clock.black_time) or 0
        elif (clock.moves_to_go or 0) > self._moves_to_go:  # the next period has begun
            self._left += self._period
        self._moves_to_go = clock.moves_to_go or 0
        left = int(self._left)
        return replace(limits, clock=replace(clock, white_time=left, black_time=left))

    def node_limit(self, budget: TimeBudget) -> int | None:
        """Nodes that the time for this move is worth."""
        if not self.rate or budget.maximum is None:
            return None
        return max(1, int(budget.maximum * self.rate))

    def is_late(self, budget: TimeBudget, nodes: int) -> bool:
        """After so many nodes, is it too late to begin another depth?"""
        return budget.optimum is not None and nodes >= budget.optimum * self.rate

    def end(self, clock: GameClock | None, white_to_move: bool, nodes: int) -> None:
        """A search has ended after so many nodes."""
        if self.rate and clock is not None and self._left is not None:
            increment = clock.white_increment if white_to_move else clock.black_increment
            self._left += increment - nodes / self.rate
