"""The command `zobra analyse`: games of PGN files, positions of EPD files, or one FEN.

An interrupted run is resumed.
"""

import os
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Annotated

import chess
import chess.engine
import chess.pgn
import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.messages import INTERRUPTED, errors_as_messages, plain_console
from zobra.arena.commands.options import ENGINE_HELP, ZOBRA, EngineOptions
from zobra.arena.formats.files import (
    COMPRESSIONS,
    STANDARD_INPUT,
    check_writable,
    named_files,
    write_safely,
)
from zobra.arena.formats.game_source import AnalysisSource, is_fen, open_source
from zobra.arena.formats.pgn import is_whole, write_game
from zobra.arena.model.accuracy import MARKS, SIDE_NAMES, SideSummary, mark
from zobra.arena.model.engines import EngineSpec, read_engine
from zobra.arena.pages.match_page import match_page
from zobra.arena.pages.reported_games import read_pgn
from zobra.arena.pages.templates import check_replaceable, signed, source_name
from zobra.arena.runner.analysis import Analyst, EngineLine, Search, analysed_games, annotate
from zobra.arena.runner.player import ANSWER_TIME
from zobra.arena.runner.processes import run_async

_USUAL_MS = 500


def analyse(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="GAMES",
            help="PGN or EPD files, plain or compressed, "
            "folders of PGN files, a FEN, or - for standard input.",
        ),
    ],
    engine: Annotated[
        str, typer.Option("--engine", "-e", metavar="ENGINE", help=f"{ENGINE_HELP}.")
    ] = ZOBRA,
    movetime: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="MS",
            help="Milliseconds per position.",
            show_default=f"{_USUAL_MS} if no limit is given",
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Depth per position, in plies.")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Nodes per position.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The annotated PGN.",
            show_default="NAME.analysed.pgn beside the games; of several files games.analysed.pgn",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Also write a page on which the games can be replayed."
        ),
    ] = None,
    multipv: Annotated[
        int,
        typer.Option(
            min=1, max=50, metavar="N", help="Lines per position; if above 1, every move gets them."
        ),
    ] = 1,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Number of threads of the engine.", show_default="1"),
    ] = None,
    hash_mb: Annotated[
        int | None,
        typer.Option("--hash", min=1, metavar="MB", help="Size of the engine's hash table in MB."),
    ] = None,
    option: EngineOptions = None,
    force: Annotated[bool, typer.Option("--force", help="Replace other files, too.")] = False,
) -> None:
    """Analyse games or positions.

    Moves get evaluations, marks for mistakes and better lines, and each side its accuracy. The same
    command resumes an interrupted analysis of many games.

    Example: zobra analyse games.pgn --movetime 200 --html games.html
    """
    if movetime is None and depth is None and nodes is None:
        movetime = _USUAL_MS
    seconds = None if movetime is None else movetime / 1000
    search = Search(chess.engine.Limit(time=seconds, depth=depth, nodes=nodes), multipv)
    if output is None:
        with errors_as_messages("analyse"):
            output = _usual_output(sources, html)
    if output is None:  # the PGN goes to standard output, and all else to standard error
        console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    else:
        console = plain_console()
    with errors_as_messages("analyse"):
        own = {"Threads": threads, "Hash": hash_mb}
        given = [f"{name}={value}" for name, value in own.items() if value is not None]
        spec = read_engine(engine, [*given, *(option or [])])
        games = open_source(sources)
        _check_outputs(sources, output, html)
        if html is not None and not force:
            check_replaceable(html, "analyse", source_name(sources))
        written = _Output(output, force)
        try:
            left_out = run_async(_run(console, games, spec, search, written))
        except KeyboardInterrupt:
            kept = ""
            if written.holds_games:
                kept = f"; {output} keeps what is done, and the same command resumes"
            console.print(f"interrupted{kept}", soft_wrap=True)
            raise typer.Exit(INTERRUPTED) from None
        if html is not None and output is not None:
            page = match_page(read_pgn(output))
            write_safely(html, signed(page, "analyse", source_name(sources)))
            console.print(f"page: {html}", soft_wrap=True)
    if left_out:
        raise typer.Exit(1)


def _check_outputs(sources: list[str], output: Path | None, html: Path | None) -> None:
    """Raise ValueError or OSError if the PGN or the page cannot be written where it should be."""
    inputs = [] if is_fen(sources) else [Path(file).resolve() for file in named_files(sources)]
    written: list[Path] = []
    for path in (output, html):
        if path is None:
            continue
        file = path.resolve()
        if file in inputs:
            raise ValueError(f"{path} is to be analysed: name another file for the result")
        if file in written:
            raise ValueError(f"{path} cannot hold both the annotated PGN and the page")
        check_writable(file)
        written.append(file)


