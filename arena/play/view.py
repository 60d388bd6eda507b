"""What the page shows of a session, as JSON.

Colours are "white" and "black", as in python-chess and in the page's board.
"""

import time
from collections import defaultdict
from typing import Any

import chess
import chess.engine

from zobra.arena.model.accuracy import winning_chance
from zobra.arena.play.game import Game
from zobra.arena.play.session import Session
from zobra.arena.runner.analysis import EngineLine

_LINE_PLIES = 10  # of a line that is shown


def state_view(session: Session) -> dict[str, Any]:
    """Return everything that the page shows except the evaluation."""
    game = session.game
    wishes = session.wishes
    levels = session.opponent.levels()
    ending = None
    if game.ending is not None:
        ending = {"result": game.ending.result, "text": game.ending_text}
    return {
        "number": session.number,
        "human": chess.COLOR_NAMES[game.human],
        "opponent": game.opponent,
        "engine": session.opponent.name,
        "levels": None if levels is None else {"low": levels[0], "high": levels[1]},
        "wishes": {
            "color": wishes.color,
            "elo": wishes.elo,
            "time": wishes.time,
            "fen": wishes.fen,
            "chess960": wishes.chess960,
            "number": wishes.number,
        },
        "startFen": game.start.board_fen(),
        "startCheck": game.start.is_check(),
        "firstPly": game.start.ply(),
        "moves": _moves(game),
        "turn": chess.COLOR_NAMES[game.board.turn],
        "yourTurn": game.human_to_move,
        "targets": _targets(game),
        "promotions": _promotions(game),
        "thinking": session.thinking,
        "ending": ending,
        "clocks": _clocks(session),
        "canTakeBack": game.can_take_back,
        "hint": None if session.hint is None else _hint(session.hint, session.hint_san),
        "waitsForHint": session.waits_for_hint,
        "evaluates": session.evaluates,
        "notice": session.notice,
        "problem": session.problem,
        "isBroken": session.is_broken,
        "file": "" if session.file is None else str(session.file),
    }


def evaluation_view(session: Session) -> dict[str, Any] | None:
    """Return the evaluation with its lines, or None if it is not shown."""
    ply = session.advised_ply
    if not session.evaluates or not session.advice or ply > len(session.game.moves):
        return None
    board = session.game.start.copy()
    for played in session.game.moves[:ply]:
        board.push(played.move)
    return {
        "ply": ply,
        "depth": session.advice[0].depth,
        "chance": round(winning_chance(session.advice[0].score.white()), 3),
        "score": score_text(session.advice[0].score),
        "lines": [_line(board, line) for line in session.advice],
    }


def score_text(score: chess.engine.PovScore) -> str:
    """Return a score from White's view: "+0.31", or "#-3" if Black mates in 3."""
    white = score.white()
    mate = white.mate()
    if mate is not None:
        return f"#{mate}"
    return f"{(white.score() or 0) / 100:+.2f}".replace("-", "−")


def _line(board: chess.Board, line: EngineLine) -> dict[str, str]:
    moves = board.variation_san(line.moves[:_LINE_PLIES])
    return {"score": score_text(line.score), "moves": moves}


def _hint(move: chess.Move, san: str) -> dict[str, str]:
    return {
        "from": chess.square_name(move.from_square),
        "to": chess.square_name(move.to_square),
        "san": san,
    }


def _moves(game: Game) -> list[dict[str, Any]]:
    """Return each move with the position after it."""
    board = game.start.copy()
    found = []
    for played in game.moves:
        san = board.san(played.move)
        board.push(played.move)
        found.append(
            {
                "from": chess.square_name(played.move.from_square),
                "to": chess.square_name(played.move.to_square),
                "san": san,
                "fen": board.board_fen(),
                "check": board.is_check(),
            }
        )
    return found


def _targets(game: Game) -> dict[str, list[str]]:
    """Return the squares to which each of the person's pieces can move."""
    found: dict[str, list[str]] = defaultdict(list)
    if game.human_to_move:
        for move in game.board.legal_moves:
            target = chess.square_name(move.to_square)
            if target not in found[chess.square_name(move.from_square)]:
                found[chess.square_name(move.from_square)].append(target)
    return dict(found)


def _promotions(game: Game) -> list[str]:
    """Return the moves that need a choice of piece, as origin and target."""
    if not game.human_to_move:
        return []
    moves = {move.uci()[:4] for move in game.board.legal_moves if move.promotion}
    return sorted(moves)


def _clocks(session: Session) -> dict[str, Any] | None:
    """Return what both clocks show now in milliseconds, and which one runs."""
    game = session.game
    if not game.has_clock:
        return None
    clocks = game.clocks()
    shown: dict[str, Any] = {
        chess.COLOR_NAMES[color]: round(clock.remaining_ms or 0) for color, clock in clocks.items()
    }
    running = None
    turn = chess.COLOR_NAMES[game.board.turn]
    if session.thinking:
        running = turn
        spent = (time.monotonic() - session.turn_began) * 1000
        shown[turn] = max(0, round(shown[turn] - spent))
    elif game.human_to_move and game.can_take_back:
        running = turn
        shown[turn] = max(0, round(shown[turn] - session.spent_ms()))
    return {**shown, "running": running}
