"""The page of suite results: engines side by side, solutions over time, and a board for every failed position."""

from itertools import cycle
from pathlib import PureWindowsPath
from typing import Any

import chess

from zobra.arena.display import counted
from zobra.arena.epd import SuitePosition
from zobra.arena.report_boards import picture, shared_shapes
from zobra.arena.report_charts import COLOURS, GREEN, steps_over_time
from zobra.arena.report_page import render
from zobra.arena.suite_display import asked, mate_text, move_san, outcome_text, summary_rows
from zobra.arena.suite_results import Outcome, SuiteResult

_EXPECTED = "var(--good)"
_COLOURS = [colour for colour in COLOURS if colour != GREEN]  # green marks the expected moves


def page(result: SuiteResult) -> str:
    """The page as HTML."""
    names = [engine.name for engine in result.engines]
    colours = {name: f"var(--{colour})" for name, colour in zip(names, cycle(_COLOURS), strict=False)}
    times = [(e.name, colour, e.solution_times()) for e, colour in zip(result.engines, cycle(_COLOURS), strict=False)]
    failed = [index for index in range(len(result.positions)) if any(_failures(result, index))]
    subtitle = [counted(len(result.positions), "position"), result.limit_text(), result.created.replace("T", " ")]
    return render(
        "suite.html",
        title="Suite " + " and ".join(PureWindowsPath(file).name for file in result.files),
        subtitle=", ".join(subtitle if result.finished else [*subtitle, "not finished"]),
        figures=_figures(result),
        names=names,
        comparison=summary_rows(result),
        times=steps_over_time(times, len(result.positions), "milliseconds to the first stable solution"),
        legend=list(colours.items()),
        shapes=shared_shapes(),
        failed=[_failed_position(result, index, colours) for index in failed],
        positions=[_row(result, index, position) for index, position in enumerate(result.positions)],
        conditions=_conditions(result),
        bad_lines=[[f"{bad.file}:{bad.line}", bad.problem, bad.text] for bad in result.bad_lines],
    )


def _figures(result: SuiteResult) -> list[tuple[str, str, str]]:
    count = len(result.positions)
    return [
        (engine.name, f"{engine.solved} of {count}", f"{engine.solved / count:.1%} solved" if count else "")
        for engine in result.engines
    ]


def _failures(result: SuiteResult, index: int) -> list[tuple[str, Outcome]]:
    """The engines that did not solve a position, with their outcomes."""
    outcomes = ((engine.name, engine.outcomes[index]) for engine in result.engines)
    return [(name, outcome) for name, outcome in outcomes if outcome is not None and not outcome.solved]


def _failed_position(result: SuiteResult, index: int, colours: dict[str, str]) -> dict[str, Any]:
    position = result.positions[index]
    board, failures = position.board(), _failures(result, index)
    expected = [board.parse_uci(move) for move in position.best or position.best_paid]
    # a move that is right but unproven keeps its green arrow alone
    wrong = [(board.parse_uci(o.move), colours[name]) for name, o in failures if o.move]
    variant = "chess960" if position.chess960 else "standard"
    return {
        "picture": picture(board, [(move, _EXPECTED) for move in expected] + [w for w in wrong if w[0] not in expected]),
        "name": position.name,
        "side": "White" if board.turn == chess.WHITE else "Black",
        "asked": asked(position),
        "failures": [(colours[name], _failure_text(name, position, outcome)) for name, outcome in failures],
        "solvers": ", ".join(e.name for e in result.engines if (outcome := e.outcomes[index]) and outcome.solved),
        "fen": position.fen,
        "link": f"https://lichess.org/analysis/{variant}/{position.fen.replace(' ', '_')}",
    }


def _failure_text(name: str, position: SuitePosition, outcome: Outcome) -> str:
    """What an engine played, with its score from the side to move: "Zobra Qg6 +1.25"."""
    score = "" if outcome.score_cp is None else f"{outcome.score_cp / 100:+.2f}"
    score = score if outcome.mate is None else mate_text(outcome.mate)
    return " ".join(filter(None, (name, move_san(position, outcome.move), score, "" if outcome.move else outcome.why)))


def _row(result: SuiteResult, index: int, position: SuitePosition) -> tuple[str, str, list[tuple[bool, str]]]:
    outcomes = [engine.outcomes[index] for engine in result.engines]
    return position.name, asked(position), [(o.solved, outcome_text(position, o)) if o else (True, "") for o in outcomes]


def _conditions(result: SuiteResult) -> list[tuple[str, str]]:
    rows = []
    for engine in result.engines:
        options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
        parts = [engine.version, " ".join(engine.command), options and f"options {options}"]
        rows.append((engine.name, "; ".join(filter(None, parts))))
    rows += [("files", ", ".join(result.files)), ("limit", result.limit_text()), ("processes", str(result.workers))]
    return rows + [row for row in (("machine", result.machine), ("command", result.command_line)) if row[1]]
