"""The page of suite results."""

from itertools import cycle
from pathlib import PureWindowsPath
from typing import Any

import chess

from zobra.arena.formats.text import counted
from zobra.arena.model.suite_results import SuiteResult
from zobra.arena.model.suite_text import asked, mate_text, outcome_text, summary_rows
from zobra.arena.pages.boards import board_picture, shared_shapes
from zobra.arena.pages.charts import COLOURS, GREEN, steps_over_time
from zobra.arena.pages.templates import render

_EXPECTED = "var(--good)"
_SUITE_COLOURS = [colour for colour in COLOURS if colour != GREEN]  # green marks the expected moves


def suite_page(result: SuiteResult) -> str:
    """The page as HTML."""
    engines, count = result.engines, len(result.positions)
    colours = {
        engine.name: f"var(--{colour})"
        for engine, colour in zip(engines, cycle(_SUITE_COLOURS), strict=False)
    }
    times = [
        (e.name, colour, e.solution_times())
        for e, colour in zip(engines, cycle(_SUITE_COLOURS), strict=False)
    ]
    subtitle = [counted(count, "position"), result.limit_text(), result.created.replace("T", " ")]
    rows = []
    for position, *outcomes in zip(
        result.positions, *(engine.outcomes for engine in engines), strict=True
    ):
        cells = [
            (outcome.solved, outcome_text(position, outcome)) if outcome else (True, "")
            for outcome in outcomes
        ]
        rows.append((position.name, asked(position), cells))
    conditions = []
    for engine in engines:
        options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
        parts = [engine.version, " ".join(engine.command), options and f"options {options}"]
        conditions.append((engine.name, "; ".join(filter(None, parts))))
    conditions += [
        ("files", ", ".join(result.files)),
        ("limit", result.limit_text()),
        ("processes", str(result.workers)),
    ]
    conditions += [
        row for row in (("machine", result.machine), ("command", result.command_line)) if row[1]
    ]
    return render(
        "suite.html",
        title="Suite " + " and ".join(PureWindowsPath(file).name for file in result.files),
        subtitle=", ".join(subtitle if result.finished else [*subtitle, "not finished"]),
        figures=[
            (e.name, f"{e.solved} of {count}", f"{e.solved / count:.1%} solved" if count else "")
            for e in engines
        ],
        names=list(colours),
        legend=list(colours.items()),
        comparison=summary_rows(result),
        shapes=shared_shapes(),
        times=steps_over_time(times, count, "milliseconds to the first stable solution"),
        failed=list(
            filter(None, (_failed_position(result, index, colours) for index in range(count)))
        ),
        positions=rows,
        conditions=conditions,
        bad_lines=[[f"{bad.file}:{bad.line}", bad.problem, bad.text] for bad in result.bad_lines],
    )


def _failed_position(
    result: SuiteResult, index: int, colours: dict[str, str]
) -> dict[str, Any] | None:
    """A position that some engines did not solve, with what they played."""
    position, outcomes = (
        result.positions[index],
        {engine.name: engine.outcomes[index] for engine in result.engines},
    )
    failures = [
        (name, outcome)
        for name, outcome in outcomes.items()
        if outcome is not None and not outcome.solved
    ]
    if not failures:
        return None
    board = position.board()
    expected = [board.parse_uci(move) for move in position.best or position.best_paid]
    texts = []
    for name, outcome in failures:  # such as "Zobra Qg6 +1.25", the score from the side to move
        score = "" if outcome.score_cp is None else f"{outcome.score_cp / 100:+.2f}"
        score = score if outcome.mate is None else mate_text(outcome.mate)
        parts = (name, position.san(outcome.move), score, "" if outcome.move else outcome.why)
        texts.append((colours[name], " ".join(filter(None, parts))))
    # a move that is right but unproven keeps its green arrow alone
    wrong = [(board.parse_uci(o.move), colours[name]) for name, o in failures if o.move]
    variant = "chess960" if position.chess960 else "standard"
    return {
        "picture": board_picture(
            board,
            [(move, _EXPECTED) for move in expected] + [w for w in wrong if w[0] not in expected],
        ),
        "name": position.name,
        "side": "White" if board.turn == chess.WHITE else "Black",
        "asked": asked(position),
        "failures": texts,
        "solvers": ", ".join(name for name, o in outcomes.items() if o and o.solved),
        "fen": position.fen,
        "link": f"https://lichess.org/analysis/{variant}/{position.fen.replace(' ', '_')}",
    }
