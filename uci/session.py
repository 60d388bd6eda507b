"""One conversation: the options, the game on the board, and the search in its thread.

Rule for commands that come while a search runs: `isready` and `stop` act at once; whatever would change what the search stands
on (`go`, `position`, `setoption`, `ucinewgame`, `bench`, …) first ends it, lets it print its bestmove, and is then carried out.
So there is exactly one bestmove for each go, and nothing ever waits for a search that does not end.
"""

from __future__ import annotations

import threading

from zobra.engine.fen import START, FenError, parse_fen, write_fen
from zobra.engine.game import Game
from zobra.engine.jit import cache
from zobra.engine.move import move_text
from zobra.engine.perft import MAX_DEPTH, divide
from zobra.engine.position import Position
from zobra.search.limits import Clock, Limits, Result
from zobra.search.searcher import Searcher
from zobra.uci import bench
from zobra.uci.board_text import board_text, evaluation_text
from zobra.uci.commands import Go, SetOption, SetPosition
from zobra.uci.options import OPTIONS, find
from zobra.uci.output import inform, say
from zobra.uci.report import info_text, result_text, score_text


class Session:
    """Everything between the lines of a conversation. Methods are called from one thread; the search runs in another."""

    def __init__(self) -> None:
        self.values = {option.name: option.default for option in OPTIONS}
        self.searcher = Searcher(int(self.values["Hash"]), int(self.values["Move Overhead"]))
        self.game: Game | None = Game(parse_fen(START))  # None after a position that could not be read
        self._described = SetPosition(None, ())
        self._thread: threading.Thread | None = None
        self._released = threading.Event()  # may the running search print its bestmove?
        for notice in cache.notices:
            inform(notice)

    @property
    def chess960(self) -> bool:
        """Is castling written as king takes rook?"""
        return self.values["UCI_Chess960"] == "true"

    def stop(self) -> None:
        """End the running search, if there is one; its bestmove comes from its own thread."""
        self.searcher.stop()
        self._released.set()

    def finish(self) -> None:
        """End the running search and wait until its bestmove has been printed."""
        if self._thread is not None:
            self.stop()
            self._thread.join()
            self._thread = None

    def new_game(self) -> None:
        """Forget what was learned of the last game."""
        self.finish()
        self.searcher.clear()

    def set_option(self, command: SetOption) -> None:
        """Carry out `setoption`; what cannot be done is told and leaves everything as it was."""
        self.finish()
        try:
            option = find(command.name)
            value, remark = option.read(command.value)
            if option.name == "Hash":
                self.searcher.resize(int(value))
        except (ValueError, MemoryError) as error:
            inform(f"error {error}")
            return
        if remark:
            inform(remark)
        if option.name == "Clear Hash":
            self.searcher.clear()
        elif option.name == "Move Overhead":
            self.searcher.move_overhead = int(value)
        self.values[option.name] = value

    def set_position(self, command: SetPosition) -> None:
        """Carry out `position`. If it cannot be read, `go` answers (none) until a good one comes."""
        self.finish()
        known = len(self._described.moves)
        extends = command.fen == self._described.fen and command.moves[:known] == self._described.moves
        if self.game is None or not extends:
            known = 0
            try:
                self.game = Game(parse_fen(START if command.fen is None else command.fen))
            except FenError as error:
                self.game = None
                inform(f"error in fen: {error}")
                return
        self._described = command
        for number, text in enumerate(command.moves[known:], known + 1):
            try:
                self.game.push(self.game.position.parse_move(text))
            except ValueError as error:
                inform(f"error in move {number}: {error} ({write_fen(self.game.position)})")
                self.game = None
                return

    def go(self, command: Go) -> None:
        """Start a search; it prints exactly one bestmove."""
        self.finish()
        self._released.clear()
        self.searcher.arm()
        waits = command.infinite or command.ponder
        if not waits:
            self._released.set()
        game, limits = self.game, self._limits(command)
        self._thread = threading.Thread(target=self._think, args=(game, limits), daemon=True, name="search")
        self._thread.start()

    def _limits(self, command: Go) -> Limits:
        numbers = command.numbers
        clock = None
        if not (command.infinite or command.ponder) and ("wtime" in numbers or "btime" in numbers):
            clock = Clock(
                numbers.get("wtime", numbers.get("btime")),
                numbers.get("btime", numbers.get("wtime")),
                max(0, numbers.get("winc", 0)),
                max(0, numbers.get("binc", 0)),
                numbers["movestogo"] if numbers.get("movestogo", 0) > 0 else None,
            )
        at_least_one = {name: max(1, numbers[name]) for name in ("depth", "nodes", "movetime", "mate") if name in numbers}
        endless = command.infinite or command.ponder
        return Limits(
            depth=at_least_one.get("depth"),
            nodes=at_least_one.get("nodes"),
            movetime=at_least_one.get("movetime"),
            mate=at_least_one.get("mate"),
            clock=clock,
            infinite=endless,
            searchmoves=self._search_moves(command.searchmoves),
        )

    def _search_moves(self, texts: tuple[str, ...]) -> tuple[int, ...]:
        moves = []
        for text in texts if self.game is not None else ():
            try:
                moves.append(self.game.position.parse_move(text))
            except ValueError as error:
                inform(f"searchmoves: {error}")
        return tuple(dict.fromkeys(moves))

    def _think(self, game: Game | None, limits: Limits) -> None:
        result = Result(0, 0)
        try:
            if game is None:
                inform("error: no valid position to search; send a new one")
            elif not game.position.legal_moves():
                mated = game.position.in_check
                say(f"info depth 0 score {'mate 0' if mated else score_text(0)}")
                inform("checkmate" if mated else "stalemate")
            else:
                result = Result(game.position.legal_moves()[0], 0)
                result = self.searcher.search(game, limits, lambda report: say(info_text(report, self.chess960)))
        except Exception as error:  # a fault must cost this search at most, not the game
            inform(f"error in search: {type(error).__name__}: {error}")
        if game is not None:
            self._released.wait()
        say(result_text(result, self.chess960))

    def position(self) -> Position:
        """The present position; the starting position where none could be read."""
        return self.game.position if self.game is not None else parse_fen(START)

    def show_board(self) -> None:
        """`d`."""
        say(board_text(self.position(), self.chess960))

    def show_evaluation(self) -> None:
        """`eval`."""
        say(evaluation_text(self.position(), self.searcher))

    def flip(self) -> None:
        """The same position with colours exchanged."""
        self.finish()
        board = self.position().to_board(chess960=True).mirror()
        self.game = Game(Position.from_board(board))
        self._described = SetPosition(write_fen(self.game.position), ())

    def count_leaves(self, depth: int) -> None:
        """`go perft`: leaves below each move, and in all."""
        self.finish()
        if not 1 <= depth <= MAX_DEPTH:
            inform(f"error: perft takes a depth from 1 to {MAX_DEPTH}, not {depth}")
            return
        total = 0
        for move, leaves in divide(self.position(), depth):
            total += leaves
            say(f"{move_text(move, self.chess960)}: {leaves}")
        say(f"\nNodes searched: {total}")

    def bench(self, depth: int | None) -> None:
        """Search the bench positions; the last line is the signature of the engine."""
        self.finish()
        bench.run(depth, say)
