"""Win, draw and loss: the probabilities that a score stands for, fitted to games of Zobra against itself.

The chance to win is a logistic function of the score. Where it passes one half depends on the material left: the less there is,
the more it takes to win. The numbers are fitted by `zobra train wdl`. Idea: Stockfish's WDL model, by Joost VandeVondele.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

from zobra.engine.position import Position
from zobra.engine.scores import is_mate

FILE = Path(__file__).parent / "data" / "win_draw_loss.json"
PIECE_VALUES = (1, 3, 3, 5, 9, 0)  # of a pawn, knight, bishop, rook, queen, king
FULL_MATERIAL = 78  # both sides at the start
USUAL_MATERIAL = 0.54  # the share that is left at move 32: median of 368 games of Zobra against itself
CERTAIN = 20_000  # centipawns: the score of a result that endgame tables know, beyond any evaluation and below any mate


class Wdl(NamedTuple):
    """For the side to move, in permille; they add up to 1000."""

    win: int
    draw: int
    loss: int


class Model(NamedTuple):
    """Centipawns, but for `offset`: the score that wins half of the games is `base` + `rise` / (material + `offset`)."""

    base: float
    rise: float
    offset: float
    spread: float  # of the logistic function

    def even_chance(self, material: float) -> float:
        """The score that wins every other game, with this share of the material (0 to 1)."""
        return self.base + self.rise / (material + self.offset)

    def win(self, score: float, material: float) -> float:
        """Chance to win, 0 to 1."""
        return (1 + math.tanh((score - self.even_chance(material)) / (2 * self.spread))) / 2  # the logistic function


@cache
def fitted() -> Model:
    """The model in use."""
    facts = json.loads(FILE.read_text())
    return Model(*(float(facts[name]) for name in Model._fields))


def material_of(position: Position) -> float:
    """Share of the material of both sides that is left: 1 at the start, 0 for two kings."""
    return min(1.0, sum(PIECE_VALUES[piece >> 1] for piece in position.pieces().values()) / FULL_MATERIAL)


def normalised(score: int) -> int:
    """A score as it is shown: 100 wins every other game with the material usual at move 32. What is certain stays as it is."""
    return score if abs(score) >= CERTAIN else round(100 * score / fitted().even_chance(USUAL_MATERIAL))


def wdl(score: int, material: float) -> Wdl:
    """The chances that a score (centipawns or mate, for the side to move) stands for."""
    if is_mate(score):
        return Wdl(1000, 0, 0) if score > 0 else Wdl(0, 0, 1000)
    win, loss = fitted().win(score, material), fitted().win(-score, material)
    most = max(1.0, win + loss)  # where the fit leaves no draws
    win, loss = round(1000 * win / most), round(1000 * loss / most)
    return Wdl(win, max(0, 1000 - win - loss), min(loss, 1000 - win))
