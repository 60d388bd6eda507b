"""Diagrams of boards, drawn by python-chess.

A page has the empty boards and the pieces once, and each diagram refers to them.
"""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

import chess
import chess.svg
from markupsafe import Markup

_SVG = "{http://www.w3.org/2000/svg}"
_EMPTY_BOARDS = {chess.WHITE: "board-of-white", chess.BLACK: "board-of-black"}


def shared_shapes() -> Markup:
    """Return the hidden element with the shapes that all diagrams of a page use."""
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
    """Return a diagram of a board, seen from the side to move, with arrows.

    An arrow is a move and its CSS colour.
    """
    drawn_arrows = []
    for move, colour in arrows:
        drawn_arrows.append(chess.svg.Arrow(move.from_square, move.to_square, color=colour))
    picture = chess.svg.board(board, orientation=board.turn, arrows=drawn_arrows)
    drawn = ElementTree.fromstring(picture)
    shown = []
    for child in drawn:
        if child.tag.removeprefix(_SVG) in ("use", "line", "polygon"):
            shown.append(_as_html(child))
    return Markup(
        '<svg viewBox="{}" role="img" aria-label="position {}"><use href="#{}"/>{}</svg>'
    ).format(drawn.get("viewBox"), board.fen(), _EMPTY_BOARDS[board.turn], Markup("".join(shown)))


def _as_html(element: ElementTree.Element) -> str:
    """Return an element as HTML, without the names of XML namespaces."""
    text = ElementTree.tostring(element, encoding="unicode")
    text = re.sub(r' (xmlns(:\w+)?|\w+:href)="[^"]*"', "", text)
    return text.replace("<ns0:", "<").replace("</ns0:", "</")
