"""A session: one game after another between a person and an engine.

All of it runs in one event loop. A command takes effect at once and returns; what the engine does
afterwards is a task in the background. `on_change` is called after each change.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import chess
import chess.engine

from zobra.arena.formats.files import write_safely
from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.text import printable
from zobra.arena.model.engines import EngineSpec
from zobra.arena.play.analysis import GameAnalysis, OwnFiles
from zobra.arena.play.game import RESIGNATION, TIME, Game
from zobra.arena.play.new_game import DEFAULT_ELO, NewGame
from zobra.arena.play.opponent import Opponent, adviser
from zobra.arena.runner.analysis import EngineLine
from zobra.arena.runner.player import EngineFailure

HINT_SECONDS = 1.0
ADVICE_SECONDS = 10.0  # of search for the lines of a position

_MAX_FAILURES = 3  # of the engine in one position
_EQUAL = 10  # centipawns up to which the engine takes a draw in the late game
_WORSE = -150  # centipawns at which it takes a draw at any time
_FIRST_DRAW = 20  # move from which equal games are drawn

_FAILURES = {
    "stall": "does not answer",
    "time": "does not answer in time",
    "disconnect": "has died",
    "illegal move": "made an illegal move",
}


class Session:
    """The current game, its engine, and what the person has asked for."""

    def __init__(
        self, spec: EngineSpec, folder: Path, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.folder = folder
        self.on_change = on_change
        self.opponent = Opponent(spec, self._on_engine_end)
        self.adviser = adviser(spec)
        self.wishes = NewGame()
        self.game = Game(chess.Board(), chess.WHITE, self.wishes.control(), spec.name)
        self.number = 0  # of the game in this session
        self.thinking = False
        self.problem = ""  # of the engine or the disk
        self.is_broken = False  # the engine failed, and is not tried again unless asked
        self.notice = ""  # the answer to a request of the person
        self.hint: chess.Move | None = None
        self.evaluates = False
        self.advice: list[EngineLine] = []
        self.advised_ply = -1  # the position that the advice is for
        self.turn_began = time.monotonic()
        self.file: Path | None = None
        self.analyses: list[GameAnalysis] = []

        self._engine_is_free = asyncio.Lock()
        self._job: asyncio.Task[None] | None = None
        self._adviser_is_free = asyncio.Lock()
        self._advising: asyncio.Task[None] | None = None
        self._own_files = OwnFiles()
        self._advice_began = 0.0
        self._hint_wanted = False
        self._flag: asyncio.TimerHandle | None = None
        self._offered_at = -1
        self._failure = ""  # of the engine, a sentence; empty once it is running again

    async def start(self, wishes: NewGame, *, adapt_level: bool = True) -> None:
        """Start the engine and the first game. Raise EngineFailure or ValueError.

        With `adapt_level`, the default level is changed to one that the engine has.
        """
        wishes.control()
        wishes.start()
        await self.opponent.start()
        self.new_game(self._possible(wishes) if adapt_level else wishes)

    def _possible(self, wishes: NewGame) -> NewGame:
        """Return the settings with the default level changed to one that the engine has."""
        levels = self.opponent.levels()
        if wishes.elo != DEFAULT_ELO:
            return wishes
        if levels is None:
            return replace(wishes, elo=None)
        low, high = levels
        return replace(wishes, elo=min(max(wishes.elo, low), high))

    async def close(self) -> None:
        """Save the game, and quit all engines."""
        self._cancel_flag()
        self._save()
        tasks = [task for task in (self._job, self._advising) if task is not None]
        tasks += [analysis.stop() for analysis in self.analyses]
        for task in tasks:
            task.cancel()
        await asyncio.gather(self.opponent.quit(), self.adviser.quit())
        await asyncio.gather(*tasks, return_exceptions=True)

    # Commands of the person. Each raises ValueError if it cannot be done now.

    def new_game(self, wishes: NewGame) -> None:
        """Save the current game, and begin another one."""
        self.check(wishes)
        self._save()
        self.wishes = wishes
        self.advice = []
        self.number += 1
        self.file = None
        self._offered_at = -1
        name = self._opponent_name(wishes)
        self.game = Game(wishes.start(), wishes.human(), wishes.control(), name, wishes.elo)
        self._go_on()

    def check(self, wishes: NewGame) -> None:
        """Raise ValueError if there cannot be a game with these settings."""
        wishes.control()
        self.opponent.check_able(wishes.start())
        self._check_level(wishes.elo)

    def move(self, text: str) -> None:
        """Play a move, in SAN or UCI."""
        if self.game.ending is not None:
            raise ValueError(f"the game is over: {self.game.ending_text}")
        if not self.game.human_to_move:
            if self.is_broken:
                raise ValueError(f"the game is paused, because {self.opponent.name} has failed")
            raise ValueError(f"it is not your turn: {self.game.opponent} is thinking")
        move = self.game.read_move(text)
        self.game.play(move, self.spent_ms())
        self._go_on()

    def take_back(self) -> None:
        """Take the person's last move back. A game that was over goes on in another file."""
        was_over = self.game.ending is not None
        self.game.take_back()
        self.advice = []
        self._offered_at = -1
        if was_over:
            self.file = None
        self._go_on()
        if was_over:
            clocks = ", with the clocks as they were then" if self.game.has_clock else ""
            self.notice = f"the game goes on from before your last move{clocks}"
            self._changed()

    def resign(self) -> None:
        """Resign the game for the person."""
        self._check_going_on()
        self.game.lose(self.game.human, RESIGNATION)
        self._go_on()

    def offer_draw(self) -> None:
        """Offer a draw, which the engine accepts or declines by its last score."""
        self._check_going_on()
        if not self.game.human_to_move:
            raise ValueError("you can offer a draw only when it is your turn")
        if self._offered_at == len(self.game.moves):
            raise ValueError("you have already offered a draw in this position")
        self._offered_at = len(self.game.moves)
        if self._takes_draw():
            self.game.agree_to_draw()
            self._go_on()
        else:
            self.notice = f"{self.game.opponent} declines the draw"
            self._changed()

    def ask_for_hint(self) -> None:
        """Ask for the best move, which comes a moment later."""
        if not self.game.human_to_move:
            raise ValueError("you can ask for a hint only when it is your turn")
        self.notice = ""
        self._hint_wanted = True
        waited = time.monotonic() - self._advice_began
        has_lines = bool(self.advice) and self.advised_ply == len(self.game.moves)
        if has_lines and (waited >= HINT_SECONDS or not self._is_advising()):
            self._give_hint()
        elif not self._is_advising():
            self._advise(HINT_SECONDS)
        self._changed()

    def evaluate(self, wanted: bool) -> None:
        """Show or hide the evaluation and the lines."""
        self.evaluates = wanted
        if wanted:
            if self.game.human_to_move:
                self._advise(ADVICE_SECONDS)
        elif not self._hint_wanted:
            self._stop_advice()
        self._changed()

    def retry(self) -> None:
        """Start the engine again after it has failed."""
        if self.is_broken:
            self._go_on()

    def analyse(self) -> GameAnalysis:
        """Return the analysis of the game as it is now, and start it if necessary.

        An earlier one is stopped, and one that has failed is started again.
        """
        if not self.game.moves:
            raise ValueError("the game has no moves yet")
        self._save()
        if self.file is None:
            raise ValueError(self.problem)

        game = self.game.to_pgn()
        if self.analyses:
            last = self.analyses[-1]
            if last.is_of(game, self.file) and not last.problem:
                return last
            last.stop()
        analysis = GameAnalysis(self.adviser.spec, game, self.file, self._own_files)
        self.analyses.append(analysis)
        analysis.begin()
        return analysis

    # What the page and the terminal show

    def spent_ms(self) -> float:
        """Return the milliseconds that the person has used for this move.

        The first move is free: a person looks at the page before the game begins.
        """
        if not self.game.can_take_back:
            return 0.0
        return (time.monotonic() - self.turn_began) * 1000

    @property
    def hint_san(self) -> str:
        """The hint in SAN, or an empty string if there is none."""
        return self.game.board.san(self.hint) if self.hint is not None else ""

    @property
    def waits_for_hint(self) -> bool:
        """Whether a hint has been asked for and has not come yet."""
        return self._hint_wanted

    # The engine

    def _go_on(self) -> None:
        """Do what the position of the game requires, after each change."""
        self.notice = ""
        self.problem = ""
        self.is_broken = False
        self._failure = ""
        self.hint = None
        self._hint_wanted = False
        self._stop_advice()
        self._save()

        self.thinking = self.game.engine_to_move
        self._begin(self._answer if self.thinking else self._prepare)
        self._await_move()
        self._changed()

    def _await_move(self) -> None:
        """Start the person's time, and analyse the position if that was asked for."""
        self.turn_began = time.monotonic()
        self._set_flag()
        if self.evaluates and self.game.human_to_move:
            self._advise(ADVICE_SECONDS)

    def _begin(self, work: Callable[[], Awaitable[None]]) -> None:
        """Cancel what the engine is doing, and let it do this."""

        async def run() -> None:
            async with self._engine_is_free:
                await work()

        if self._job is not None:
            self._job.cancel()
        self._job = asyncio.create_task(run())
        self._job.add_done_callback(self._check)

    def _check(self, task: asyncio.Task[None]) -> None:
        """Show an unexpected error."""
        if not task.cancelled() and task.exception() is not None:
            self.thinking = False
            self.is_broken = True
            self.problem = f"error in Zobra: {task.exception()!r}"
            self._changed()

    async def _prepare(self) -> None:
        """Prepare the engine for its next turn, when most failures are reported."""
        try:
            await self._set_level()
        except EngineFailure as failure:
            if self._failure:  # the person has been told that the engine is being restarted
                self.problem = f"{self._failure} It could not be restarted ({failure})."
                self._failure = ""
                self._changed()

    async def _set_level(self) -> None:
        """Start the engine if necessary, and give it the level of the game. Raise EngineFailure."""
        await self.opponent.set_level(self.game.elo)
        if self._failure:
            self.problem = f"{self._failure} It has been restarted."
            self._failure = ""
            self._changed()

    async def _answer(self) -> None:
        """Let the engine move. If it fails, it is restarted a few times."""
        game = self.game
        for failures in range(1, _MAX_FAILURES + 1):
            try:
                await self._set_level()
                played = await self.opponent.think(game.board.copy(), game.clocks(), self.number)
            except EngineFailure as failure:
                if failure.reason == RESIGNATION or (failure.reason == TIME and game.has_clock):
                    game.lose(game.engine, failure.reason)
                    break
                await self.opponent.drop()
                self._report(failure, is_last=failures == _MAX_FAILURES)
            else:
                game.add(played)
                break
        self.thinking = False
        if not self.is_broken:
            self._save()
            self._await_move()
            self._changed()

    def _report(self, failure: EngineFailure, is_last: bool) -> None:
        """Tell the person that the engine, or its restart, has failed."""
        what = _FAILURES.get(failure.reason, failure.reason)
        end = "It is being restarted."
        if self._failure:
            what = "could not be restarted"
            end = "Trying again."
        if is_last:
            end = f"It failed {_MAX_FAILURES} times in this position."
        detail = f" ({failure.detail})" if failure.detail else ""
        self.is_broken = is_last
        self._failure = f"{self.opponent.name} {what}{detail}."
        self.problem = f"{self._failure} {end}"
        self._changed()

    def _on_engine_end(self) -> None:
        """Restart the engine, which has died between two requests."""
        self._failure = f"{self.opponent.name} has died."
        self.problem = f"{self._failure} It is being restarted."
        self._changed()
        if not self.thinking:  # otherwise its next move is about to restart it
            self._begin(self._prepare)

    # Advice

    def _is_advising(self) -> bool:
        return self._advising is not None and not self._advising.done()

    def _stop_advice(self) -> None:
        if self._advising is not None:
            self._advising.cancel()
            self._advising = None

    def _advise(self, seconds: float) -> None:
        """Begin to analyse the position of the game."""

        async def run() -> None:
            async with self._adviser_is_free:
                await self._follow_advice(seconds)

        self._stop_advice()
        self._advice_began = time.monotonic()
        self._advising = asyncio.create_task(run())
        self._advising.add_done_callback(self._check)

    async def _follow_advice(self, seconds: float) -> None:
        ply = len(self.game.moves)
        board = self.game.board.copy()
        self._advice_began = time.monotonic()
        try:
            async for lines in self.adviser.lines(board, seconds, self.number):
                if lines:
                    self.advice = lines
                    self.advised_ply = ply
                if self._hint_wanted and time.monotonic() - self._advice_began >= HINT_SECONDS:
                    self._give_hint()
                self._changed()
        except EngineFailure as failure:
            await self.adviser.drop()
            self.problem = f"the engine gives no advice: {failure}"
        if self._hint_wanted:
            self._give_hint()
        self._changed()

    def _give_hint(self) -> None:
        """Make the best known move the hint."""
        self._hint_wanted = False
        if self.advice and self.advised_ply == len(self.game.moves):
            self.hint = self.advice[0].moves[0]
        else:
            self.notice = "no hint was found"

    # Clock, disk, rules

    def _set_flag(self) -> None:
        """End the game by a loss when the person's time is up."""
        self._cancel_flag()
        left = self.game.clocks()[self.game.human].remaining_ms
        if left is None or not self.game.human_to_move or not self.game.can_take_back:
            return
        self._flag = asyncio.get_running_loop().call_later(left / 1000, self._fall)

    def _cancel_flag(self) -> None:
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None

    def _fall(self) -> None:
        if self.game.human_to_move:
            self.game.lose(self.game.human, TIME)
            self._go_on()

    def _save(self) -> None:
        """Write the game into a file of its own, if it has begun or is over."""
        is_untouched = not self.game.moves and self.game.ending is None
        if is_untouched and self.file is None:
            return
        try:
            if self.file is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                self.file = _free_name(self.folder, self.game.began)
            write_safely(self.file, write_game(self.game.to_pgn()) + "\n\n")
        except OSError as error:
            self.problem = f"the game cannot be saved: {error}"

    def _check_going_on(self) -> None:
        if self.game.ending is not None:
            raise ValueError(f"the game is over: {self.game.ending_text}")

    def _check_level(self, elo: int | None) -> None:
        levels = self.opponent.levels()
        if elo is None:
            return
        if levels is None:
            raise ValueError(f"{self.opponent.name} has no levels: it plays at full strength")
        low, high = levels
        if not low <= elo <= high:
            raise ValueError(f"level {elo}: {self.opponent.name} plays at {low} to {high}, or full")

    def _opponent_name(self, wishes: NewGame) -> str:
        name = printable(self.opponent.name, 60)
        return name if wishes.elo is None else f"{name} ({wishes.elo})"

    def _takes_draw(self) -> bool:
        """Whether the engine is content with a draw, by its last score from its own view."""
        if not self.game.moves or self.game.board.turn == self.game.engine:
            return False
        last = self.game.moves[-1]
        if last.mate is not None:
            return last.mate < 0
        if last.score is None:
            return False
        is_late = self.game.board.fullmove_number >= _FIRST_DRAW
        return last.score <= (_EQUAL if is_late else _WORSE)

    def _changed(self) -> None:
        self.on_change()


def _free_name(folder: Path, moment: datetime) -> Path:
    """Return a name for a game's file that no file has."""
    stem = f"game-{moment:%Y%m%d-%H%M%S}"
    path = folder / f"{stem}.pgn"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}.pgn"
        number += 1
    return path
