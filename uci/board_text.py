"""A position for human eyes: the board with its FEN, key and checks, and what its evaluation is
made of.
"""

from collections.abc import Callable

import chess

from zobra.engine.board import PIECE_LETTERS
from zobra.engine.fen import write_fen
from zobra.engine.position import Position
from zobra.search.wdl import normalised

Evaluate = Callable[[Position], int]  # centipawns from the side to move

RANKS = {
    rank: range(8 * rank - 8, 8 * rank) for rank in range(8, 0, -1)
}  # squares, from the top of the board


def board_text(position: Position, chess960: bool) -> str:
    """The board from White's side, then Fen, Key and Checkers."""
    pieces, lines = position.pieces(), [rule := " +" + "---+" * 8]
    for rank, squares in RANKS.items():
        lines += [
            " | "
            + " | ".join(PIECE_LETTERS[pieces[s]] if s in pieces else " " for s in squares)
            + f" | {rank}",
            rule,
        ]
    checkers = " ".join(map(chess.square_name, chess.SquareSet(int(position.record["checkers"]))))
    lines += [
        "   a   b   c   d   e   f   g   h\n",
        f"Fen: {write_fen(position, shredder=chess960)}",
    ]
    return "\n".join([*lines, f"Key: {position.key:016X}", f"Checkers: {checkers}"])


def white_evaluation(position: Position, evaluate: Evaluate) -> int:
    """The static evaluation in centipawns, from White's side."""
    relative = evaluate(position)
    return relative if position.white_to_move() else -relative


def piece_values(position: Position, evaluate: Evaluate) -> dict[int, int]:
    """By square: what the evaluation (centipawns, for White) loses when this piece, no king, is
    taken off the board.
    """
    board = position.to_board()
    board.castling_rights, board.ep_square = chess.BB_EMPTY, None
    whole, values = white_evaluation(Position.from_board(board), evaluate), {}
    for square, piece in board.piece_map().items():
        if piece.piece_type != chess.KING:
            board.remove_piece_at(square)
            values[square] = whole - white_evaluation(Position.from_board(board), evaluate)
            board.set_piece_at(square, piece)
    return values


def evaluation_text(position: Position, evaluate: Evaluate) -> str:
    """A board with the value of each piece below it, then the evaluation; in pawns from White's
    side.
    """
    pieces, values, rule = position.pieces(), piece_values(position, evaluate), "+" + "-------+" * 8
    lines = [rule]
    for squares in RANKS.values():
        lines.append(
            "|"
            + "|".join(f"{PIECE_LETTERS[pieces[s]] if s in pieces else '':^7}" for s in squares)
            + "|"
        )
        lines.append(
            "|"
            + "|".join(
                f"{normalised(values[s]) / 100:^+7.2f}" if s in values else " " * 7 for s in squares
            )
            + "|"
        )
        lines.append(rule)
    evaluation = normalised(white_evaluation(position, evaluate)) / 100
    check = " [in check]" if position.in_check else ""
    return "\n".join([*lines, f"\nEvaluation: {evaluation:+.2f} pawns (White's side){check}"])
