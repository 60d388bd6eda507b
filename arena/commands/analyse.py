"""The command `zobra analyse`: games of a PGN, positions of an EPD file, or one FEN; an interrupted
run is resumed.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import chess
import chess.engine
import chess.pgn
import typer
from rich.console import Console

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.messages import INTERRUPTED, errors_as_messages, plain_console
from zobra.arena.commands.options import EngineOptions
from zobra.arena.formats.files import STANDARD_INPUT, write_safely
from zobra.arena.formats.game_source import AnalysisSource, open_source
from zobra.arena.formats.pgn import write_game
from zobra.arena.model.accuracy import SIDE_NAMES, SideSummary
from zobra.arena.model.engines import EngineSpec, read_engine
from zobra.arena.pages.match_page import match_page
from zobra.arena.pages.reported_games import read_pgn
from zobra.arena.pages.templates import check_replaceable, signed
from zobra.arena.runner.analysis import Analyst, EngineLine, Search, analysed_games, annotate
from zobra.arena.runner.processes import run_async

_DEFAULT_TIME_MS = 500
_START_TIMEOUT = 30.0  # seconds within which an engine must answer when it starts
_COMPRESSIONS = (".gz", ".bz2", ".zip", ".zst")


def analyse(
    source: Annotated[
        str,
        typer.Argument(
            metavar="GAMES", help="A PGN or EPD file (also packed), a FEN, or - for input."
        ),
    ],
    engine: Annotated[
        str, typer.Option("--engine", "-e", help="[NAME=]COMMAND or a TOML file.")
    ] = "zobra",
    time: Annotated[
        int | None,
        typer.Option(min=1, help=f"Milliseconds a position ({_DEFAULT_TIME_MS} if no limit)."),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Depth a position, in plies.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a position.")] = None,
    multipv: Annotated[
        int, typer.Option(min=1, max=50, help="Lines a position; above 1 every move gets them.")
    ] = 1,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of the engine.", show_default="1")
    ] = None,
    hash_mb: Annotated[
        int | None, typer.Option("--hash", min=1, help="Megabytes of its table.")
    ] = None,
    option: EngineOptions = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The annotated PGN.", show_default="NAME.analysed.pgn beside it"),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page with the games to replay, too.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of something else, too.")
    ] = False,
) -> None:
    """Analyse games or positions: evaluations, marks for mistakes, better lines, and the accuracy
    of each side.

    An interrupted analysis of many games is resumed by the same command.
    """
    if time is None and depth is None and nodes is None:
        time = _DEFAULT_TIME_MS
    search = Search(
        chess.engine.Limit(time=time and time / 1000, depth=depth, nodes=nodes), multipv
    )
    if output is None:
        path = Path(source)
        if source == STANDARD_INPUT or ("/" in source and not path.exists()):
            output = html and html.with_suffix(".pgn")
        else:
            output = (
                path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
            ).with_suffix(".analysed.pgn")
    # without a file the PGN goes to standard output, and all else to standard error
    console = (
        Console(stderr=True, markup=False, highlight=False, emoji=False)
        if output is None
        else plain_console()
    )
    with errors_as_messages():
        own = [
            f"{name}={value}"
            for name, value in (("Threads", threads), ("Hash", hash_mb))
            if value is not None
        ]
        spec = read_engine(engine, [*own, *(option or [])])
        if html is not None and not force:
            check_replaceable(html, "analyse", Path(source))
        try:
            games = open_source(source)
            if force and output is not None:
                output.unlink(missing_ok=True)
            left_out = run_async(_run(console, games, spec, search, output))
        except KeyboardInterrupt:
            kept = f"; {output} keeps what is done, and the same command resumes" if output else ""
            console.print(f"interrupted{kept}", soft_wrap=True)
            raise typer.Exit(INTERRUPTED) from None
        if html is not None and output is not None:
            page = match_page(read_pgn(output))
            write_safely(html, signed(page, "analyse", Path(source)))
            console.print(f"page: {html}", soft_wrap=True)
    if left_out:
        raise typer.Exit(1)


async def _run(
    console: Console, source: AnalysisSource, spec: EngineSpec, search: Search, output: Path | None
) -> int:
    """Analyse the games that an earlier run has not, and return how many cannot be read.

    Each game is added to the output when it is done. Raise ValueError if none can be read.
    """
    problems: list[ValueError] = []
    engine = await Analyst.start(spec, _START_TIMEOUT)
    try:
        done = analysed_games(output, f"{engine.announced_name}, {search}", source) if output else 0
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
                if done > 0:
                    done -= 1
                else:
                    sides, lines = await annotate(game, engine, search, partial(show, index))
                    for line in (
                        _position_summary(game, lines)
                        if source.positions
                        else _game_summary(game, sides)
                    ):
                        console.print(line, soft_wrap=True)
                    _write(game, output)
                    panel.count(index + 1)
    except BaseException:
        await engine.kill()  # an engine in the middle of a search may not answer
        raise
    await engine.quit()
    if output:
        console.print(f"annotated: {output}", soft_wrap=True)
    return len(problems)


def _write(game: chess.pgn.Game, output: Path | None) -> None:
    """Add a game to the output, or print it where there is none."""
    text = write_game(game, columns=None)
    if output is None:
        typer.echo(f"{text}\n")
        return
    with output.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n\n")
        file.flush()
        os.fsync(file.fileno())  # a game that is done is on disk


def _game_summary(game: chess.pgn.Game, sides: dict[chess.Color, SideSummary]) -> Iterator[str]:
    yield f"{game.headers['White']} – {game.headers['Black']} {game.headers['Result']}"
    for color, side in sides.items():
        if side.accuracy is not None:
            yield f"  {SIDE_NAMES[color]}: accuracy {side.accuracy:.1f} %, {side}"


def _position_summary(game: chess.pgn.Game, lines: list[EngineLine]) -> Iterator[str]:
    """A position's lines, scores from White's view."""
    board = game.board()
    yield f"{game.headers['Event']}: {board.fen()}"
    for number, line in enumerate(lines, start=1):
        score = line.score.white()
        value = f"{(score.score() or 0) / 100:+.2f}" if score.mate() is None else f"#{score.mate()}"
        yield (
            f"  {number}: {value}, depth {line.depth}: "
            f"{board.variation_san(line.moves) or 'the game is over'}"
        )
