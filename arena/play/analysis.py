"""The analysis of the played game in the background, the same as that of `zobra analyse`."""

import asyncio
from pathlib import Path

import chess.engine
import chess.pgn

from zobra.arena.formats.files import write_safely
from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.engines import EngineSpec
from zobra.arena.runner.analysis import Analyst, Search, annotate
from zobra.arena.runner.player import EngineFailure

_SEARCH = Search(chess.engine.Limit(time=0.3))
_START_TIMEOUT = 30.0  # seconds within which an engine must answer when it starts


class GameAnalysis:
    """The analysis of one game. `share` of it is done; at the end `page` or `problem` is set."""

    def __init__(
        self, spec: EngineSpec, number: int, moves: tuple[PlayedMove, ...], file: Path
    ) -> None:
        self._spec = spec
        self._number = number
        self._moves = moves
        self._file = file
        self.share = 0.0
        self.page = ""
        self.problem = ""
        self._task: asyncio.Task[None] | None = None

    def is_of(self, number: int, moves: tuple[PlayedMove, ...]) -> bool:
        """Return whether this is the analysis of these moves and has not failed."""
        return self._number == number and self._moves == moves and not self.problem

    def begin(self, game: chess.pgn.Game) -> None:
        """Start the analysis in the background."""
        self._task = asyncio.create_task(self._run(game))

    def stop(self) -> asyncio.Task[None]:
        """Stop the analysis, and return its task."""
        assert self._task is not None
        self._task.cancel()
        return self._task

    async def _run(self, game: chess.pgn.Game) -> None:
        try:
            await self._annotate(game)
            self.page = await asyncio.to_thread(self._write, game)
        except (EngineFailure, OSError, ValueError) as error:
            self.problem = str(error)

    async def _annotate(self, game: chess.pgn.Game) -> None:
        engine = await Analyst.start(self._spec, _START_TIMEOUT)
        try:
            await annotate(game, engine, _SEARCH, self._show)
        finally:
            await engine.kill()

    def _show(self, share: float) -> None:
        self.share = share

    def _write(self, game: chess.pgn.Game) -> str:
        """Write the annotated game and its page beside the game, and return the page."""
        from zobra.arena.pages.match_page import match_page  # takes long to import
        from zobra.arena.pages.reported_games import read_pgn
        from zobra.arena.pages.templates import signed, source_name

        annotated = self._file.with_suffix(".analysed.pgn")
        write_safely(annotated, write_game(game, columns=None) + "\n\n")
        page = signed(match_page(read_pgn(annotated)), "analyse", source_name([self._file]))
        write_safely(self._file.with_suffix(".html"), page)
        return page
