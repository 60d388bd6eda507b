"""How well moves were played: winning chances, marks for mistakes, accuracy.

The formulas and thresholds are those that lichess.org publishes on its page about accuracy, except
that the accuracy of a side is the plain mean over its moves; python-chess implements the curve of
winning chances.
"""

import math
from dataclasses import dataclass, field
from statistics import mean

import chess
import chess.engine
import chess.pgn

SIDE_NAMES = {chess.WHITE: "White", chess.BLACK: "Black"}
# loss of winning chance from which a move is marked, with its glyph and names; the worst first
MARKS = (
    (0.15, chess.pgn.NAG_BLUNDER, "blunder", "blunders"),
    (0.10, chess.pgn.NAG_MISTAKE, "mistake", "mistakes"),
    (0.05, chess.pgn.NAG_DUBIOUS_MOVE, "inaccuracy", "inaccuracies"),
)
_LARGEST_LOSS = 1000  # centipawns that one move adds to the average loss at most


def winning_chance(score: chess.engine.Score) -> float:
    """Return the expected score, 0 to 1, of the side whose score this is."""
    return score.wdl(model="lichess").expectation()


def mark(loss: float) -> int | None:
    """Return the NAG (numeric annotation glyph) of a move that loses this much winning chance.

    It stands for ?!, ? or ??; a good move has None.
    """
    for bound, nag, *_ in MARKS:
        if loss >= bound:
            return nag
    return None


def move_accuracy(loss: float) -> float:
    """Return the accuracy, 0 to 100, of a move that loses this much winning chance (0 to 1)."""
    return min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * loss) - 3.1669))


def centipawn_loss(best: chess.engine.Score, played: chess.engine.Score) -> int:
    """Return what a move lost, given the scores before and after it from the mover's view.

    Mates and scores beyond the largest loss count as that loss.
    """
    return max(0, _bounded(best) - _bounded(played))


def _bounded(score: chess.engine.Score) -> int:
    return min(_LARGEST_LOSS, max(-_LARGEST_LOSS, score.score(mate_score=100_000)))


@dataclass
class SideSummary:
    """How one side played: the winning chance and the centipawns that each of its moves lost."""

    chances: list[float] = field(default_factory=list)
    centipawns: list[int] = field(default_factory=list)

    @property
    def accuracy(self) -> float | None:
        """The accuracy from 0 to 100, or None if the side has no moves."""
        return mean(map(move_accuracy, self.chances)) if self.chances else None

    def __str__(self) -> str:
        """Return the number of marks as text.

        For example "2 inaccuracies, 1 mistake, 0 blunders; average loss 23 centipawns".
        """
        marks = [mark(loss) for loss in self.chances]
        words = []
        for _, nag, one, several in reversed(MARKS):
            number = marks.count(nag)
            words.append(f"{number} {one if number == 1 else several}")
        text = ", ".join(words)
        if self.centipawns:
            text += f"; average loss {mean(self.centipawns):.0f} centipawns"
        return text
