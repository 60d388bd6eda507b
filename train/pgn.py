"""A training game as PGN, each move with its score."""

from __future__ import annotations

import chess
import chess.pgn

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.train.game_kernel import ENDINGS
from zobra.train.games import TrainingGame

RESULTS = ("0-1", "1/2-1/2", "1-0")


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
