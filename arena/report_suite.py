"""The page for suite results: engines side by side, solutions over time, and a board for every failed position."""

from html import escape

import chess

from zobra.arena.epd import SuitePosition
from zobra.arena.report_boards import picture, shared_shapes
from zobra.arena.report_html import figure, figures, html_page, section, table
from zobra.arena.report_plots import plot, steps_over_time
from zobra.arena.suite_display import asked, mate_text, move_san, summary_rows, told
from zobra.arena.suite_results import Outcome, SuiteResult


def page(result: SuiteResult) -> str:
    """The page as HTML. Raises MissingMatplotlib."""
    names = " and ".join(file.replace("\\", "/").rsplit("/", 1)[-1] for file in result.files)
    subtitle = f"{len(result.positions)} positions at {result.limit_text()}, {result.created.replace('T', ' ')}"
    if not result.finished:
        subtitle += "; not finished"
    sections = [
        _key_figures(result),
        section("Engines", _comparison(result)),
        section("Solutions over time", _time_plot(result)),
        section("Failed positions", _failed(result)),
        section("All positions", _all_positions(result)),
        section("Lines that cannot be used", _bad_lines(result)),
    ]
    return html_page(f"Suite {names}", subtitle, sections)


def _key_figures(result: SuiteResult) -> str:
    count = len(result.positions)
    return figures(
        (engine.name, f"{engine.solved} of {count}", f"{engine.solved / count:.1%} solved" if count else "")
        for engine in result.engines
    )


def _comparison(result: SuiteResult) -> str:
    rows = [[escape(cell) for cell in row] for row in summary_rows(result)]
    return table(["", *(engine.name for engine in result.engines)], rows)


def _time_plot(result: SuiteResult) -> str:
    times = [(engine.name, engine.solution_times()) for engine in result.engines]
    if not any(series for _, series in times):
        return ""
    draw = steps_over_time(times, len(result.positions), "milliseconds to the first stable solution")
    drawing = plot(draw, name="solutions", label="Solved positions over time")
    return figure(drawing, "From then on the engine never left the solution again.")


def _failed(result: SuiteResult) -> str:
    failed = [
        _failed_position(result, index, position)
        for index, position in enumerate(result.positions)
        if any(outcome is not None and not outcome.solved for outcome in _outcomes(result, index))
    ]
    legend = '<p class="soft">Green arrows: expected moves. Red arrows: what an engine played instead.</p>'
    return f'{shared_shapes()}{legend}<div class="boards">{"".join(failed)}</div>' if failed else ""


def _outcomes(result: SuiteResult, index: int) -> list[Outcome | None]:
    return [engine.outcomes[index] for engine in result.engines]


def _failed_position(result: SuiteResult, index: int, position: SuitePosition) -> str:
    board = position.board()
    expected = [board.parse_uci(move) for move in position.best or position.worthiest]
    wrong = dict.fromkeys(o.move for o in _outcomes(result, index) if o and not o.solved and o.move)
    # a move that is right but unproven keeps its green arrow alone
    chosen = [move for move in map(board.parse_uci, wrong) if move not in expected]
    side = "White" if board.turn == chess.WHITE else "Black"
    lines = []
    for engine in result.engines:
        outcome = engine.outcomes[index]
        if outcome:
            kind = "good" if outcome.solved else "bad"
            text = " ".join(filter(None, (engine.name, move_san(position, outcome.move), score_text(outcome))))
            lines.append(f'<li class="{kind}">{escape(text)}</li>')
    return (
        f"<figure>{picture(board, expected, chosen)}<figcaption><strong>{escape(position.name)}</strong><br>"
        f'<span class="soft">{side} to move, {escape(asked(position))}</span><ul>{"".join(lines)}</ul></figcaption></figure>'
    )


def score_text(outcome: Outcome) -> str:
    """The engine's score from the side to move: "+1.25", or "mate in 3"; empty when it gave none."""
    if outcome.mate is not None:
        return mate_text(outcome.mate)
    return "" if outcome.score_cp is None else f"{outcome.score_cp / 100:+.2f}"


def _all_positions(result: SuiteResult) -> str:
    rows = []
    for index, position in enumerate(result.positions):
        cells = [_cell(position, outcome) for outcome in _outcomes(result, index)]
        rows.append([escape(position.name), escape(asked(position)), *cells])
    return table(["position", "asked", *(engine.name for engine in result.engines)], rows, tall=True)


def _cell(position: SuitePosition, outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return f'<span class="{"good" if outcome.solved else "bad"}">{escape(told(position, outcome))}</span>'


def _bad_lines(result: SuiteResult) -> str:
    rows = [[escape(f"{bad.file}:{bad.line}"), escape(bad.problem), escape(bad.text)] for bad in result.bad_lines]
    return table(["line", "problem", "text"], rows, tall=True) if rows else ""
