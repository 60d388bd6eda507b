"""Win, draw and loss: the probabilities for a score, fitted to games of Zobra against itself.

The chance to win is a logistic function of the score. The score at which it passes one half depends
on the pieces left: the fewer there are, the more it takes to win. The numbers are fitted by `zobra
train wdl`. Idea: Stockfish's WDL model, by Joost VandeVondele.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zobra.engine.position import Position
from zobra.engine.scores import is_mate

FILE = Path(__file__).parent / "data" / "win_draw_loss.json"
MOST_PIECES = 30  # of both sides, without the kings
USUAL_MATERIAL = 0.6  # the share of them at move 32, median of 530 games at 8+0.08
# Internal units: a result that endgame tablebases know, beyond usual evaluations and below any mate
CERTAIN = 20_000


class Wdl(NamedTuple):
    """Win, draw and loss for the side to move, in permille; they add up to 1000."""

    win: int
    draw: int
    loss: int


class Model(NamedTuple):
    """The parameters in internal units, except `offset` and `growth`, which have no unit.

    The methods take numbers or arrays; `material` is from 0 to 1.
    """

    base: float
    rise: float
    offset: float
    spread: float  # of the logistic function at a score of 0
    growth: float  # of the spread with the score; above 1 the chance to win would not always rise

    def even_chance(self, material: Any) -> Any:
        """Return the score at which half of the games are won."""
        return self.base + self.rise / (material + self.offset)

    def win(self, score: Any, material: Any) -> Any:
        """Return the chance to win, 0 to 1."""
        even = self.even_chance(material)
        size = np.abs(score)
        spread = self.spread * (1 + self.growth * size / (np.maximum(even, 1.0) + size))
        return (1 + np.tanh((score - even) / (2 * spread))) / 2  # the logistic function


@cache
def fitted() -> Model:
    """Return the model in use."""
    numbers = json.loads(FILE.read_text(encoding="utf-8"))
    return Model(*(numbers[name] for name in Model._fields))


def material_of(position: Position) -> float:
    """Return the share of pieces left on the board: 1 at the start, 0 for two kings.

    Weighting the pieces by their values does not improve the fit.
    """
    return (len(position.pieces()) - 2) / MOST_PIECES


def normalised(score: int) -> int:
    """Return a score as it is shown.

    At 100 half of the games are won, with the number of pieces that is usual at move 32. Mate and
    tablebase scores are unchanged.
    """
    if abs(score) >= CERTAIN:
        return score
    return round(100 * score / fitted().even_chance(USUAL_MATERIAL))


def wdl(score: int, material: float) -> Wdl:
    """Return the chances for a score (internal units or mate) of the side to move."""
    if is_mate(score):
        return Wdl(1000, 0, 0) if score > 0 else Wdl(0, 0, 1000)
    chances = fitted().win(np.array([score, -score]), material)
    chances /= max(1.0, chances.sum())  # more than 1 where the fit leaves no draws
    win = round(1000 * chances[0])
    loss = round(1000 * chances[1])
    return Wdl(win, max(0, 1000 - win - loss), min(loss, 1000 - win))
