"""A position for human eyes: the board with its FEN, key and checks, and what its evaluation is made of."""

from __future__ import annotations

from zobra.engine.board import KING, PIECE_LETTERS, square_name
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


def piece_worths(position: Position, searcher: Searcher) -> dict[int, int]:
    """By square: what the evaluation (centipawns, for White) loses when this piece, no king, is taken off the board."""

    def white(pieces: dict[int, int]) -> int:
        relative = searcher.evaluate(Position.from_pieces(pieces, position.side, 0, 0))
        return -relative if position.side else relative

    pieces = position.pieces()
    whole = white(pieces)
    others = {
        square: {s: p for s, p in pieces.items() if s != square} for square, piece in pieces.items() if piece >> 1 != KING
    }
    return {square: whole - white(rest) for square, rest in others.items()}


def network_text(position: Position, searcher: Searcher) -> list[str]:
    """The board as the network sees it: below each piece what it is worth, in pawns from White's side."""
    pieces, worths = position.pieces(), piece_worths(position, searcher)
    rule = "+" + "-------+" * 8
    lines = [rule]
    for rank in range(7, -1, -1):
        squares = range(8 * rank, 8 * rank + 8)
        lines.append("|" + "|".join(f"{PIECE_LETTERS[pieces[s]] if s in pieces else '':^7}" for s in squares) + "|")
        lines.append("|" + "|".join(f"{worths[s] / 100:^+7.2f}" if s in worths else " " * 7 for s in squares) + "|")
        lines.append(rule)
    return lines


def piece_square_text(position: Position) -> list[str]:
    """The piece-square sums by piece type, in pawns."""
    table = TABLES_RECORD["piece_square"]
    lines = ["            |  White (mg, eg)  |  Black (mg, eg)"]
    pieces = position.pieces()
    for kind, name in enumerate(KIND_NAMES):
        sums = [sum(int(table[piece, square]) for square, piece in pieces.items() if piece == 2 * kind + c) for c in (0, 1)]
        cells = [" {:+7.2f} {:+7.2f} ".format(*(value / 100 for value in unpack(total))) for total in sums]
        lines.append(f"{name:>11} | {cells[0]} | {cells[1]}")
    return lines


def evaluation_text(position: Position, searcher: Searcher) -> str:
    """What the evaluation is made of, and the evaluation, in pawns from White's side."""
    lines = network_text(position, searcher) if searcher.parameters["use_network"] else piece_square_text(position)
    relative = searcher.evaluate(position)
    white = -relative if position.side else relative
    lines.append(f"\nEvaluation: {white / 100:+.2f} pawns (White's side)" + (" [in check]" if position.in_check else ""))
    return "\n".join(lines)
