"""Conversion of python-chess boards to positions and games, and answers without a search."""

import logging
from collections.abc import Iterable

import chess
import numpy as np
import numpy.typing as npt

from zobra.engine.fen_reader import check_board
from zobra.engine.move import move_text
from zobra.engine.network import BATCH, EVALUATIONS, built_in_network, evaluate_batch
from zobra.engine.perft import MAX_DEPTH, count_leaves
from zobra.engine.position import Game, Position
from zobra.search.wdl import normalised

LOGGER = logging.getLogger(__name__)


def position(board: chess.Board | Position) -> Position:
    """Return Zobra's position of a board.

    Castling rights without a king and rook in place, and en-passant squares that no pawn has just
    passed, are dropped with a warning in the log. Raise ValueError if neither chess nor Chess960
    can be played from the position.
    """
    if isinstance(board, Position):
        return board
    found, notices = _read(board)
    for notice in notices:
        LOGGER.warning(notice)
    return found


def game_of(board: chess.Board) -> Game:
    """Return the game that leads to a board by the moves on its stack.

    Raise ValueError if a move is illegal, or if the moves lead to a different position.
    """
    game = Game(position(board.root()))
    for move in board.move_stack:
        game.push(game.position.parse_move(move.uci()) if move else 0)

    present = _read(board)[0]
    is_same = game.position.key == present.key
    if not is_same or game.position.record["halfmove"] != present.record["halfmove"]:
        raise ValueError(
            "the position of the board is not the one that its moves lead to, perhaps because it "
            "was changed by hand: board.clear_stack() makes it the start of a new game"
        )
    return game


def evaluate(boards: Iterable[chess.Board | Position]) -> npt.NDArray[np.int64]:
    """Return the network's static evaluations of boards, without a search.

    The array has dtype int64: centipawns for White, on the scale of search scores.
    """
    positions = [position(board) for board in boards]
    batch = np.zeros(1, EVALUATIONS)
    scores = np.zeros(len(positions), np.int64)
    for start in range(0, len(positions), BATCH):
        part = positions[start : start + BATCH]
        batch["positions"][0, : len(part)] = [each.record for each in part]
        evaluate_batch(built_in_network()[0], batch[0], len(part))
        for index, score in enumerate(batch["scores"][0, : len(part)]):
            scores[start + index] = normalised(int(score))
    return scores


def perft(board: chess.Board | Position, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves; depth 1 counts the legal moves.

    Raise ValueError for a depth below 0 or above 32.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"perft takes a depth from 0 to {MAX_DEPTH}, not {depth}")
    return count_leaves(position(board), depth)


def python_move(move: int, chess960: bool) -> chess.Move | None:
    """Convert a move to python-chess's type, or NO_MOVE to None."""
    return chess.Move.from_uci(move_text(move, chess960)) if move else None


def _read(board: chess.Board) -> tuple[Position, list[str]]:
    """Return the position of a board, and notices of what was dropped. Raise ValueError."""
    if board.uci_variant != "chess":
        raise ValueError(f"Zobra plays chess and Chess960, not {board.uci_variant}")
    board = board.copy(stack=False)  # python-chess does not check the rights of one with moves
    notices = []
    rights = board.clean_castling_rights()
    if rights != board.castling_rights:
        dropped = chess.SquareSet(board.castling_rights & ~rights)
        squares = " ".join(chess.square_name(square) for square in dropped)
        notices.append(f"castling rights on {squares} without king or rook are dropped")
        board.castling_rights = rights
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        square = chess.square_name(board.ep_square or 0)
        notices.append(f"en-passant square {square} is dropped: no pawn has just passed it")
        board.ep_square = None
    check_board(board)
    return Position.from_board(board), notices
