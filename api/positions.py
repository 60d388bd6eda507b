"""Positions of python-chess to Zobra's, and what is computed for them without a search."""

from __future__ import annotations

from collections.abc import Iterable

import chess
import numpy as np

from zobra.engine.fen import check_board
from zobra.engine.network import BATCH, EVALUATIONS, evaluate_batch
from zobra.engine.perft import count_leaves
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.wdl import normalised


def position(board: chess.Board | Position) -> Position:
    """Zobra's position of a board; ValueError if chess or Chess960 cannot be played from there."""
    if isinstance(board, Position):
        return board
    if board.uci_variant != "chess":
        raise ValueError(f"Zobra plays chess and Chess960, not {board.uci_variant}")
    check_board(board)
    return Position.from_board(board)


def evaluate(boards: Iterable[chess.Board | Position]) -> np.ndarray:
    """Static evaluations by the network: one int64 for each board, in centipawns for White as the scores of a search are."""
    positions = [position(board) for board in boards]
    batch, scores = np.zeros(1, EVALUATIONS), np.zeros(len(positions), np.int64)
    for start in range(0, len(positions), BATCH):
        part = positions[start : start + BATCH]
        batch["positions"][0, : len(part)] = [each.record for each in part]
        evaluate_batch(TABLES_RECORD["network"], batch[0], len(part))
        scores[start : start + BATCH] = [normalised(int(score)) for score in batch["scores"][0, : len(part)]]
    return scores


def perft(board: chess.Board | Position, depth: int) -> int:
    """Number of sequences of `depth` legal moves; depth 1 counts the legal moves. ValueError for a depth above 32."""
    return count_leaves(position(board), depth)
