"""The command `zobra suite`: engines search all positions of test suites with one limit."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import chess.engine
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.commands.messages import (
    INTERRUPTED,
    command_line,
    errors_as_messages,
    plain_console,
    print_problems,
)
from zobra.arena.commands.options import ENGINE_HELP, ZOBRA, EngineOptions
from zobra.arena.formats.files import check_writable
from zobra.arena.formats.text import counted
from zobra.arena.model.engines import EngineSpec, read_engines
from zobra.arena.model.suite_positions import read_suites
from zobra.arena.model.suite_results import EngineResult, Outcome, SuiteResult
from zobra.arena.model.suite_text import asked, outcome_text, summary_rows
from zobra.arena.runner.checks import start_each
from zobra.arena.runner.player import ANSWER_TIME, EngineFailure
from zobra.arena.runner.processes import run_async
from zobra.arena.runner.processors import machine
from zobra.arena.runner.suite import SuiteLimits, run_suite

SAVE_INTERVAL = 5.0  # how often the JSON file is brought up to date during a run (seconds)
_MOST_BAD_LINES = 20  # that are shown in full
_USUAL_MS = 1000
EngineOption = typer.Option(
    "--engine",
    "-e",
    metavar="ENGINE",
    help=f"{ENGINE_HELP}; repeat to compare.",
    show_default=ZOBRA,
)
TimeOption = typer.Option(
    min=1,
    metavar="MS",
    help="Milliseconds per position.",
    show_default=f"{_USUAL_MS} if no limit is given",
)
StopOption = typer.Option(
    min=0,
    metavar="PLIES",
    help="End a search once its solution has been stable for PLIES plies of depth.",
)
OutputOption = typer.Option(
    "--json", metavar="FILE", help="File for the results; an unfinished run in it is resumed."
)


def suite(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="EPD files with bm, am, dm or STS points (c0, c8, c9)."
        ),
    ],
    engine: Annotated[list[str] | None, EngineOption] = None,
    option: EngineOptions = None,
    movetime: Annotated[int | None, TimeOption] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Nodes per position.")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Depth per position, in plies.")
    ] = None,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency", "-c", min=1, metavar="N", help="Positions searched at the same time."
        ),
    ] = 1,
    stop_when_solved: Annotated[int | None, StopOption] = None,
    timeout: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="Maximum time of a search without --movetime, in seconds.",
        ),
    ] = 600.0,
    output: Annotated[Path, OutputOption] = Path("suite.json"),
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Overwrite results with other suites, limits, engines or versions."
        ),
    ] = False,
    table: Annotated[bool, typer.Option(help="Print the table of positions.")] = True,
) -> None:
    """Let engines solve test suites.

    With several engines they are compared. The same command resumes an interrupted run, and
    replaces the results of a finished one. The exit status is 0 even if positions are not solved;
    it is 1 if lines of the files were skipped or an engine failed.

    Example: zobra suite examples/suite.epd -e zobra -e stockfish --movetime 500
    """
    console = plain_console()
    if movetime is None and nodes is None and depth is None:
        movetime = _USUAL_MS
    with errors_as_messages("suite"):
        specs = read_engines(engine or [ZOBRA], option or [])
        notices: list[str] = []
        positions, bad_lines = read_suites(files, notices.append)
        engines = []
        for spec in specs:
            unsearched: list[Outcome | None] = [None] * len(positions)
            engines.append(
                EngineResult(spec.name, list(spec.command), dict(spec.options), unsearched)
            )
        limit = {"time_ms": movetime, "nodes": nodes, "depth": depth}
        limit["stable_plies"] = stop_when_solved
        names = [str(path) for path in files]
        result = SuiteResult(names, limit, concurrency, positions, bad_lines, engines)
        result.machine = machine()
        result.command_line = command_line()
        print_bad_lines(console, result)
        print_problems(console, notices)
        if not positions:
            raise ValueError("no position to solve in these files")
        check_writable(output.resolve())
        with console.status("starting the engines"):
            _check_engines(specs, result)
        if not force:
            result.check_replaceable(output)
        result.resume(output)

        seconds = None if movetime is None else movetime / 1000
        search = chess.engine.Limit(time=seconds, nodes=nodes, depth=depth)
        limits = SuiteLimits(search, stop_when_solved, timeout, concurrency)
        interrupted = False
        try:
            for number, spec in enumerate(specs):
                _run_engine(console, result, spec, number, limits, output)
        except KeyboardInterrupt:
            interrupted = True

        print_suite(console, result, positions=table)
        if any(answers.answered for answers in engines):
            result.save(output)
            console.print(f"results: {output}", soft_wrap=True)
        if interrupted:
            done = sum(len(answers.answered) for answers in engines)
            total = counted(len(engines) * len(positions), "position")
            console.print(f"interrupted after {done} of {total}; the same command resumes")
            raise typer.Exit(INTERRUPTED)
        if not result.is_whole:
            raise typer.Exit(1)


def _check_engines(specs: Sequence[EngineSpec], result: SuiteResult) -> None:
    """Start each engine once, and keep what it says of itself. Raise EngineFailure."""
    checked = start_each(specs, ANSWER_TIME)
    for engine, found in zip(result.engines, checked, strict=True):
        engine.version = found.version
        engine.resources = found.resources


def _run_engine(
    console: Console,
    result: SuiteResult,
    spec: EngineSpec,
    number: int,
    limits: SuiteLimits,
    file: Path,
) -> None:
    """Search the positions that this engine of the result has not searched yet.

    Outcomes are shown and saved as they come. Raise OSError.
    """
    engine = result.engines[number]
    saved = time.monotonic()

    def answered(index: int) -> None:
        nonlocal saved
        position = result.positions[index]
        done = len(engine.answered)
        points = f", {engine.points} points" if result.maximum_points else ""
        line = (
            f"({engine.solved} solved{points}): {position.name} "
            f"{outcome_text(position, engine.outcomes[index])}"
        )
        panel.count(done)
        panel.show(Text(line, overflow="ellipsis", no_wrap=True))
        if not panel.live:
            console.print(f"{engine.name} {done}/{len(result.positions)} {line}", soft_wrap=True)
        if time.monotonic() - saved > SAVE_INTERVAL:
            result.save(file)
            saved = time.monotonic()

    with LivePanel(console, engine.name) as panel:
        panel.count_from(len(engine.answered), len(result.positions), "position")
        try:
            run_async(run_suite(result.positions, spec, engine, limits, answered))
        except EngineFailure as error:
            engine.error = str(error)
            console.print(engine.error, style="red")


def print_suite(console: Console, result: SuiteResult, positions: bool) -> None:
    """Print the comparison of the engines, and before it the answers if they are asked for."""
    names = [engine.name for engine in result.engines]
    if positions:
        title = "Positions (time, nodes and depth of the first stable solution)"
        table = Table("position", "asked", *names, title=title)
        columns = (engine.outcomes for engine in result.engines)
        for position, *outcomes in zip(result.positions, *columns, strict=True):
            cells = []
            for outcome in outcomes:
                solved = outcome is not None and outcome.solved
                style = "green" if solved else "red"
                cells.append(Text(outcome_text(position, outcome), style=style))
            table.add_row(position.name, asked(position), *cells)
        console.print(table)
    title = f"{counted(len(result.positions), 'position')} at {result.limit_text()}"
    if result.bad_lines:
        title += f", {counted(len(result.bad_lines), 'line')} skipped"
    comparison = Table("", *names, title=title)
    for row in summary_rows(result):
        comparison.add_row(*row)
    console.print(comparison)


def print_bad_lines(console: Console, result: SuiteResult) -> None:
    """Print the first few unusable lines, and the number of the others."""
    for bad in result.bad_lines[:_MOST_BAD_LINES]:
        console.print(f"{bad.file}:{bad.line}: {bad.problem}", style="yellow", soft_wrap=True)
    more = len(result.bad_lines) - _MOST_BAD_LINES
    if more > 0:
        console.print(
            f"{counted(more, 'more line')} that cannot be used (the JSON file lists all)",
            style="yellow",
        )
