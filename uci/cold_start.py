"""The conversation before the engine is there: options and position are remembered, and a simple player moves.

When the kernels are compiled, the session takes over all that was said. A search that no time limits goes over to it at once,
since the simple player would be long about it; another one is ended by who began it.
"""

from __future__ import annotations

from collections.abc import Callable

import chess

from zobra.engine.fen import read_board
from zobra.uci.commands import Go, SetOption, SetPosition
from zobra.uci.options import OPTIONS, find
from zobra.uci.output import inform, log
from zobra.uci.session import LAST_WORD, NO_POSITION, Session
from zobra.uci.simple_search import SimpleSearch, parse_move


class ColdStart:
    """What a session offers, as far as it goes without kernels. `reason` says in words why there is no session."""

    def __init__(self, reason: Callable[[], str]) -> None:
        self.counting_since: float | None = None  # nothing is counted in here
        self._reason = reason
        self._values = {option.name: option.default for option in OPTIONS}
        self._options: list[SetOption] = []
        self._position = SetPosition(None, ())
        self._board, self._readable = chess.Board(chess960=True), True
        self._search: SimpleSearch | None = None

    def set_option(self, command: SetOption) -> None:
        """Remember an option for the session; what is wrong with it is told now."""
        self.finish()
        try:
            option = find(command.name)
            value, remark = option.read(command.value)
        except ValueError as error:
            inform(f"error: {error}")
            return
        if remark:
            inform(remark)
        self._values[option.name] = value
        if option.name == "Debug Log File":  # which is to tell of the start, too
            for trouble in log.open(value):
                inform(trouble)
        else:
            self._options.append(SetOption(option.name, value))

    def set_position(self, command: SetPosition) -> None:
        """Set up a position; after one that cannot be read `go` answers (none)."""
        self.finish()
        self._position, self._readable = command, False
        try:
            self._board, self._readable = _followed(command), True
        except ValueError as error:
            inform(f"error {error}")
        for trouble in command.troubles():
            inform(trouble)

    def new_game(self) -> None:
        """Nothing was learned that could be forgotten."""
        self.finish()

    def go(self, command: Go) -> None:
        """Start a search by the simple player; it prints exactly one bestmove, unless the session takes it over."""
        self.finish()
        inform(f"{self._reason()}; a simple player moves")
        for trouble in command.troubles():
            inform(trouble)
        if not self._readable:
            inform(f"error: {NO_POSITION}")
        board = self._board if self._readable else None
        self._search = SimpleSearch(command, board, int(self._values["Move Overhead"]), self._values["UCI_Chess960"] == "true")

    def stop(self) -> None:
        """End the search."""
        if self._search is not None:
            self._search.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played."""
        if self._search is not None:
            self._search.ponderhit()

    def finish(self) -> None:
        """End the search, and wait for its move."""
        self.stop()
        self.complete()

    def complete(self) -> None:
        """Wait until the search ends by itself."""
        if self._search is not None:
            self._search.thread.join()

    def leave(self) -> None:
        """The conversation is over: a search still prints its bestmove."""
        self.stop()
        if self._search is not None:
            self._search.thread.join(LAST_WORD)

    def is_bound(self) -> bool:
        """Does a search run that has to be ended here?"""
        return self._search is not None and self._search.is_bound()

    def hand_over(self, session: Session) -> None:
        """End the search, or let the session go on with it, and tell that all that was said."""
        begun = self._search.give_up() if self._search is not None else None
        self.finish()
        for option in self._options:
            try:
                session.set_option(option)
            except Exception as error:  # an option must not cost those after it, nor the position
                inform(f"error: option {option.name}: {type(error).__name__}: {error}")
        session.set_position(self._position)
        if begun is not None:
            inform("the kernels are compiled: the engine itself goes on with this search")
            session.go(begun)


def _followed(command: SetPosition) -> chess.Board:
    """The board of a `position` line; ValueError says what is wrong with that."""
    board = chess.Board(chess960=True)
    if command.fen is not None:
        try:
            board = read_board(command.fen)
        except ValueError as error:
            raise ValueError(f"in fen: {error}") from None
    for number, text in enumerate(command.moves, 1):
        try:
            board.push(parse_move(board, text))
        except ValueError as error:
            raise ValueError(f"in move {number}: {error} ({board.fen()})") from None
    return board
