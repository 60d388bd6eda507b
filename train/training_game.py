"""A training game, and its text as PGN."""

from __future__ import annotations

from dataclasses import dataclass

import chess
import chess.pgn
import numpy as np

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.train.game_kernel import ENDINGS

RESULTS = ("0-1", "1/2-1/2", "1-0")


class DataError(ValueError):
    """Data that cannot be used; the message names the file and the fault."""


@dataclass(frozen=True)
class TrainingGame:
    """One game: FEN after the opening, moves (uint16) and scores (int16, centipawns for White) of equal length.

    `result` is in half points for White, `ending` an index into ENDINGS.
    """

    number: int
    fen: str
    result: int
    ending: int
    moves: np.ndarray
    scores: np.ndarray


def score_text(white: int) -> str:
    """A score for White as text: pawns, or moves to mate."""
    return f"#{mate_in_moves(white)}" if is_mate(white) else f"{white / 100:+.2f}"


def as_pgn(game: TrainingGame) -> str:
    """The game with the scores for White as comments."""
    tree = chess.pgn.Game()
    tree.setup(chess.Board(game.fen))
    tree.headers.update(Event="self-play", White="Zobra", Black="Zobra", Round=str(game.number))
    tree.headers.update(Result=RESULTS[game.result], Termination=ENDINGS[game.ending])
    node: chess.pgn.GameNode = tree
    for move, score in zip(game.moves.tolist(), game.scores.tolist(), strict=True):
        node = node.add_variation(chess.Move.from_uci(move_text(move)), comment=score_text(score))
    return str(tree)
