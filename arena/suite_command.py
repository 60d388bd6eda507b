"""The command `zobra suite`."""

import time
from pathlib import Path
from typing import Annotated

import chess.engine
import typer
from rich.console import Console

from zobra.arena import suite_display
from zobra.arena.command import INTERRUPTED, errors_as_messages, plain_console
from zobra.arena.display import counted
from zobra.arena.engines import EngineSpec, read_engines, with_distinct_names, with_options
from zobra.arena.epd import read_suites
from zobra.arena.files import check_writable
from zobra.arena.interrupts import run_async
from zobra.arena.options import EngineOptions
from zobra.arena.player import EngineFailure
from zobra.arena.suite import SuiteLimits, run_suite
from zobra.arena.suite_results import EngineResult, Outcome, SuiteResult, load

# how often the JSON file is brought up to date during a run (seconds)
SAVE_INTERVAL = 5.0
DEFAULT_TIME_MS = 1000


def suite(
    files: Annotated[list[Path], typer.Argument(help="EPD files with bm, am, dm or STS points (c0, c8, c9).")],
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", "-e", help="[NAME=]COMMAND or a TOML file; repeat to compare.", show_default="zobra"),
    ] = None,
    option: EngineOptions = None,
    movetime: Annotated[
        int | None, typer.Option(min=1, help="Milliseconds a position.", show_default="1000 if no limit is given")
    ] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a position.")] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Depth a position, in plies.")] = None,
    workers: Annotated[int, typer.Option("--workers", "-w", min=1, help="Engine processes side by side.")] = 1,
    stop_when_solved: Annotated[
        int | None, typer.Option(min=0, metavar="PLIES", help="End a search once its solution stood for PLIES of depth.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Longest search without --movetime, in seconds.")] = 600.0,
    output: Annotated[Path, typer.Option("--json", help="Where the results go; an unfinished run there is resumed.")] = Path(
        "suite.json"
    ),
    table: Annotated[bool, typer.Option(help="Print the table of positions.")] = True,
) -> None:
    """Let engines solve test suites, and compare them. The same command resumes an interrupted run."""
    console = plain_console()
    if movetime is None and nodes is None and depth is None:
        movetime = DEFAULT_TIME_MS
    with errors_as_messages():
        specs = [spec for text in engine or ["zobra"] for spec in read_engines(text)]
        specs = with_options(with_distinct_names(specs), option or [])
        positions, bad_lines = read_suites(files)
        limits = {"time_ms": movetime, "nodes": nodes, "depth": depth}
        engines = [EngineResult(spec.name, list(spec.command), dict(spec.options), [None] * len(positions)) for spec in specs]
        result = SuiteResult([str(path) for path in files], limits, workers, positions, bad_lines, engines)
        suite_display.print_bad_lines(console, result)
        if not result.positions:
            raise ValueError("no position to solve in these files")
        check_writable(output.resolve())
        _resume(result, output)
        limit = chess.engine.Limit(time=movetime and movetime / 1000, nodes=nodes, depth=depth)
        run = SuiteRun(console, result, output, limit, stop_when_solved, timeout)
        interrupted = run.run(specs)
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


def _resume(result: SuiteResult, output: Path) -> None:
    """Takes up an unfinished run in this file; a file of anything else will be replaced."""
    try:
        earlier = load(output)
    except (OSError, ValueError):
        return
    result.resume(earlier)


class SuiteRun:
    """A run of several engines, one after the other, whose results are saved as they come."""

    def __init__(
        self,
        console: Console,
        result: SuiteResult,
        output: Path,
        limit: chess.engine.Limit,
        solved_plies: int | None,
        timeout: float,
    ) -> None:
        self._console, self._result, self._output, self._limit = console, result, output, limit
        self._solved_plies, self._timeout, self._saved = solved_plies, timeout, time.monotonic()

    def run(self, specs: list[EngineSpec]) -> bool:
        """Searches what is not searched yet. Whether it was interrupted. Raises OSError when the results cannot be saved."""
        try:
            for spec, engine in zip(specs, self._result.engines, strict=True):
                self._run_engine(spec, engine)
        except KeyboardInterrupt:
            return True
        return False

    def _run_engine(self, spec: EngineSpec, engine: EngineResult) -> None:
        def on_outcome(index: int, outcome: Outcome) -> None:
            engine.outcomes[index] = outcome
            progress.answered(index)
            if time.monotonic() - self._saved > SAVE_INTERVAL:
                self._saved = time.monotonic()
                self._result.save(self._output)

        queue = [(i, position) for i, position in enumerate(self._result.positions) if engine.outcomes[i] is None]
        with suite_display.SuiteProgress(self._console, self._result, engine) as progress:
            try:
                limits = SuiteLimits(self._limit, self._solved_plies, self._timeout)
                run_async(run_suite(queue, spec, limits, on_outcome, self._result.workers))
            except EngineFailure as error:
                engine.error = str(error)
                self._console.print(engine.error, style="red")
