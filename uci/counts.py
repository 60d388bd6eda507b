"""Carrying out `perft` and `bench` in a conversation, on the calling thread; a `stop` that comes later breaks them off."""

from __future__ import annotations

from collections.abc import Callable

from zobra.engine.move import move_text
from zobra.engine.perft import MAX_DEPTH, PerftStopped, divide
from zobra.engine.position import Position
from zobra.search.searcher import Searcher
from zobra.uci import bench
from zobra.uci.console import Console


class CountRunner:
    """Prints counts. `is_interrupted` is asked at least every second whether the running one has to end."""

    def __init__(self, console: Console, is_interrupted: Callable[[], bool]) -> None:
        self._console, self._is_interrupted = console, is_interrupted
        self._searcher: Searcher | None = None  # of the running bench

    def interrupt(self) -> None:
        """End the search of a running bench, since `is_interrupted` has become true; may be called from any thread."""
        if self._searcher is not None:
            self._searcher.stop()

    def perft(self, position: Position, depth: int | None, chess960: bool) -> None:
        """Print the leaves below each move, and in all."""
        if depth is None or not 1 <= depth <= MAX_DEPTH:
            self._console.inform(f"error: perft takes a depth from 1 to {MAX_DEPTH}")
            return
        total = 0
        try:
            for move, leaves in divide(position, depth, self._is_interrupted):
                total += leaves
                self._console.say(f"{move_text(move, chess960)}: {leaves}")
        except PerftStopped:
            self._console.inform("perft stopped")
        else:
            self._console.say(f"\nNodes searched: {total}")

    def bench(self, depth: int | None, parameters: dict[str, int]) -> None:
        """Search the bench positions with these parameters of the search; the last line is the signature of the engine."""
        self._searcher = Searcher(bench.MEGABYTES, parameters=parameters)
        if self._is_interrupted():
            self._searcher.stop()
        for line in bench.run(self._searcher, depth):
            if self._is_interrupted():
                self._console.inform("bench stopped")
                break
            self._console.say(line)
        self._searcher = None
