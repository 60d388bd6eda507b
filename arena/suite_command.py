"""The command `zobra suite`."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import chess.engine
import typer
from rich.console import Console

from zobra.arena import suite_display
from zobra.arena.command import mistakes_named, plain_console
from zobra.arena.engines import EngineSpec, read_engines, with_distinct_names, with_options
from zobra.arena.epd import read_suites
from zobra.arena.journal import check_writable
from zobra.arena.options import EngineOptions
from zobra.arena.player import EngineFailure
from zobra.arena.suite import run_suite
from zobra.arena.suite_results import EngineResult, Outcome, SuiteResult

# how often the JSON file is brought up to date during a run (seconds)
SAVE_INTERVAL = 5.0
DEFAULT_TIME_MS = 1000


def suite(
    files: Annotated[list[Path], typer.Argument(help="EPD files with bm, am, dm or STS points (c0, c8, c9).")],
    engine: Annotated[
        list[str] | None, typer.Option("--engine", "-e", help="[NAME=]COMMAND or a TOML file; repeat to compare.")
    ] = None,
    option: EngineOptions = None,
    movetime: Annotated[int | None, typer.Option(min=1, help="Milliseconds a position (1000 if no limit is given).")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a position.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Depth a position, in plies.")] = None,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Engine processes side by side.")] = 1,
    stop_when_solved: Annotated[
        int | None, typer.Option(min=0, metavar="PLIES", help="End a search once its solution stood for PLIES of depth.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Longest search without --movetime, in seconds.")] = 600.0,
    output: Annotated[Path, typer.Option("--json", help="Where the results go.")] = Path("suite.json"),
    table: Annotated[bool, typer.Option(help="Print the table of positions.")] = True,
) -> None:
    """Lets engines solve test suites and compares them."""
    console = plain_console()
    if movetime is None and nodes is None and depth is None:
        movetime = DEFAULT_TIME_MS
    with mistakes_named():
        specs = [spec for text in engine or ["zobra"] for spec in read_engines(text)]
        specs = with_options(with_distinct_names(specs), option or [])
        positions, bad_lines = read_suites(files)
    limits = {"time_ms": movetime, "nodes": nodes, "depth": depth}
    engines = [EngineResult(spec.name, list(spec.command), dict(spec.options), [None] * len(positions)) for spec in specs]
    result = SuiteResult([str(path) for path in files], limits, workers, positions, bad_lines, engines)
    suite_display.print_bad_lines(console, result)
    if not result.positions:
        raise typer.BadParameter("no position to solve in these files")
    limit = chess.engine.Limit(time=movetime and movetime / 1000, nodes=nodes, depth=depth)
    with mistakes_named():
        check_writable(output)
    try:
        for spec, answers in zip(specs, engines, strict=True):
            _run_engine(console, result, spec, answers, limit, output, stop_when_solved, timeout)
    except KeyboardInterrupt:
        console.print("interrupted")
    if table:
        console.print(suite_display.position_table(result))
    console.print(suite_display.summary_table(result))
    if any(answers.answered for answers in engines):
        with mistakes_named():
            result.save(output)
        console.print(f"results: {output}")
    if not result.finished:
        raise typer.Exit(1)


def _run_engine(
    console: Console,
    result: SuiteResult,
    spec: EngineSpec,
    engine: EngineResult,
    limit: chess.engine.Limit,
    output: Path,
    stop_when_solved: int | None,
    timeout: float,
) -> None:
    saved = time.monotonic()

    def on_outcome(index: int, outcome: Outcome) -> None:
        nonlocal saved
        engine.outcomes[index] = outcome
        progress.answered(index)
        if time.monotonic() - saved > SAVE_INTERVAL:
            saved = time.monotonic()
            with mistakes_named():
                result.save(output)

    with suite_display.SuiteProgress(console, result, engine) as progress:
        try:
            asyncio.run(
                run_suite(
                    result.positions, spec, limit, on_outcome,
                    workers=result.workers, solved_plies=stop_when_solved, timeout=timeout,
                )
            )  # fmt: skip
        except EngineFailure as error:
            engine.error = str(error)
            console.print(engine.error, style="red")
