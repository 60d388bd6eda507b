"""Values to text: what the search found, as UCI says it. Pure."""

from __future__ import annotations

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Progress, Report, Result
from zobra.search.wdl import Wdl, normalised

BOUND_WORDS = {1: " lowerbound", 0: "", -1: " upperbound"}


def score_text(score: int, bound: int = 0) -> str:
    """`cp 13`, `mate -2`, with the bound's word where it is one."""
    value = f"mate {mate_in_moves(score)}" if is_mate(score) else f"cp {score}"
    return value + BOUND_WORDS[bound]


def info_text(report: Report, chess960: bool, wdl: Wdl | None = None) -> str:
    """The `info` line of a report, its score normalised, with its win, draw and loss in permille if given."""
    score = score_text(normalised(report.score), report.bound) + (f" wdl {wdl.win} {wdl.draw} {wdl.loss}" if wdl else "")
    speed = report.nodes * 1000 // max(report.milliseconds, 1)
    line = " ".join(move_text(move, chess960) for move in report.pv)
    return (
        f"info depth {report.depth} seldepth {report.selective_depth} multipv {report.multipv} score {score} "
        f"nodes {report.nodes} nps {speed} hashfull {report.hashfull} tbhits {report.tablebase_hits} time {report.milliseconds}"
        + (f" pv {line}" if line else "")
    )


def progress_text(progress: Progress, chess960: bool) -> str:
    """The `info` line of what a search is looking at."""
    move = move_text(progress.move, chess960)
    return f"info depth {progress.depth} currmove {move} currmovenumber {progress.number}"


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
