"""An engine in this process, with the methods of python-chess' `SimpleEngine`."""

import logging
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import NamedTuple, overload

import chess
import chess.engine
from chess.engine import (
    INFO_ALL,
    INFO_NONE,
    ConfigMapping,
    EngineTerminatedError,
    Info,
    InfoDict,
    Limit,
    Opponent,
    PlayResult,
)

from zobra.api.analysis import Analysis, InfoStream, Search, select
from zobra.api.board import game_of
from zobra.api.limits import check_limited, limit_after, read_limits
from zobra.api.options import option_map, read_options
from zobra.engine.position import Game
from zobra.engine.version import full_version
from zobra.search import engine as search_engine
from zobra.search.limits import Limits
from zobra.search.options import Value

LOGGER = logging.getLogger(__name__)
NO_OPTIONS: ConfigMapping = {}
SET_BY_SEARCHES = ("UCI_AnalyseMode", "UCI_Chess960", "Ponder", "MultiPV")


class EngineError(chess.engine.EngineError, ValueError):
    """A request that cannot be fulfilled; the message says why.

    It is a subclass of python-chess' EngineError and of ValueError.
    """


class Ponder(NamedTuple):
    """A search on the opponent's time, and the position that it expects to be played."""

    board: chess.Board
    search: Search


