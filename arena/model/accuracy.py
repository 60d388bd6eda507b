"""How well moves were played: winning chances, marks for mistakes, accuracy.

The formulas and bounds are those that lichess.org publishes on its page about accuracy;
python-chess has its curve of chances.
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
    """The expected points, 0 to 1, of the side from whose view the score is."""
    return score.wdl(model="lichess").expectation()


def mark(loss: float) -> int | None:
    """The NAG (numeric annotation glyph) of a move that loses this much winning chance: ?!, ? or
    ??, None for a good move.
    """
    return next((nag for bound, nag, *_ in MARKS if loss >= bound), None)


def move_accuracy(loss: float) -> float:
    """The accuracy, 0 to 100, of a move that loses this much winning chance (0 to 1)."""
    return min(100.0, max(0.0, 103.1668 * math.exp(-4.354 * loss) - 3.1669))


def centipawn_loss(best: chess.engine.Score, played: chess.engine.Score) -> int:
    """What a move lost, both scores from the mover's view; mates count as the largest loss."""
    best_cp, played_cp = (
        min(_LARGEST_LOSS, max(-_LARGEST_LOSS, s.score(mate_score=100_000))) for s in (best, played)
    )
    return max(0, best_cp - played_cp)


@dataclass
class SideSummary:
    """How one side played: for each of its moves the winning chance and the centipawns that it
    lost.
    """

    chances: list[float] = field(default_factory=list)
    centipawns: list[int] = field(default_factory=list)

    @property
    def accuracy(self) -> float | None:
        """The accuracy from 0 to 100, None without moves."""
        return mean(map(move_accuracy, self.chances)) if self.chances else None

    def __str__(self) -> str:
        """The marks in words: "2 inaccuracies, 1 mistake, 0 blunders; average loss 23
        centipawns".
        """
        marks = [mark(loss) for loss in self.chances]
        words = [
            f"{(n := marks.count(nag))} {one if n == 1 else several}"
            for _, nag, one, several in reversed(MARKS)
        ]
        average = (
            f"; average loss {mean(self.centipawns):.0f} centipawns" if self.centipawns else ""
        )
        return ", ".join(words) + average
