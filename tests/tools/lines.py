"""Check principal variations: every move is legal, and a mate score has a mate of that length."""

from collections.abc import Sequence

import chess


def line_fault(board: chess.Board, moves: Sequence[str], mate: int | None = None) -> str | None:
    """Return what is wrong with a line, None if nothing.

    The earlier moves of the board count for repetition. `mate` is the moves to mate that the score
    promises, negative if the side to move is mated, None for other scores.
    """
    board = board.copy()
    for ply, text in enumerate(moves, 1):
        ending = drawn_by_rule(board)
        if ply > 1 and ending:
            return f"goes on after a draw by {ending}, with {text} at ply {ply}"
        try:
            if not board.push_uci(text):
                raise ValueError("a null move")
        except ValueError as error:
            return f"{text} at ply {ply} is no legal move: {error}"
    if mate is None:
        return None
    wanted = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(moves) != wanted:
        return f"promises mate in {mate}, but has {len(moves)} plies, not {wanted}"
    if not board.is_checkmate():
        return f"promises mate in {mate}, but ends without mate"
    return None


def drawn_by_rule(board: chess.Board) -> str | None:
    """Return the rule that ends the game here, None if it goes on."""
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 100 and not board.is_checkmate():
        return "the fifty-move rule"
    if board.is_repetition(3):
        return "repetition"
    return None
