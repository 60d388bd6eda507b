"""The engine, as every interface uses it: the UCI conversation, the command line and `zobra.api`.

It knows no protocol and prints nothing. Searching, counting, loading and compiling happen on one
thread of its own (see jobs). Nothing heavy is imported before that thread loads the rest of the
engine, so a conversation can begin at once.
"""

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from zobra.search.bench_conditions import Conditions
from zobra.search.jobs import Job, JobThread, LongJob, Question
from zobra.search.limits import Limits, Result
from zobra.search.listener import Listener
from zobra.search.options import OPTIONS, PARAMETER_OPTIONS, Option, Value, find

if TYPE_CHECKING:
    from zobra.engine.position import Game, Position
    from zobra.search.player import Player

NO_POSITION = "there is no position, since the last one could not be read"


class EngineError(RuntimeError):
    """A request that cannot be fulfilled; the message says why."""


class Engine:
    """Options, a game, and one search at a time.

    The methods return at once. What they ask for happens on the engine's thread, in order:
    `Job.wait` waits for it, and raises the exception that it raised. `on_message` also gets each
    error, worded for the user. `set_option`, `set_position`, `set_game`, `new_game`, `flip`, `go`,
    `perft` and `bench` first stop a running search, and wait for a running perft or bench.
    """

    def __init__(self, on_message: Callable[[str], None] = lambda text: None) -> None:
        self.options: dict[str, Any] = {
            option.name: option.default for option in (*OPTIONS, *PARAMETER_OPTIONS)
        }
        self.failure: EngineError | None = None  # why the engine could not be loaded
        self._on_message = on_message
        self._player: Player | None = None
        self._is_compiling = False
        self._load_job: Job | None = None
        self._jobs = JobThread()
        weakref.finalize(self, self._jobs.close)

    # What the caller's thread does

    def load(self) -> Job:
        """Import and link the engine; compile it first if necessary. Other methods do so too."""
        if self._load_job is None:
            self._load_job = Job(self._load, on_error=self._report_error)
            self._jobs.submit(self._load_job)
        return self._load_job

    def set_option(self, name: str, value: Value = None) -> Job:
        """Set an option, or press a button. Raise ValueError for a bad name or value."""
        option = find(name)
        option.check(value)
        return self._submit(self._set_option, option, value)

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> Job:
        """Set up a FEN (None: the start position), and play moves in UCI notation."""
        return self._submit(self._set_position, fen, moves)

    def set_game(self, game: "Game") -> Job:
        """Set up the current position of a game, with the positions that count for repetition."""
        return self._submit(self._set_game, game)

    def new_game(self) -> Job:
        """Clear the hash table and all histories, because a new game begins."""
        return self._submit(lambda: self._loaded().clear())

    def flip(self) -> Job:
        """Exchange the colours of the position."""
        return self._submit(lambda: self._with_position().flip())

    def go(self, limits: Limits, listener: Listener, searchmoves: Sequence[str] = ()) -> LongJob:
        """Search; if there are `searchmoves`, only the legal ones among them.

        The listener gets exactly one result.
        """
        return self._submit_long(self._go, limits, listener, searchmoves, is_search=True)

    def perft(
        self,
        depth: int,
        on_move: Callable[[int, int], None],
        on_total: Callable[[int], None],
    ) -> Job:
        """Count the leaves at `depth` plies: first those below each move, then all."""
        return self._submit_long(self._perft, depth, on_move, on_total)

    def bench(self, conditions: Conditions, on_line: Callable[[str], None]) -> Job:
        """Search fixed positions with the current parameters and network.

        The last line is the signature, if the conditions are the default ones.
        """
        return self._submit_long(self._bench, conditions, on_line)

    def stop(self) -> None:
        """Stop every search, perft and bench that is running or waiting."""
        self._jobs.stop()

    def ponderhit(self) -> None:
        """Start the clock of a pondering search, because the expected move was played."""
        self._jobs.ponderhit()

    def when_ready(self, call: Callable[[], None]) -> None:
        """Call a function once all earlier requests have taken effect.

        A search, perft or bench takes effect when it begins: the call does not wait for its end.
        """
        self.load()
        self._jobs.ask(Question(call, on_error=self._report_error))

    def wait(self) -> None:
        """Wait until all requests have been carried out."""
        self._jobs.wait()

    def close(self) -> None:
        """Stop searches, wait for all other jobs, and end the engine's threads.

        A compilation is waited for only if a perft or bench needs it.
        """
        self._jobs.stop_searches()
        self._jobs.wait(self._can_abandon_loading)
        self._jobs.close()
        self._player = None  # with the transposition table and all other threads

    # What has been loaded, for questions (see when_ready)

    @property
    def position(self) -> "Position":
        """The last position that could be read."""
        return self._loaded().game.position

    @property
    def has_position(self) -> bool:
        """Return True if the last position could be read."""
        return self._loaded().followed.readable

    def evaluate(self, position: "Position") -> int:
        """Return the static evaluation in internal units for the side to move."""
        return self._loaded().searcher.evaluate(position)

    # What the engine's thread does

    def _submit(self, call: Callable[..., None], *arguments: Any) -> Job:
        self.load()
        job = Job(call, *arguments, on_error=self._report_error)
        self._jobs.submit(job)
        return job

    def _submit_long(
        self, call: Callable[..., None], *arguments: Any, is_search: bool = False
    ) -> LongJob:
        self.load()
        job = LongJob(call, *arguments, on_error=self._report_error, is_search=is_search)
        self._jobs.submit(job)
        return job

    def _report_error(self, error: BaseException) -> None:
        is_plain = isinstance(error, EngineError | ValueError | MemoryError)
        text = str(error) if is_plain else f"{type(error).__name__}: {error}"
        self._on_message(f"error: {text}")

    def _can_abandon_loading(self) -> bool:
        """Return True if `close` need not wait for the engine to be loaded."""
        if self._is_compiling:
            return not self._jobs.has_counts()
        is_loading = self._player is None and self.failure is None
        return is_loading and not self._jobs.has_waiting()

    def _loaded(self) -> "Player":
        """Return the player. Raise EngineError if it could not be loaded."""
        if self._player is None:
            raise self.failure or EngineError("the engine is not loaded")
        return self._player

    def _with_position(self) -> "Player":
        """Return the player. Raise EngineError if the last position could not be read."""
        player = self._loaded()
        if not player.followed.readable:
            raise EngineError(NO_POSITION)
        return player

    def _load(self) -> None:
        try:
            from zobra.engine import kernels
            from zobra.search.player import Player  # and with it every module with kernels

            if missing := kernels.missing():
                self._is_compiling = True
                self._on_message(
                    f"compiling the engine ({len(missing)} kernels), which takes some 15 to "
                    "30 seconds"
                )
                kernels.compile_missing(
                    lambda number, total, _: self._on_message(
                        f"compiled {number} of {total} kernels"
                    )
                )
                self._is_compiling = False
            player = Player(self.options, self._on_message)
            for notice in kernels.notices:
                self._on_message(notice)
            player.warm_up()
            self._player = player
        except BaseException as error:
            self.failure = EngineError(
                f"the engine could not be loaded: {type(error).__name__}: {error}"
            )
            raise self.failure from error
        finally:
            self._is_compiling = False

    def _set_option(self, option: Option, value: Value) -> None:
        player = self._loaded()
        if option in PARAMETER_OPTIONS:
            player.searcher.set_parameter(option.name, int(value or 0))
        elif option.setter is not None:
            setter = getattr(player, option.setter)
            if option.default is None:
                setter()
            else:
                setter(value)
        self.options[option.name] = value

    def _set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        player = self._loaded()
        try:
            player.followed.follow(fen, moves)
        except ValueError as error:
            self._on_message(f"error {error}")
            return
        for notice in player.followed.notices:
            self._on_message(notice)

    def _set_game(self, game: "Game") -> None:
        self._loaded().followed.set_up(game)

    def _go(
        self, job: LongJob, limits: Limits, listener: Listener, searchmoves: Sequence[str]
    ) -> None:
        """Search. A fault costs at most this search, not the game."""
        result = Result(0, 0)
        player = self._player
        try:
            choices = self._choices(limits, listener, searchmoves)
            if choices:
                limits = limits._replace(searchmoves=choices)
                result = Result(choices[0], 0)
                result = self._loaded().find_move(job, limits, choices, listener)
        except EngineError as error:
            self._report_error(error)
        except Exception as error:
            self._on_message(f"error in search: {type(error).__name__}: {error}")

        try:
            if limits.infinite:
                job.wait_until_stopped()
            elif limits.ponder:
                job.wait_until_released()
            if player is not None and result.best:
                player.wait_natural_time(job)
                if limits.ponder:
                    player.repeat_lines()
        finally:
            listener.on_result(result)

    def _choices(
        self, limits: Limits, listener: Listener, searchmoves: Sequence[str]
    ) -> tuple[int, ...]:
        """Return the moves to choose among, or none if the game is over."""
        player = self._with_position()
        legal = tuple(player.game.position.legal_moves())
        if not legal:
            listener.on_no_moves(player.game.position.in_check)
            return ()
        if searchmoves:
            return player.legal_moves(searchmoves)
        return legal if limits.searchmoves is None else limits.searchmoves

    def _perft(
        self,
        job: LongJob,
        depth: int,
        on_move: Callable[[int, int], None],
        on_total: Callable[[int], None],
    ) -> None:
        total = self._with_position().perft(job, depth, on_move)
        if total is None:
            self._on_message("perft stopped")
        else:
            on_total(total)

    def _bench(self, job: LongJob, conditions: Conditions, on_line: Callable[[str], None]) -> None:
        if not self._loaded().bench(job, conditions, on_line):
            self._on_message("bench stopped")
