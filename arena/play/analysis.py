"""The analysis of the played game in the background, the same as that of `zobra analyse`."""

import asyncio
from pathlib import Path

import chess.engine
import chess.pgn

from zobra.arena.formats.files import write_safely
from zobra.arena.formats.pgn import write_game
from zobra.arena.model.engines import EngineSpec
from zobra.arena.runner.analysis import Analyst, Search, annotate
from zobra.arena.runner.player import ANSWER_TIME, EngineFailure

_SEARCH = Search(chess.engine.Limit(time=0.3))


class OwnFiles:
    """The files that the analyses of a session have written, which later ones may replace."""

    def __init__(self) -> None:
        self._contents: dict[Path, bytes] = {}

    def write(self, path: Path, text: str) -> None:
        """Write a file, and remember its content. Raise OSError."""
        write_safely(path, text)
        self._contents[path] = path.read_bytes()

    def are_free(self, *paths: Path) -> bool:
        """Return whether each file is missing, or is as an analysis wrote it. Raise OSError."""
        return all(self._is_free(path) for path in paths)

    def _is_free(self, path: Path) -> bool:
        if not path.exists():
            return True
        return path in self._contents and path.read_bytes() == self._contents[path]


class GameAnalysis:
    """The analysis of one game. `share` of it is done; at the end `page` or `problem` is set."""

    def __init__(
        self, spec: EngineSpec, game: chess.pgn.Game, file: Path, own_files: OwnFiles
    ) -> None:
        self._spec = spec
        self._game = game  # gets the annotations
        self._text = write_game(game)
        self._file = file
        self._own_files = own_files
        self.share = 0.0
        self.page = ""
        self.problem = ""
        self._task: asyncio.Task[None] | None = None

    def is_of(self, game: chess.pgn.Game, file: Path) -> bool:
        """Return whether this is the analysis of the file's game as it is now, with its result."""
        return file == self._file and write_game(game) == self._text

    def begin(self) -> None:
        """Start the analysis in the background."""
        self._task = asyncio.create_task(self._run())

    def stop(self) -> asyncio.Task[None]:
        """Stop the analysis unless it is done, and return its task."""
        assert self._task is not None
        if not self.page and not self.problem:
            self.problem = "The analysis was stopped."
        self._task.cancel()
        return self._task

    async def _run(self) -> None:
        try:
            await self._annotate()
            self.page = await asyncio.to_thread(self._write)
        except (EngineFailure, OSError, ValueError) as error:
            self.problem = str(error)

    async def _annotate(self) -> None:
        engine = await Analyst.start(self._spec, ANSWER_TIME)
        try:
            await annotate(self._game, engine, _SEARCH, self._show)
        finally:
            await engine.kill()

    def _show(self, share: float) -> None:
        self.share = share

    def _write(self) -> str:
        """Write the annotated game and its page beside the game, and return the page."""
        from zobra.arena.pages.match_page import match_page  # takes long to import
        from zobra.arena.pages.reported_games import read_pgn
        from zobra.arena.pages.templates import signed, source_name

        annotated, html = self._outputs()
        self._own_files.write(annotated, write_game(self._game, columns=None) + "\n\n")
        page = signed(match_page(read_pgn(annotated)), "analyse", source_name([self._file]))
        self._own_files.write(html, page)
        return page

    def _outputs(self) -> tuple[Path, Path]:
        """Return the files for the annotated game and its page, numbered if others exist."""
        stem = self._file.stem
        number = 2
        while True:
            annotated = self._file.with_name(f"{stem}.analysed.pgn")
            html = self._file.with_name(f"{stem}.html")
            if self._own_files.are_free(annotated, html):
                return annotated, html
            stem = f"{self._file.stem}.{number}"
            number += 1