def _usual_output(sources: list[str], html: Path | None) -> Path | None:
    """Return where the PGN goes if nothing is said: beside a file or the page, else nowhere."""
    path = Path(sources[0])
    if sources == [STANDARD_INPUT] or is_fen(sources):
        return None if html is None else html.with_suffix(".pgn")
    if len(sources) > 1:
        return (path if path.is_dir() else path.parent) / "games.analysed.pgn"
    if path.is_dir():
        path = path.resolve()
        return path.with_name(f"{path.name}.analysed.pgn")
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.with_suffix(".analysed.pgn")


class _Output:
    """Where annotated games go: a file, which an earlier run may have begun, or standard output.

    A file of something else is replaced with `force` only, when the first game is done.
    """

    def __init__(self, path: Path | None, force: bool) -> None:
        self.path = path
        self._force = force
        self._mode = "a"
        self.holds_games = False  # of this analysis, in the file

    def resume(self, annotator: str, source: AnalysisSource) -> int:
        """Return the number of games that an earlier run has written."""
        if self.path is None:
            return 0
        try:
            done = analysed_games(self.path, annotator, source)
        except ValueError:
            if not self._force:
                raise
            self._mode = "w"
            return 0
        self.holds_games = done > 0
        return done

    def add(self, game: chess.pgn.Game) -> None:
        """Write one game."""
        text = write_game(game, columns=None)
        if self.path is None:
            typer.echo(f"{text}\n")
            return
        with self.path.open(self._mode, encoding="utf-8") as file:
            file.write(f"{text}\n\n")
            file.flush()
            os.fsync(file.fileno())  # a game that is done is on disk
        self._mode = "a"
        self.holds_games = True


async def _run(
    console: Console,
    source: AnalysisSource,
    spec: EngineSpec,
    search: Search,
    output: _Output,
) -> int:
    """Analyse the games that an earlier run has not, and return how many cannot be read whole.

    Raise ValueError if none can be read.
    """
    problems: list[ValueError] = []
    cut = 0  # games of which only the moves before a mistake are read
    engine = await Analyst.start(spec, ANSWER_TIME)
    try:
        done = output.resume(f"{engine.announced_name}, {search}", source)
        with LivePanel(console, "positions" if source.positions else "games") as panel:
            panel.count_from(done, source.count)

            def show(finished: int, share: float) -> None:
                panel.count(finished + share)
                panel.show()

            for index, game in enumerate(source.games()):
                if isinstance(game, ValueError):
                    problems.append(game)
                    if len(problems) == source.count:
                        raise problems[0]
                    console.print(str(game), soft_wrap=True)
                    continue
                for notice in game.errors:
                    console.print(str(notice), soft_wrap=True)
                cut += not is_whole(game)
                if done > 0:
                    done -= 1
                else:
                    sides, lines = await annotate(game, engine, search, partial(show, index))
                    if source.positions:
                        _print_lines(console, game, lines)
                    else:
                        _print_sides(console, game, sides)
                    output.add(game)
                    panel.count(index + 1)
    except BaseException:
        await engine.kill()  # an engine in the middle of a search may not answer
        raise
    await engine.quit()
    if output.path is not None:
        console.print(f"annotated: {output.path}", soft_wrap=True)
    return len(problems) + cut


def _print_sides(
    console: Console, game: chess.pgn.Game, sides: dict[chess.Color, SideSummary]
) -> None:
    """Print how well each side of a game played."""
    headers = game.headers
    console.print(f"{headers['White']} – {headers['Black']} {headers['Result']}", soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in ("accuracy", *(plural for *_, plural in reversed(MARKS)), "average loss"):
        table.add_column(heading, justify="right")
    for color, side in sides.items():
        if side.accuracy is None:
            continue
        marks = [mark(loss) for loss in side.chances]
        counts = [str(marks.count(nag)) for _, nag, *_ in reversed(MARKS)]
        loss = f"{mean(side.centipawns):.0f} cp" if side.centipawns else "-"
        table.add_row(f"  {SIDE_NAMES[color]}", f"{side.accuracy:.1f}%", *counts, loss)
    if table.row_count:
        console.print(table)


def _print_lines(console: Console, game: chess.pgn.Game, lines: list[EngineLine]) -> None:
    """Print the lines of a position, with scores from White's view.

    A terminal gets whole words, everything else whole lines.
    """
    whole = not console.is_terminal
    board = game.board()
    console.print(f"{game.headers['Event']}: {board.fen()}", soft_wrap=whole)
    for number, line in enumerate(lines, start=1):
        score = line.score.white()
        if score.mate() is None:
            value = f"{(score.score() or 0) / 100:+.2f}"
        else:
            value = f"#{score.mate()}"
        moves = board.variation_san(line.moves) or "the game is over"
        console.print(f"  {number}: {value}, depth {line.depth}: {moves}", soft_wrap=whole)