class Engine:
    """Zobra, with a transposition table of `hash` MiB and `threads` threads.

    The methods are those of python-chess' `SimpleEngine`, whose documentation has the details. They
    may be called from several threads. An engine runs one search at a time: every command ends the
    running one. What a search learns is kept for the next one, until another `game` begins or
    `new_game` is called. The end of a `with` block or garbage collection closes the engine.

    `returncode` is a future, which `close` sets to 0.
    """

    def __init__(self, *, hash: int = 32, threads: int = 1) -> None:
        if hash < 1 or threads < 1:
            raise EngineError(f"hash and threads are at least 1, not {hash} and {threads}")
        self.returncode: Future[int] = Future()
        self._lock = threading.RLock()  # held while a command begins, not while it runs
        self._engine = search_engine.Engine(on_message=_log)
        weakref.finalize(self, self._engine.stop)
        self._configured: dict[str, Value] = {}  # by the user, for all searches
        self._game: object = None
        self._has_searched = False
        self._newest: Search | None = None  # if no other command has followed it
        self._ponder: Ponder | None = None
        with self._command():
            self._engine.load().wait()  # before the clock of the first search runs
        for name, value in self._engine.options.items():
            if value is not None and name not in SET_BY_SEARCHES:
                self._configured[name] = value
        self.configure({"Hash": hash, "Threads": threads})

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def options(self) -> MutableMapping[str, chess.engine.Option]:
        """The options of the engine; names are case-insensitive (docs/options.md)."""
        return option_map()

    @property
    def id(self) -> Mapping[str, str]:
        """The name and the author of the engine."""
        return {"name": f"Zobra {full_version()}", "author": "the Zobra developers"}

    def ping(self) -> None:
        """Wait until all earlier commands have taken effect."""
        with self._command():
            self._engine.wait()

    def configure(self, options: ConfigMapping) -> None:
        """Set options by name for all later searches; None presses a button.

        Raise EngineError or MemoryError for an option that cannot be set; it keeps its value.
        """
        with self._command():
            for name, value in read_options(options).items():
                self._engine.set_option(name, value).wait()
                if value is not None:
                    self._configured[name] = value

    def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Tell the engine who its opponent is; `engine_rating` is ignored."""
        self.configure(_opponent_options(opponent))

    def send_game_result(
        self,
        board: chess.Board,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None:
        """Do nothing: the engine does not learn from results."""
        with self._command():
            pass

    def new_game(self) -> None:
        """Clear the hash table and all histories, because a new game begins."""
        with self._command():
            self._engine.new_game().wait()

    def stop(self) -> None:
        """Stop the running search, from another thread; its call returns the best move so far."""
        with self._lock:
            self._ponder = None
            self._engine.stop()

    def quit(self) -> None:
        """Close the engine. Raise EngineTerminatedError if it is already closed."""
        with self._command():
            self.close()

    def close(self) -> None:
        """Stop the running search, and end the engine's threads."""
        with self._lock:
            if self.returncode.done():
                return
            self._newest = None
            self._ponder = None
            self._engine.close()
            self.returncode.set_result(0)

    def play(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
        opponent: Opponent | None = None,
    ) -> PlayResult:
        """Search a board for the move to play, which is None if the game is over.

        The book and limited strength are used if options ask for them. With `ponder` the engine
        goes on searching on the expected reply, until the next command. Draw offers are ignored.
        Raise EngineError for an invalid board, limit or option.
        """
        begin = time.monotonic()
        options = {**options, **_opponent_options(opponent)}
        with self._lock:
            search = self._ponderhit(board, game, options) if ponder else None
            if search is None:
                with self._command():
                    check_limited(limit)
                    played = game_of(board)
                    limits = read_limits(limit, _root_moves(played, root_moves))
                    managed = {"Ponder": ponder, "MultiPV": 1}
                    self._set_up(options, game, board.chess960, managed, analyse=False)
                    search = self._go(board, played, limits, INFO_ALL)

        with Analysis(self, search) as analysis:
            best = analysis.wait()
        if ponder and best.move and best.ponder:
            expected = board.copy()
            expected.push(best.move)
            expected.push(best.ponder)
            limit = limit_after(limit, expected.turn, time.monotonic() - begin)
            self._begin_ponder(search, expected, limit)
        return PlayResult(best.move, best.ponder, select(analysis.info, info))

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> InfoDict: ...

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> list[InfoDict]: ...

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> InfoDict | list[InfoDict]: ...

    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> InfoDict | list[InfoDict]:
        """Search a board, and return one info, or with `multipv` a list of infos, best line first.

        Neither the book nor limited strength is used. Raise EngineError for an invalid board, limit
        or option.
        """
        with _engine_errors():
            check_limited(limit)
        with self.analysis(
            board,
            limit,
            multipv=multipv,
            game=game,
            info=info,
            root_moves=root_moves,
            options=options,
        ) as analysis:
            analysis.wait()
        return analysis.info if multipv is None else analysis.multipv

    def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: ConfigMapping = NO_OPTIONS,
    ) -> Analysis:
        """Start a search of a board, and return while it runs.

        Without a limit it runs until it is stopped or the next command comes. Raise EngineError for
        an invalid board, limit or option.
        """
        with self._command():
            played = game_of(board)
            limits = read_limits(limit, _root_moves(played, root_moves))
            managed = {"Ponder": False, "MultiPV": 1 if multipv is None else multipv}
            self._set_up(options, game, board.chess960, managed, analyse=True)
            return Analysis(self, self._go(board, played, limits, info))

    @contextmanager
    def _command(self) -> Iterator[None]:
        """Begin a command: end the running search, and let no other command begin meanwhile.

        Raise EngineTerminatedError if the engine is closed, and EngineError for other errors.
        """
        with self._lock:
            if self.returncode.done():
                raise EngineTerminatedError("the engine is closed")
            self._newest = None
            self._ponder = None
            self._engine.stop()
            with _engine_errors():
                yield

    def _set_up(
        self,
        options: ConfigMapping,
        game: object,
        chess960: bool,
        managed: Mapping[str, Value],
        analyse: bool,
    ) -> None:
        """Set the options of a search, restore those of an earlier one, and begin a new game."""
        opponent = self._engine.options["UCI_Opponent"]
        values = {"UCI_AnalyseMode": analyse, **self._configured, **read_options(options)}
        values |= {"UCI_Chess960": chess960, **managed}
        for name in self._changed(values):
            self._engine.set_option(name, values[name]).wait()
        is_other = game != self._game or opponent != self._engine.options["UCI_Opponent"]
        if is_other and self._has_searched:
            self._engine.new_game().wait()
        self._game = game
        self._has_searched = True

    def _changed(self, values: Mapping[str, Value]) -> list[str]:
        """Return the names of the options whose values would change, and of all buttons."""
        present = self._engine.options
        return [name for name, value in values.items() if value is None or value != present[name]]

    def _go(self, board: chess.Board, game: Game, limits: Limits, info: Info) -> Search:
        self._engine.set_game(game)
        stream = InfoStream(board, game.position, info)
        self._newest = Search(self._engine.go(limits, stream), stream)
        return self._newest

    def _begin_ponder(self, played: Search, expected: chess.Board, limit: Limit) -> None:
        """Search the expected position, unless another command has begun."""
        with self._lock:
            if self._newest is played:
                limits = read_limits(limit, None)._replace(ponder=True)
                search = self._go(expected, game_of(expected), limits, INFO_ALL)
                self._ponder = Ponder(expected, search)

    def _ponderhit(self, board: chess.Board, game: object, options: ConfigMapping) -> Search | None:
        """Return the search on the opponent's time if it expects this board, and let its clock run.

        Return None if an option would change, or in another game.
        """
        if self._ponder is None or game != self._game:
            return None
        expected, search = self._ponder
        if expected != board or expected.move_stack != board.move_stack:
            return None
        with _engine_errors():
            values = {**self._configured, **read_options(options)}
        if self._changed(values):
            return None
        self._ponder = None
        self._engine.ponderhit()
        return search


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Raise the fault of a request as EngineError."""
    try:
        yield
    except (ValueError, search_engine.EngineError) as error:
        raise EngineError(str(error)) from None


def _root_moves(game: Game, moves: Iterable[chess.Move] | None) -> tuple[int, ...] | None:
    if moves is None:
        return None
    return tuple(game.position.parse_move(move.uci()) for move in moves)


def _opponent_options(opponent: Opponent | None) -> ConfigMapping:
    """Return the option that describes an opponent, in the form of UCI."""
    if opponent is None or not opponent.name:
        return NO_OPTIONS
    title = opponent.title or "none"
    rating = opponent.rating or "none"
    kind = "computer" if opponent.is_engine else "human"
    return {"UCI_Opponent": f"{title} {rating} {kind} {opponent.name}"}


def _log(message: str) -> None:
    """Log a message of the engine."""
    is_hidden = message.startswith("error in search")  # other errors are raised
    LOGGER.log(logging.ERROR if is_hidden else logging.INFO, message)
