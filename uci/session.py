"""What a UCI conversation works on: the options, the game on the board, and the search in its
thread.

While a search runs, `isready`, `stop`, `ponderhit`, `d` and `eval` act at once. Every other command
first ends it, waits for its bestmove, and is then carried out. So there is exactly one bestmove for
each `go`.
"""

import random
from collections.abc import Callable
from pathlib import Path

from zobra.engine.fen import write_fen
from zobra.engine.move import move_text
from zobra.engine.network_file import read_network
from zobra.engine.perft import MAX_DEPTH, PerftStopped, divide
from zobra.engine.position import Position
from zobra.search.bench import MEGABYTES, run
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.uci.board_text import board_text, evaluation_text
from zobra.uci.commands import Command, Count, Go, SetOption, SetPosition, Simple
from zobra.uci.console import Console
from zobra.uci.followed_game import FollowedGame
from zobra.uci.go import NO_POSITION, GoHandler
from zobra.uci.options import OPTIONS, find


class Session:
    """Carries out commands. Its methods are called from one thread; a search runs in another.

    Perft and bench run in the calling thread. They end when `is_interrupted` becomes true; it is
    asked at least every second.
    """

    def __init__(
        self, console: Console, is_interrupted: Callable[[], bool] = lambda: False
    ) -> None:
        self.console: Console = console
        self.values = {option.name: option.default for option in OPTIONS}
        self.searcher: Searcher = Searcher(
            int(self.values["Hash"]), int(self.values["Move Overhead"])
        )
        self.searcher.seed = random.getrandbits(
            32
        )  # a weakened engine does not play the same game twice
        self.board = FollowedGame()
        self.searches: GoHandler = GoHandler(console, self.values, self.searcher, self.board)
        self._is_interrupted = is_interrupted
        self._bench_searcher: Searcher | None = None  # of the running bench

    def rehearse(self) -> None:
        """Search a little, so that the first real search has no first calls to pay for."""
        self.searcher.search(self.board.game, Limits(depth=1))
        self.searcher.clear()

    def obey(self, command: Command) -> None:  # noqa: C901
        """Carry out a command that needs the engine, but for `stop` and `ponderhit`."""
        if command not in (Simple("d"), Simple("eval")):
            self.searches.finish()
        position, chess960 = self.board.game.position, self.values["UCI_Chess960"] == "true"
        match command:
            case Go():
                self.searches.go(command)
            case SetOption():
                self._set_option(command)
            case SetPosition():
                try:
                    self.board.follow(command)
                except ValueError as error:
                    self.console.inform(f"error {error}")
                else:
                    for problem in command.problems:
                        self.console.inform(problem)
                    if (
                        self.console.debug
                    ):  # a FEN takes about as long as all else that this line needs
                        self.console.inform(f"position {write_fen(self.board.game.position)}")
            case Simple("ucinewgame"):
                self.searcher.clear()
            case Simple("d"):
                self.console.say(board_text(position, chess960))
            case Count("bench"):
                self._bench(command.depth)
            case _ if not self.board.readable:
                self.console.inform(f"error: {NO_POSITION}")
            case Simple("eval"):
                self.console.say(evaluation_text(position, self.searcher))
            case Simple("flip"):
                self.board.set_up(Position.from_board(position.to_board(chess960=True).mirror()))
            case Count("perft"):
                self._perft(position, command.depth, chess960)

    def _set_option(self, command: SetOption) -> None:
        """What cannot be done is reported, and leaves everything as it was."""
        try:
            option = find(command.name)
            value, objection = option.read(command.value)
            if objection:
                self.console.inform(objection)
            option.apply(self, value)
        except (ValueError, MemoryError) as error:
            self.console.inform(f"error: {error}")
        else:
            self.values[option.name] = value
            self.console.remark(f"option {option.name} is {value!r}")

    def use_threads(self, count: int) -> None:
        """Search with so many threads."""
        self.searcher.threads = count
        if remark := self.searcher.threads_remark:
            self.console.inform(remark)

    def use_network(self, path: str) -> None:
        """Evaluate by the network in this file, empty: by the built-in one.

        ValueError if it cannot be read.
        """
        self.searcher.use_network(read_network(Path(path)) if path else None)

    def _perft(self, position: Position, depth: int | None, chess960: bool) -> None:
        """Print the leaves below each move, and in all."""
        if depth is None or not 1 <= depth <= MAX_DEPTH:
            self.console.inform(f"error: perft takes a depth from 1 to {MAX_DEPTH}")
            return
        total = 0
        try:
            for move, leaves in divide(position, depth, self._is_interrupted):
                total += leaves
                self.console.say(f"{move_text(move, chess960)}: {leaves}")
        except PerftStopped:
            self.console.inform("perft stopped")
        else:
            self.console.say(f"\nNodes searched: {total}")

    def _bench(self, depth: int | None) -> None:
        """Search the bench positions with these parameters of the search; the last line is the
        signature of the engine.
        """
        self._bench_searcher = Searcher(MEGABYTES, parameters=self.searcher.parameters)
        if self._is_interrupted():
            self._bench_searcher.stop()
        for line in run(self._bench_searcher, depth):
            if self._is_interrupted():
                self.console.inform("bench stopped")
                break
            self.console.say(line)
        self._bench_searcher = None

    def interrupt(self) -> None:
        """End the search of a running bench, since `is_interrupted` has become true; may be called
        from any thread.
        """
        if (searcher := self._bench_searcher) is not None:
            searcher.stop()
