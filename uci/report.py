"""Values to text: what the search found, as UCI says it. Pure."""

from __future__ import annotations

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Report, Result

BOUND_WORDS = {1: " lowerbound", 0: "", -1: " upperbound"}


def score_text(score: int, bound: int = 0) -> str:
    """`cp 13`, `mate -2`, with the bound's word where it is one."""
    value = f"mate {mate_in_moves(score)}" if is_mate(score) else f"cp {score}"
    return value + BOUND_WORDS[bound]


def info_text(report: Report, chess960: bool) -> str:
    """The `info` line of a report."""
    speed = report.nodes * 1000 // max(report.milliseconds, 1)
    line = " ".join(move_text(move, chess960) for move in report.line)
    return (
        f"info depth {report.depth} seldepth {report.selective_depth} multipv 1 score {score_text(report.score, report.bound)} "
        f"nodes {report.nodes} nps {speed} hashfull {report.hashfull} time {report.milliseconds}"
        + (f" pv {line}" if line else "")
    )


def result_text(result: Result, chess960: bool) -> str:
    """The `bestmove` line."""
    if not result.best:
        return "bestmove (none)"
    ponder = f" ponder {move_text(result.ponder, chess960)}" if result.ponder else ""
    return f"bestmove {move_text(result.best, chess960)}{ponder}"


def ending_texts(mated: bool) -> tuple[str, str]:
    """What a search says of a position in which the game is over: the side to move is mated, or else stalemated."""
    if mated:
        return "info depth 0 score mate 0", "info string checkmate"
    return "info depth 0 score cp 0", "info string stalemate"
