"""A position for human eyes: the board with its FEN, key and checks, and what its evaluation is made of."""

from __future__ import annotations

from zobra.engine.board import PIECE_LETTERS, square_name
from zobra.engine.fen import write_fen
from zobra.engine.piece_square import KIND_NAMES
from zobra.engine.position import TABLES_RECORD, Position
from zobra.engine.scores import unpack
from zobra.search.searcher import Searcher

RULE = " +" + "---+" * 8


def board_text(position: Position, chess960: bool) -> str:
    """The board from White's side, then Fen, Key and Checkers."""
    pieces = position.pieces()
    lines = [RULE]
    for rank in range(7, -1, -1):
        letters = [PIECE_LETTERS[pieces[s]] if s in pieces else " " for s in range(8 * rank, 8 * rank + 8)]
        lines += [" | " + " | ".join(letters) + f" | {rank + 1}", RULE]
    lines.append("   a   b   c   d   e   f   g   h\n")
    checkers = [square_name(square) for square in range(64) if int(position.record["checkers"]) >> square & 1]
    lines.append(f"Fen: {write_fen(position, shredder=chess960)}")
    lines.append(f"Key: {position.key:016X}")
    lines.append(f"Checkers: {' '.join(checkers)}")
    return "\n".join(lines)


def evaluation_text(position: Position, searcher: Searcher) -> str:
    """The piece-square sums by piece type, and the evaluation, in pawns from White's side."""
    table = TABLES_RECORD["piece_square"]
    lines = ["            |  White (mg, eg)  |  Black (mg, eg)"]
    pieces = position.pieces()
    for kind, name in enumerate(KIND_NAMES):
        sums = [sum(int(table[piece, square]) for square, piece in pieces.items() if piece == 2 * kind + c) for c in (0, 1)]
        cells = [" {:+7.2f} {:+7.2f} ".format(*(value / 100 for value in unpack(total))) for total in sums]
        lines.append(f"{name:>11} | {cells[0]} | {cells[1]}")
    relative = searcher.evaluate(position)
    white = -relative if position.side else relative
    lines.append(f"\nEvaluation: {white / 100:+.2f} pawns (White's side)" + (" [in check]" if position.in_check else ""))
    return "\n".join(lines)
