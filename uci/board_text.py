"""A position as text: its board, FEN, key and checks, and the value of each piece."""

from collections.abc import Callable

import chess

from zobra.engine.board import PIECE_LETTERS
from zobra.engine.fen import write_fen
from zobra.engine.position import Position
from zobra.search.wdl import normalised

Evaluate = Callable[[Position], int]  # internal units from the side to move

# The squares of each rank, from the top of the board
RANKS = {rank: range(8 * rank - 8, 8 * rank) for rank in range(8, 0, -1)}


def board_text(position: Position, chess960: bool) -> str:
    """Return the board from White's side, then Fen, Key and Checkers."""
    letters = {square: PIECE_LETTERS[piece] for square, piece in position.pieces().items()}
    rule = " +" + "---+" * 8
    lines = [rule]
    for rank, squares in RANKS.items():
        row = " | ".join(letters.get(square, " ") for square in squares)
        lines += [f" | {row} | {rank}", rule]
    lines += ["   a   b   c   d   e   f   g   h", ""]

    checkers = chess.SquareSet(int(position.record["checkers"]))
    lines.append(f"Fen: {write_fen(position, shredder=chess960)}")
    lines.append(f"Key: {position.key:016X}")
    lines.append(f"Checkers: {' '.join(map(chess.square_name, checkers))}")
    return "\n".join(lines)


def white_evaluation(position: Position, evaluate: Evaluate) -> int:
    """Return the static evaluation in internal units for White."""
    relative = evaluate(position)
    return relative if position.white_to_move() else -relative


def piece_values(position: Position, evaluate: Evaluate) -> dict[int, int]:
    """Return the value of each piece in internal units for White, by square.

    It is what the evaluation loses when the piece is taken off the board. Kings have no value.
    """
    board = position.to_board()
    board.castling_rights = chess.BB_EMPTY
    board.ep_square = None
    whole = white_evaluation(Position.from_board(board), evaluate)
    values = {}
    for square, piece in board.piece_map().items():
        if piece.piece_type != chess.KING:
            board.remove_piece_at(square)
            values[square] = whole - white_evaluation(Position.from_board(board), evaluate)
            board.set_piece_at(square, piece)
    return values


def evaluation_text(position: Position, evaluate: Evaluate) -> str:
    """Return a board with the value of each piece below it, then the evaluation.

    Both are in pawns for White.
    """
    letters = {square: PIECE_LETTERS[piece] for square, piece in position.pieces().items()}
    values = {}
    for square, value in piece_values(position, evaluate).items():
        values[square] = f"{normalised(value) / 100:+.2f}"

    rule = "+" + "-------+" * 8
    lines = [rule]
    for squares in RANKS.values():
        for texts in (letters, values):
            row = "|".join(f"{texts.get(square, ''):^7}" for square in squares)
            lines.append(f"|{row}|")
        lines.append(rule)
    evaluation = normalised(white_evaluation(position, evaluate)) / 100
    check = " [in check]" if position.in_check else ""
    return "\n".join([*lines, f"\nEvaluation: {evaluation:+.2f} pawns (White's side){check}"])
