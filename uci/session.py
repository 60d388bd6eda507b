"""What a UCI conversation works on: the options, the game on the board, and the search in its thread.

While a search runs, `isready`, `stop` and `ponderhit` act at once. Every other command that could change what the search works
on first ends it, waits for its bestmove, and is then carried out. So there is exactly one bestmove for each `go`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from zobra.engine import kernels
from zobra.engine.fen import write_fen
from zobra.engine.network_file import read_network
from zobra.engine.position import Position
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.uci.board_text import board_text, evaluation_text
from zobra.uci.commands import Count, SetOption, SetPosition
from zobra.uci.console import Console
from zobra.uci.counts import CountRunner
from zobra.uci.followed_game import FollowedGame
from zobra.uci.go import NO_POSITION, GoHandler
from zobra.uci.options import OPTIONS, find

LAST_WORD = 1.0  # seconds that a search has for its bestmove when the process ends


class Session:
    """Carries out commands. Its methods are called from one thread; a search runs in another.

    Perft and bench run in the calling thread; they end when `is_interrupted` becomes true.
    """

    def __init__(self, console: Console, is_interrupted: Callable[[], bool] = lambda: False) -> None:
        self.console: Console = console
        self.values = {option.name: option.default for option in OPTIONS}
        self.searcher: Searcher = Searcher(int(self.values["Hash"]), int(self.values["Move Overhead"]))
        self.searcher.seed = random.getrandbits(32)  # a weakened engine does not play the same game twice
        self._board = FollowedGame()
        self.searches: GoHandler = GoHandler(console, self.values, self.searcher, self._board)
        self.counts = CountRunner(console, is_interrupted)
        for notice in kernels.notices:
            console.inform(notice)

    @property
    def readable(self) -> bool:
        """Could the last position be read?"""
        return self._board.readable

    @property
    def chess960(self) -> bool:
        """Is castling written as king takes rook?"""
        return self.values["UCI_Chess960"] == "true"

    def rehearse(self) -> None:
        """Search a little, so that the first real search has no first calls to pay for."""
        self.searcher.search(self._board.game, Limits(depth=1))
        self.searcher.clear()

    def leave(self) -> None:
        """The conversation is over. A search still prints its bestmove."""
        self.searches.thread.finish(LAST_WORD)

    def new_game(self) -> None:
        """Forget what was learned in the last game."""
        self.searches.thread.finish()
        self.searcher.clear()

    def set_option(self, command: SetOption) -> None:
        """Carry out `setoption`. What cannot be done is reported, and leaves everything as it was."""
        self.searches.thread.finish()
        try:
            option = find(command.name)
            value, objection = option.read(command.value)
        except ValueError as error:
            self.console.inform(f"error: {error}")
            return
        if objection:
            self.console.inform(objection)
        before, self.values[option.name] = self.values.get(option.name, ""), value
        try:
            option.apply(self, value)
        except (ValueError, MemoryError) as error:
            self.values[option.name] = before
            self.console.inform(f"error: {error}")
        else:
            self.console.remark(f"option {option.name} is {value!r}")

    def use_threads(self, count: int) -> None:
        """Search with so many threads."""
        self.searcher.threads = count
        if remark := self.searcher.threads_remark:
            self.console.inform(remark)

    def use_network(self, path: str) -> None:
        """Evaluate by the network in this file, empty: by the built-in one. ValueError if it cannot be read."""
        self.searcher.use_network(read_network(Path(path)) if path else None)

    def set_position(self, command: SetPosition) -> None:
        """Carry out `position`. After one that cannot be read the last good one stays, and `go` answers (none)."""
        self.searches.thread.finish()
        try:
            self._board.follow(command)
        except ValueError as error:
            self.console.inform(f"error {error}")
            return
        for problem in command.problems():
            self.console.inform(problem)
        self.console.remark(f"position {write_fen(self._board.position)}")

    def show_board(self) -> None:
        """`d`."""
        self.console.say(board_text(self._board.position, self.chess960))

    def show_evaluation(self) -> None:
        """`eval`."""
        if self._has_position():
            self.console.say(evaluation_text(self._board.position, self.searcher))

    def flip(self) -> None:
        """`flip`: the same position with the colours exchanged."""
        self.searches.thread.finish()
        if self._has_position():
            board = self._board.position.to_board(chess960=True).mirror()
            self._board.set_up(Position.from_board(board))

    def _has_position(self) -> bool:
        """Could the last position be read? Says so if not."""
        if not self.readable:
            self.console.inform(f"error: {NO_POSITION}")
        return self.readable

    def count(self, command: Count) -> None:
        """Carry out `perft` or `bench`."""
        self.searches.thread.finish()
        if command.kind == "bench":
            self.counts.bench(command.depth, self.searcher.parameters)
        elif self._has_position():
            self.counts.perft(self._board.position, command.depth, self.chess960)
