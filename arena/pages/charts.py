"""What pages are made of: Jinja templates, charts and board pictures.

A page works offline and fetches nothing.

Charts are data, which charts.js draws with uPlot; colours are names of CSS variables. Boards are
drawn by python-chess; a page holds the empty boards and the pieces once, and each picture refers to
them.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import chess
import chess.svg
import numpy as np
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

COLOURS = [f"series-{number}" for number in range(1, 7)]
_DATA = Path(__file__).parent / "data"
_SVG = "{http://www.w3.org/2000/svg}"
_EMPTY_BOARDS = {chess.WHITE: "board-of-white", chess.BLACK: "board-of-black"}

Chart = dict[str, Any]


def render(template: str, **content: Any) -> str:
    """A page from one of the templates in data/. Texts are escaped unless they are Markup."""

    def asset(name: str) -> Markup:
        return Markup((_DATA / name).read_text(encoding="utf-8"))

    environment = Environment(
        loader=FileSystemLoader(_DATA), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    # as a module inside a page cannot be imported, the viewer's export becomes a global name
    viewer = asset("pgn-viewer.min.js").replace(
        "export{ba as default}", "globalThis.LichessPgnViewer=ba"
    )
    environment.globals |= {"asset": asset, "viewer": Markup(viewer)}
    return environment.get_template(template).render(content)


def chart(x: Sequence[float], series: list[Chart], xlabel: str, ylabel: str, **more: Any) -> Chart:
    """Lines over common x values.

    Each of the series has label, colour and y, and where it has a band low and high; all values are
    numbers or None. Further keys: levels (dashed lines), range (of y), log (x axis), steps (instead
    of lines).
    """
    return {
        "x": list(x),
        "series": series,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "levels": [],
        **more,
    }


def steps_over_time(
    series: Sequence[tuple[str, str, Sequence[float]]], total: int, xlabel: str
) -> Chart | None:
    """How many of `total` were reached by when: one rising line per series (label, colour, times);
    None without times.
    """
    times = {label: sorted(max(time, 1.0) for time in reached) for label, _, reached in series}
    reached_at = {time for reached in times.values() for time in reached}
    if not reached_at:
        return None
    moments = sorted(
        {1.0, *reached_at, max(reached_at) * 1.2}
    )  # lines begin at 1 and do not end with a step
    lines: list[Chart] = [
        {
            "label": label,
            "colour": colour,
            "y": [bisect_right(times[label], moment) for moment in moments],
        }
        for label, colour, _ in series
    ]
    return chart(
        moments, lines, xlabel, f"solved (of {total})", levels=[total], log=True, steps=True
    )


def bands_by_move(
    values: Iterable[tuple[str, int, float | None]],
    colours: dict[str, str],
    middle: float,
    ylabel: str,
) -> Chart | None:
    """Medians by move number of (label, number, value), with a band that holds the `middle`
    percent. `colours` are those of the labels that are shown. Numbers that few games reached are
    left out; None where nothing is left.
    """
    found: dict[str, dict[int, list[float]]] = {label: defaultdict(list) for label in colours}
    for label, number, value in values:
        if label in found and value is not None:
            found[label][number].append(value)
    lines, shares = {}, [50 - middle / 2, 50, 50 + middle / 2]
    for label, by_number in found.items():
        enough = max(3, max(map(len, by_number.values()), default=0) // 50)
        lines[label] = {
            n: np.percentile(v, shares).round(3).tolist()
            for n, v in by_number.items()
            if len(v) >= enough
        }
    numbers = sorted(set().union(*lines.values()))
    series = [
        {"label": label, "colour": colours[label]}
        | {
            key: [line.get(n, [None] * 3)[at] for n in numbers]
            for at, key in enumerate(("low", "y", "high"))
        }
        for label, line in lines.items()
        if line
    ]
    return chart(numbers, series, "move", ylabel) if numbers else None


def shared_shapes() -> Markup:
    """The hidden element with the shapes that all board pictures of a page use."""
    definitions = ElementTree.fromstring(chess.svg.board(chess.Board())).find(f"{_SVG}defs")
    assert definitions is not None
    for orientation, name in _EMPTY_BOARDS.items():
        empty = ElementTree.SubElement(
            definitions, f"{_SVG}g", {"id": name, "class": "empty-board"}
        )
        board = ElementTree.fromstring(chess.svg.board(None, orientation=orientation))
        empty.extend(child for child in board if child.tag != f"{_SVG}defs")
    return Markup(f'<svg class="pieces" aria-hidden="true">{_as_html(definitions)}</svg>')


def board_picture(board: chess.Board, arrows: Iterable[tuple[chess.Move, str]]) -> Markup:
    """A board seen by the side to move, with arrows: moves and their colours, as CSS names them."""
    drawn_arrows = [
        chess.svg.Arrow(move.from_square, move.to_square, color=colour) for move, colour in arrows
    ]
    drawn = ElementTree.fromstring(
        chess.svg.board(board, orientation=board.turn, arrows=drawn_arrows)
    )
    shown = [
        _as_html(child)
        for child in drawn
        if child.tag.removeprefix(_SVG) in ("use", "line", "polygon")
    ]
    return Markup(
        '<svg viewBox="{}" role="img" aria-label="position {}"><use href="#{}"/>{}</svg>'
    ).format(drawn.get("viewBox"), board.fen(), _EMPTY_BOARDS[board.turn], Markup("".join(shown)))


def _as_html(element: ElementTree.Element) -> str:
    """An element as HTML understands it: without the names of XML namespaces."""
    text = ElementTree.tostring(element, encoding="unicode")
    return (
        re.sub(r' (xmlns(:\w+)?|\w+:href)="[^"]*"', "", text)
        .replace("<ns0:", "<")
        .replace("</ns0:", "</")
    )
