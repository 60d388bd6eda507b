"""Conversion of values to text: the `info` and `bestmove` lines of a search."""

from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Progress, Report, Result, Statistics
from zobra.search.wdl import Wdl, normalised
from zobra.tt.entry import EXACT, LOWER, UPPER

BOUND_WORDS = {int(LOWER): " lowerbound", int(EXACT): "", int(UPPER): " upperbound"}


def info_text(report: Report, chess960: bool, wdl: Wdl | None = None) -> str:
    """Return the `info` line of a report, with its score normalised.

    It has win, draw and loss in permille if they are given.
    """
    value = normalised(report.score)
    score = f"mate {mate_in_moves(value)}" if is_mate(value) else f"cp {value}"
    chances = f" wdl {wdl.win} {wdl.draw} {wdl.loss}" if wdl else ""
    nps = report.nodes * 1000 // max(report.milliseconds, 1)
    line = " ".join(move_text(move, chess960) for move in report.pv)
    pv = f" pv {line}" if line else ""
    return (
        f"info depth {report.depth} seldepth {report.selective_depth} multipv {report.multipv} "
        f"score {score}{BOUND_WORDS[report.bound]}{chances} "
        f"nodes {report.nodes} nps {nps} hashfull {report.hashfull} "
        f"tbhits {report.tablebase_hits} time {report.milliseconds}{pv}"
    )


def progress_text(progress: Progress, chess960: bool) -> str:
    """Return the `info` line of the root move that is being searched."""
    move = move_text(progress.move, chess960)
    return f"info depth {progress.depth} currmove {move} currmovenumber {progress.number}"


def statistics_lines(found: Statistics) -> list[str]:
    """Return lines about what a search did, for developers."""
    first = _percent(found.first_move_cutoffs, found.cutoffs)
    researched = _percent(found.researches, found.late_moves)
    return [
        f"table: {found.tt_hits} hits and {found.tt_cutoffs} cutoffs in {found.nodes} nodes",
        f"beta cutoffs: {found.cutoffs}, {first} by the first move",
        f"late moves: {found.late_moves}, {researched} searched again",
        f"aspiration windows that failed: {found.failed_windows}; threads: {found.threads}",
    ]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f}%"


def result_text(result: Result, chess960: bool) -> str:
    """Return the `bestmove` line of a result, which must have a move."""
    best = move_text(result.best, chess960)
    ponder = f" ponder {move_text(result.ponder, chess960)}" if result.ponder else ""
    return f"bestmove {best}{ponder}"
