"""Checks a principal variation: every move legal, and a mate score followed by a mate of exactly
that length.
"""

from collections.abc import Sequence

import chess


def line_fault(board: chess.Board, moves: Sequence[str], mate: int | None = None) -> str | None:
    """What is wrong with a line from `board` (whose earlier moves count for repetition), None if
    nothing.

    `mate`: the moves to mate that its score promises, negative when the side to move is mated; None
    for other scores.
    """
    board = board.copy()
    for ply, text in enumerate(moves, 1):
        if ply > 1 and (ending := drawn_by_rule(board)):
            return f"goes on after a draw by {ending}, with {text} at ply {ply}"
        try:
            if not board.push_uci(text):
                raise ValueError("passing is none")
        except ValueError as error:
            return f"{text} at ply {ply} is no legal move: {error}"
    if mate is None:
        return None
    wanted = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(moves) != wanted:
        return f"promises mate in {mate}, but has {len(moves)} plies, not {wanted}"
    return None if board.is_checkmate() else f"promises mate in {mate}, but ends without mate"


def drawn_by_rule(board: chess.Board) -> str | None:
    """Why no move can follow here although there are legal ones; None if the game goes on."""
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 100 and not board.is_checkmate():
        return "the fifty-move rule"
    return "repetition" if board.is_repetition(3) else None
