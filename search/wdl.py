"""Win, draw and loss: the probabilities that a score stands for, fitted to games of Zobra against
itself.

The chance to win is a logistic function of the score. Where it passes one half depends on the
pieces left: the fewer there are, the more it takes to win. The numbers are fitted by `zobra train
wdl`. Idea: Stockfish's WDL model, by Joost VandeVondele.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from zobra.engine.position import Position
from zobra.engine.scores import is_mate

FILE = Path(__file__).parent / "data" / "win_draw_loss.json"
MOST_PIECES, USUAL_MATERIAL = (
    30,
    0.6,
)  # of both sides, but the kings; the share left at move 32, median of 530 games at 8+0.08
# Centipawns: the score of a result that endgame tables know, beyond any evaluation and below any
# mate
CERTAIN = 20_000


class Wdl(NamedTuple):
    """For the side to move, in permille; they add up to 1000."""

    win: int
    draw: int
    loss: int


class Model(NamedTuple):
    """Centipawns, but for `offset` and `growth`.

    The methods take numbers or arrays; `material` is from 0 to 1.
    """

    base: float
    rise: float
    offset: float
    spread: float  # of the logistic function at a score of 0
    # By this share it grows with the score, up to 1: with more, the chance to win would not always
    # rise
    growth: float

    def even_chance(self, material: Any) -> Any:
        """The score that wins every other game."""
        return self.base + self.rise / (material + self.offset)

    def win(self, score: Any, material: Any) -> Any:
        """Chance to win, 0 to 1."""
        even, size = self.even_chance(material), np.abs(score)
        spread = self.spread * (1 + self.growth * size / (np.maximum(even, 1.0) + size))
        return (1 + np.tanh((score - even) / (2 * spread))) / 2  # the logistic function


@cache
def fitted() -> Model:
    """The model in use."""
    return Model(*map(json.loads(FILE.read_text()).__getitem__, Model._fields))


def material_of(position: Position) -> float:
    """Share of the pieces of both sides that is left: 1 at the start, 0 for two kings.

    Their values would tell no more.
    """
    return (len(position.pieces()) - 2) / MOST_PIECES


def normalised(score: int) -> int:
    """A score as it is shown: 100 wins every other game with the pieces usual at move 32.

    What is certain stays as it is.
    """
    return (
        score
        if abs(score) >= CERTAIN
        else round(100 * score / fitted().even_chance(USUAL_MATERIAL))
    )


def wdl(score: int, material: float) -> Wdl:
    """The chances that a score (centipawns or mate, for the side to move) stands for."""
    if is_mate(score):
        return Wdl(1000, 0, 0) if score > 0 else Wdl(0, 0, 1000)
    chances = fitted().win(np.array([score, -score]), material)
    win, loss = map(
        round, 1000 * chances / max(1.0, chances.sum())
    )  # more than 1 where the fit leaves no draws
    return Wdl(win, max(0, 1000 - win - loss), min(loss, 1000 - win))
