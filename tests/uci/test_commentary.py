"""What is said while a search runs: all of it, unless it is too much; the last word always."""

import threading

import pytest

from zobra.engine.scores import MATE
from zobra.search.limits import Progress, Report, Result
from zobra.search.wdl import Wdl, normalised
from zobra.uci import commentary
from zobra.uci.commentary import (
    BURST,
    LINES_A_SECOND,
    Commentary,
    info_text,
    progress_text,
    result_text,
)

E2E4, E1H1 = 12 | 28 << 6 | 1 << 12, 4 | 7 << 6 | 2 << 12


def report(depth, number=1):
    return Report(depth, depth, 0, 0, 1, 0, 0, (), number)


@pytest.fixture
def clock(monkeypatch):
    """The seconds on the clock, in a list."""
    seconds = [0.0]
    monkeypatch.setattr(commentary.time, "monotonic", lambda: seconds[0])
    return seconds


def speak(*reports, look=lambda: ""):
    """A commentary on these reports, and what it has said, as depth and number."""
    said: list = []
    spoken = Commentary(said.append, lambda report: (report.depth, report.multipv), look)
    for each in reports:
        spoken.report(each)
    return spoken, said


def test_a_flood_is_cut_but_its_end_is_reported_once(clock):
    spoken, said = speak(*map(report, range(3 * BURST)))
    assert said == [(depth, 1) for depth in range(BURST)]
    spoken.end()
    assert said[BURST:] == [(3 * BURST - 1, 1)]


def test_time_allows_more(clock):
    spoken, said = speak(*map(report, range(BURST + 5)))
    clock[0] = 2.5 / LINES_A_SECOND
    for depth in (1000, 1001, 1002):
        spoken.report(report(depth))
    assert said[BURST:] == [(1000, 1), (1001, 1)]
    spoken.end()
    assert said[-1] == (1002, 1)


def test_the_lines_of_a_depth_stay_together(clock):
    spoken, said = speak(*(report(depth, number) for depth in range(BURST) for number in (1, 2, 3)))
    spoken.end()
    assert said == [
        (depth, number) for depth in [*range((BURST + 2) // 3), BURST - 1] for number in (1, 2, 3)
    ]


def test_the_current_move_is_reported_when_it_changes(monkeypatch):
    for name in ("UNWATCHED", "FIRST_LOOK", "LOOK"):
        monkeypatch.setattr(commentary, name, 0.0)
    steps, seen = ["", "", "first", "first", "second"], threading.Event()

    def look():
        if len(steps) > 1:
            return steps.pop(0)
        seen.set()
        return steps[0]

    spoken, said = speak(report(1), look=look)
    assert seen.wait(30)
    spoken.end()
    assert [line for line in said if line != (1, 1)][:2] == ["first", "second"]


@pytest.mark.parametrize(
    ("score", "bound", "text"),
    [
        (13, 0, f"cp {normalised(13)}"),
        (-5, 1, f"cp {normalised(-5)} lowerbound"),
        (int(MATE) - 1, 0, "mate 1"),
        (int(MATE) - 5, -1, "mate 3 upperbound"),
        (-int(MATE), 0, "mate 0"),
        (2 - int(MATE), 0, "mate -1"),
    ],
)
def test_the_line_of_a_report(score, bound, text):
    line = info_text(Report(7, 12, score, bound, 5000, 10, 3, (E2E4,)), False)
    assert (
        line == f"info depth 7 seldepth 12 multipv 1 score {text} nodes 5000 nps 500000 hashfull 3 "
        "tbhits 0 time 10 pv e2e4"
    )


def test_rank_tablebase_hits_and_chances_of_a_line():
    line = info_text(
        Report(7, 12, 0, 0, 5000, 10, 3, (), multipv=3, tablebase_hits=8), False, Wdl(300, 600, 100)
    )
    assert " multipv 3 score cp 0 wdl 300 600 100 nodes " in line and line.endswith(
        "tbhits 8 time 10"
    )


def test_moves_in_both_castling_notations():
    assert (
        progress_text(Progress(9, E1H1, 4), False) == "info depth 9 currmove e1g1 currmovenumber 4"
    )
    assert (
        progress_text(Progress(9, E1H1, 4), True) == "info depth 9 currmove e1h1 currmovenumber 4"
    )
    assert progress_text(Progress(1, 0, 0), False) == ""
    assert result_text(Result(E1H1, E2E4), False) == "bestmove e1g1 ponder e2e4"
    assert result_text(Result(E1H1, 0), True) == "bestmove e1h1"
    assert result_text(Result(0, 0), False) == "bestmove (none)"
