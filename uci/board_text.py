"""A position for human eyes: the board with its FEN, key and checks, and what its evaluation is made of."""

from __future__ import annotations

import chess

from zobra.engine.board import PIECE_LETTERS, SQUARE_NAMES
from zobra.engine.fen import write_fen
from zobra.engine.position import Position
from zobra.search.searcher import Searcher
from zobra.search.wdl import normalised

RULE = " +" + "---+" * 8


def board_text(position: Position, chess960: bool) -> str:
    """The board from White's side, then Fen, Key and Checkers."""
    pieces = position.pieces()
    lines = [RULE]
    for rank in range(7, -1, -1):
        letters = [PIECE_LETTERS[pieces[s]] if s in pieces else " " for s in range(8 * rank, 8 * rank + 8)]
        lines += [" | " + " | ".join(letters) + f" | {rank + 1}", RULE]
    lines.append("   a   b   c   d   e   f   g   h\n")
    checkers = [SQUARE_NAMES[square] for square in range(64) if int(position.record["checkers"]) >> square & 1]
    lines.append(f"Fen: {write_fen(position, shredder=chess960)}")
    lines.append(f"Key: {position.key:016X}")
    lines.append(f"Checkers: {' '.join(checkers)}")
    return "\n".join(lines)


def piece_worths(position: Position, searcher: Searcher) -> dict[int, int]:
    """By square: what the evaluation (centipawns, for White) loses when this piece, no king, is taken off the board."""

    def white() -> int:
        relative = searcher.evaluate(Position.from_board(board))
        return -relative if position.side else relative

    board = position.to_board()
    board.castling_rights, board.ep_square = chess.BB_EMPTY, None
    whole, worths = white(), {}
    for square, piece in board.piece_map().items():
        if piece.piece_type != chess.KING:
            board.remove_piece_at(square)
            worths[square] = whole - white()
            board.set_piece_at(square, piece)
    return worths


def worths_text(position: Position, searcher: Searcher) -> list[str]:
    """The board as the evaluation sees it: below each piece what it is worth, in pawns from White's side."""
    pieces, worths = position.pieces(), piece_worths(position, searcher)
    rule = "+" + "-------+" * 8
    lines = [rule]
    for rank in range(7, -1, -1):
        squares = range(8 * rank, 8 * rank + 8)
        lines.append("|" + "|".join(f"{PIECE_LETTERS[pieces[s]] if s in pieces else '':^7}" for s in squares) + "|")
        lines.append("|" + "|".join(f"{normalised(worths[s]) / 100:^+7.2f}" if s in worths else " " * 7 for s in squares) + "|")
        lines.append(rule)
    return lines


def evaluation_text(position: Position, searcher: Searcher) -> str:
    """What the evaluation is made of, and the evaluation, in pawns from White's side."""
    lines = worths_text(position, searcher)
    relative = searcher.evaluate(position)
    white = -relative if position.side else relative
    lines.append(
        f"\nEvaluation: {normalised(white) / 100:+.2f} pawns (White's side)" + (" [in check]" if position.in_check else "")
    )
    return "\n".join(lines)
