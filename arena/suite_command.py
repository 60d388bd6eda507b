"""The command `zobra suite`."""

import time
from pathlib import Path
from typing import Annotated

import chess.engine
import typer
from rich.console import Console

from zobra.arena import suite_display
from zobra.arena.command import INTERRUPTED, EngineOptions, command_line, errors_as_messages, plain_console
from zobra.arena.display import counted
from zobra.arena.engines import EngineSpec, read_engines
from zobra.arena.epd import read_suites
from zobra.arena.files import check_writable
from zobra.arena.interrupts import run_async
from zobra.arena.player import EngineFailure
from zobra.arena.processors import machine
from zobra.arena.suite import SuiteLimits, run_suite
from zobra.arena.suite_results import EngineResult, SuiteResult

# how often the JSON file is brought up to date during a run (seconds)
SAVE_INTERVAL = 5.0
DEFAULT_TIME_MS = 1000
EngineOption = typer.Option("--engine", "-e", help="[NAME=]COMMAND or a TOML file; repeat to compare.", show_default="zobra")
TimeOption = typer.Option(min=1, help="Milliseconds a position.", show_default="1000 if no limit is given")
StopOption = typer.Option(min=0, metavar="PLIES", help="End a search once its solution stood for PLIES of depth.")
OutputOption = typer.Option("--json", help="Where the results go; an unfinished run there is resumed.")


def suite(
    files: Annotated[list[Path], typer.Argument(help="EPD files with bm, am, dm or STS points (c0, c8, c9).")],
    engine: Annotated[list[str] | None, EngineOption] = None,
    option: EngineOptions = None,
    movetime: Annotated[int | None, TimeOption] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a position.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Depth a position, in plies.")] = None,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Engine processes side by side.")] = 1,
    stop_when_solved: Annotated[int | None, StopOption] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Longest search without --movetime, in seconds.")] = 600.0,
    output: Annotated[Path, OutputOption] = Path("suite.json"),
    table: Annotated[bool, typer.Option(help="Print the table of positions.")] = True,
) -> None:
    """Let engines solve test suites, and compare them. The same command resumes an interrupted run."""
    console = plain_console()
    if movetime is None and nodes is None and depth is None:
        movetime = DEFAULT_TIME_MS
    with errors_as_messages():
        specs = read_engines(engine or ["zobra"], option or [])
        positions, bad_lines = read_suites(files)
        limit = {"time_ms": movetime, "nodes": nodes, "depth": depth}
        engines = [EngineResult(spec.name, list(spec.command), dict(spec.options), [None] * len(positions)) for spec in specs]
        result = SuiteResult([str(path) for path in files], limit, workers, positions, bad_lines, engines)
        result.machine, result.command_line = machine(), command_line()
        suite_display.print_bad_lines(console, result)
        if not result.positions:
            raise ValueError("no position to solve in these files")
        check_writable(output.resolve())
        result.resume(output)
        search = chess.engine.Limit(time=movetime and movetime / 1000, nodes=nodes, depth=depth)
        interrupted = False
        try:
            for spec, answers in zip(specs, engines, strict=True):
                _run_engine(console, result, spec, answers, SuiteLimits(search, stop_when_solved, timeout, workers), output)
        except KeyboardInterrupt:
            interrupted = True
        if table:
            console.print(suite_display.position_table(result))
        console.print(suite_display.summary_table(result))
        if any(answers.answered for answers in engines):
            result.save(output)
            console.print(f"results: {output}", soft_wrap=True)
        if interrupted:
            done = sum(len(answers.answered) for answers in engines)
            all_told = counted(len(engines) * len(positions), "position")
            console.print(f"interrupted; the same command resumes after {done} of {all_told}", soft_wrap=True)
            raise typer.Exit(INTERRUPTED)
        if not result.finished:
            raise typer.Exit(1)


def _run_engine(
    console: Console, result: SuiteResult, spec: EngineSpec, engine: EngineResult, limits: SuiteLimits, output: Path
) -> None:
    """Searches what the engine has not searched yet; results are saved as they come. Raises OSError when they cannot be."""
    saved = time.monotonic()

    def answered(index: int) -> None:
        nonlocal saved
        progress.answered(index)
        if time.monotonic() - saved > SAVE_INTERVAL:
            result.save(output)
            saved = time.monotonic()

    with suite_display.SuiteProgress(console, result, engine) as progress:
        try:
            run_async(run_suite(result.positions, spec, engine, limits, answered))
        except EngineFailure as error:
            engine.error = str(error)
            console.print(engine.error, style="red")
