"""Checks a principal variation: every move legal, and a mate score followed by a mate of exactly that length."""

from __future__ import annotations

from collections.abc import Iterable

import chess


def line_fault(board: chess.Board, moves: Iterable[str], mate: int | None = None) -> str | None:
    """What is wrong with a line from `board` (whose earlier moves count for repetition), None if nothing.

    `mate`: the moves to mate that its score promises, negative when the side to move is mated; None for other scores.
    """
    board = board.copy()
    plies = 0
    for text in moves:
        if plies and (ending := drawn_by_rule(board)):
            return f"goes on after a draw by {ending}, with {text} at ply {plies + 1}"
        try:
            move = board.parse_uci(text)
            if not move:
                raise ValueError("passing is none")
            board.push(move)
        except ValueError as error:
            return f"{text} at ply {plies + 1} is no legal move: {error}"
        plies += 1
    return None if mate is None else mate_fault(board, plies, mate)


def mate_fault(board: chess.Board, plies: int, mate: int) -> str | None:
    """What is wrong with a promise of mate whose line ends with `board` after so many plies."""
    wanted = 2 * mate - 1 if mate > 0 else -2 * mate
    if plies != wanted:
        return f"promises mate in {mate}, but has {plies} plies, not {wanted}"
    return None if board.is_checkmate() else f"promises mate in {mate}, but ends without mate"


def drawn_by_rule(board: chess.Board) -> str | None:
    """Why no move can follow here although there are legal ones; None if the game goes on."""
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 100 and not board.is_checkmate():
        return "the fifty-move rule"
    return "repetition" if board.is_repetition(3) else None
