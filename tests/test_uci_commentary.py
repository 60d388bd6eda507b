"""What is said while a search runs: all of it, unless it is too much; the last word always."""

import threading

from zobra.search.limits import Progress, Report
from zobra.uci import commentary
from zobra.uci.commentary import BURST, LINES_A_SECOND, Commentary

NOTHING = Progress(0, 0, 0)


def make(now=lambda: 0.0, look=lambda: NOTHING):
    said: list = []
    return Commentary(said.append, lambda report: (report.depth, report.multipv), lambda progress: progress, look, now), said


def report(depth, number=1):
    return Report(depth, depth, 0, 0, 1, 0, 0, (), number)


def test_a_flood_is_cut_but_its_end_is_told():
    spoken, said = make()
    for depth in range(3 * BURST):
        spoken.report(report(depth))
    assert said == [(depth, 1) for depth in range(BURST)]
    spoken.end()
    assert said[BURST:] == [(3 * BURST - 1, 1)]


def test_time_allows_more():
    time = [0.0]
    spoken, said = make(lambda: time[0])
    for depth in range(BURST + 5):
        spoken.report(report(depth))
    time[0] = 2.5 / LINES_A_SECOND
    for depth in (1000, 1001, 1002):
        spoken.report(report(depth))
    assert said[BURST:] == [(1000, 1), (1001, 1)]
    spoken.end()
    assert said[-1] == (1002, 1)


def test_the_lines_of_a_depth_stay_together():
    spoken, said = make()
    for depth in range(BURST):
        for number in (1, 2, 3):
            spoken.report(report(depth, number))
    spoken.end()
    assert said == [(depth, number) for depth in [*range((BURST + 2) // 3), BURST - 1] for number in (1, 2, 3)]


def test_nothing_kept_is_told_twice():
    spoken, said = make()
    spoken.report(report(1))
    spoken.end()
    assert said == [(1, 1)]
    assert spoken.reported


def test_the_current_move_is_told_when_it_changes(monkeypatch):
    monkeypatch.setattr(commentary, "FIRST_LOOK", 0.0)
    monkeypatch.setattr(commentary, "LOOK", 0.0)
    steps = [NOTHING, NOTHING, Progress(5, 77, 1), Progress(5, 77, 1), Progress(5, 78, 2)]
    seen = threading.Event()

    def look():
        if len(steps) > 1:
            return steps.pop(0)
        seen.set()
        return steps[0]

    spoken, said = make(look=look)
    assert seen.wait(30)
    spoken.end()
    assert said[:2] == [Progress(5, 77, 1), Progress(5, 78, 2)]


def test_without_a_thread_for_it_only_the_current_move_is_left_out(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    commentary, said = make()
    commentary.report(report(1))
    commentary.end()
    assert said == [(1, 1)]
