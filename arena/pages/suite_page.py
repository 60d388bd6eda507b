"""The page of suite results."""

from itertools import cycle
from pathlib import PureWindowsPath
from typing import Any

import chess

from zobra.arena.formats.text import counted, date_text
from zobra.arena.model.suite_results import Outcome, SuiteResult
from zobra.arena.model.suite_text import asked, mate_text, outcome_text, summary_rows
from zobra.arena.pages.boards import board_picture, shared_shapes
from zobra.arena.pages.charts import COLOURS, GREEN, Chart, steps_over_time
from zobra.arena.pages.templates import render

_EXPECTED = "var(--good)"
_SUITE_COLOURS = [colour for colour in COLOURS if colour != GREEN]  # green marks the expected moves

PositionRow = tuple[str, str, list[tuple[bool, str]]]  # name, what is asked, solved and answer


def suite_page(result: SuiteResult) -> str:
    """Return the page as HTML."""
    names = [engine.name for engine in result.engines]
    colours = dict(zip(names, cycle(_SUITE_COLOURS), strict=False))
    variables = {name: f"var(--{colour})" for name, colour in colours.items()}
    files = [PureWindowsPath(file).name for file in result.files]
    return render(
        "suite.html",
        title=f"Suite {' and '.join(files)}",
        subtitle=_subtitle(result),
        figures=_figures(result),
        names=names,
        legend=list(variables.items()),
        comparison=summary_rows(result),
        shapes=shared_shapes(),
        times=_times(result, colours),
        failed=_failed_positions(result, variables),
        positions=_rows(result),
        conditions=_conditions(result),
        bad_lines=[[f"{bad.file}:{bad.line}", bad.problem, bad.text] for bad in result.bad_lines],
    )


def _subtitle(result: SuiteResult) -> str:
    parts = [counted(len(result.positions), "position"), result.limit_text()]
    if result.created:
        parts.append(date_text(result.created))
    if not result.finished:
        parts.append("not finished")
    return ", ".join(parts)


def _figures(result: SuiteResult) -> list[tuple[str, str, str]]:
    """Return how many positions each engine solved."""
    count = len(result.positions)
    figures = []
    for engine in result.engines:
        share = f"{engine.solved / count:.1%} solved" if count else ""
        figures.append((engine.name, f"{engine.solved} of {count}", share))
    return figures


def _times(result: SuiteResult, colours: dict[str, str]) -> Chart | None:
    """Return the chart of the solutions over time."""
    times = [(e.name, colours[e.name], e.solution_times()) for e in result.engines]
    xlabel = "milliseconds to the first stable solution"
    return steps_over_time(times, len(result.positions), xlabel)


def _rows(result: SuiteResult) -> list[PositionRow]:
    """Return the positions with the answers of all engines."""
    rows = []
    for index, position in enumerate(result.positions):
        cells = []
        for engine in result.engines:
            outcome = engine.outcomes[index]
            if outcome is None:
                cells.append((True, ""))
            else:
                cells.append((outcome.solved, outcome_text(position, outcome)))
        rows.append((position.name, asked(position), cells))
    return rows


def _conditions(result: SuiteResult) -> list[tuple[str, str]]:
    """Return how the suite was run."""
    conditions = []
    for engine in result.engines:
        parts = [engine.version, " ".join(engine.command), engine.resources.text]
        if engine.options:
            options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
            parts.append(f"options {options}")
        conditions.append((engine.name, "; ".join(part for part in parts if part)))
    conditions.append(("files", ", ".join(result.files)))
    conditions.append(("limit", result.limit_text()))
    conditions.append(("processes", str(result.workers)))
    if result.machine:
        conditions.append(("machine", result.machine))
    if result.command_line:
        conditions.append(("command", result.command_line))
    return conditions


def _failed_positions(result: SuiteResult, colours: dict[str, str]) -> list[dict[str, Any]]:
    """Return the positions that some engines did not solve."""
    failed = []
    for index in range(len(result.positions)):
        solvers = []
        failures = []
        for engine in result.engines:
            outcome = engine.outcomes[index]
            if outcome is not None and outcome.solved:
                solvers.append(engine.name)
            elif outcome is not None:
                failures.append((engine.name, outcome))
        if failures:
            failed.append(_failed_position(result, index, solvers, failures, colours))
    return failed


def _failed_position(
    result: SuiteResult,
    index: int,
    solvers: list[str],
    failures: list[tuple[str, Outcome]],
    colours: dict[str, str],
) -> dict[str, Any]:
    """Return a position with what is expected and what was played."""
    position = result.positions[index]
    board = position.board()
    expected = [board.parse_uci(move) for move in position.best or position.best_paid]
    arrows = [(move, _EXPECTED) for move in expected]
    texts = []
    for name, outcome in failures:
        # Such as "Zobra Qg6 +1.25", the score from the side to move
        parts = [name, position.san(outcome.move)]
        if outcome.mate is not None:
            parts.append(mate_text(outcome.mate))
        elif outcome.score_cp is not None:
            parts.append(f"{outcome.score_cp / 100:+.2f}")
        if outcome.move is None:
            parts.append(outcome.why)
        texts.append((colours[name], " ".join(part for part in parts if part)))

        # A move that is right but unproven keeps its green arrow alone
        move = board.parse_uci(outcome.move) if outcome.move else None
        if move is not None and move not in expected:
            arrows.append((move, colours[name]))

    variant = "chess960" if position.chess960 else "standard"
    return {
        "picture": board_picture(board, arrows),
        "name": position.name,
        "side": "White" if board.turn == chess.WHITE else "Black",
        "asked": asked(position),
        "failures": texts,
        "solvers": ", ".join(solvers),
        "fen": position.fen,
        "link": f"https://lichess.org/analysis/{variant}/{position.fen.replace(' ', '_')}",
    }
