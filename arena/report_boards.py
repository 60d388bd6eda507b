"""Board pictures by python-chess. A page holds the empty board and the piece shapes once, each picture refers to them."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

import chess
import chess.svg

_SVG = "{http://www.w3.org/2000/svg}"
_EMPTY_BOARD = "empty-board"
EXPECTED_COLOUR, CHOSEN_COLOUR = "#15781bcc", "#c0281ecc"


def shared_shapes() -> str:
    """The hidden element with the shapes that all pictures of a page use."""
    shapes = ElementTree.fromstring(chess.svg.board(chess.Board()))
    definitions = shapes.find(f"{_SVG}defs")
    board = ElementTree.fromstring(chess.svg.board(None))
    empty = ElementTree.Element(f"{_SVG}g", {"id": _EMPTY_BOARD})
    empty.extend(child for child in board if child.tag != f"{_SVG}defs")
    assert definitions is not None
    definitions.append(empty)
    return f'<svg class="pieces" aria-hidden="true">{_text(definitions)}</svg>'


def picture(board: chess.Board, expected: Iterable[chess.Move], chosen: Iterable[chess.Move]) -> str:
    """A board seen from White's side, with green arrows for the expected moves and red ones for the chosen."""
    arrows = [_arrow(move, EXPECTED_COLOUR) for move in expected] + [_arrow(move, CHOSEN_COLOUR) for move in chosen]
    drawn = ElementTree.fromstring(chess.svg.board(board, arrows=arrows))
    shown = [_text(child) for child in drawn if child.tag.removeprefix(_SVG) in ("use", "line", "polygon")]
    label = f"position {board.fen()}"
    return (
        f'<svg viewBox="{drawn.get("viewBox")}" role="img" aria-label="{label}">'
        f'<use href="#{_EMPTY_BOARD}"/>{"".join(shown)}</svg>'
    )


def _arrow(move: chess.Move, colour: str) -> chess.svg.Arrow:
    return chess.svg.Arrow(move.from_square, move.to_square, color=colour)


def _text(element: ElementTree.Element) -> str:
    """An element as HTML understands it: without the names of XML namespaces."""
    text = ElementTree.tostring(element, encoding="unicode")
    return re.sub(r' (xmlns(:\w+)?|\w+:href)="[^"]*"', "", text).replace("<ns0:", "<").replace("</ns0:", "</")
