"""The lines that a search prints: no flood of them, but always the last."""

from itertools import product

import pytest

from zobra.engine.scores import MATE
from zobra.search.engine import Engine
from zobra.search.limits import Progress, Report, Result
from zobra.search.wdl import Wdl, normalised
from zobra.tt.entry import EXACT, LOWER, UPPER
from zobra.uci import info_printer
from zobra.uci.console import Console
from zobra.uci.format import info_text, progress_text, result_text
from zobra.uci.info_printer import BURST, LINES_A_SECOND, InfoPrinter

E2E4 = 12 | 28 << 6 | 1 << 12
E1H1 = 4 | 7 << 6 | 2 << 12


def report(depth, number=1):
    return Report(depth, depth, 0, EXACT, 1, 0, 0, (), number)


@pytest.fixture
def clock(monkeypatch):
    """The seconds on the clock, in a list."""
    seconds = [0.0]
    monkeypatch.setattr(info_printer.time, "monotonic", lambda: seconds[0])
    return seconds


def speak(*reports):
    """A printer of these reports, and the depth and number of each line that it has printed."""
    printed: list[tuple[int, int]] = []

    def write(line: bytes) -> None:
        words = line.decode().split()
        if words[0] == "info":
            printed.append((int(words[2]), int(words[6])))

    printer = InfoPrinter(Console(write=write), Engine())
    for each in reports:
        printer.on_report(each)
    return printer, printed


def test_a_flood_is_cut_but_its_end_is_reported_once(clock):
    printer, said = speak(*map(report, range(3 * BURST)))
    assert said == [(depth, 1) for depth in range(BURST)]
    printer.on_result(Result(0, 0))
    assert said[BURST:] == [(3 * BURST - 1, 1)]


def test_the_limit_of_lines_grows_with_time(clock):
    printer, said = speak(*map(report, range(BURST + 5)))
    clock[0] = 2.5 / LINES_A_SECOND
    for depth in (1000, 1001, 1002):
        printer.on_report(report(depth))
    assert said[BURST:] == [(1000, 1), (1001, 1)]
    printer.on_result(Result(0, 0))
    assert said[-1] == (1002, 1)


def test_the_lines_of_a_depth_stay_together(clock):
    numbers = (1, 2, 3)
    printer, said = speak(*(report(*line) for line in product(range(BURST), numbers)))
    printer.on_result(Result(0, 0))
    printed = [*range((BURST + 2) // 3), BURST - 1]  # and the last depth
    assert said == [*product(printed, numbers)]


@pytest.mark.parametrize(
    ("score", "bound", "text"),
    [
        (13, EXACT, f"cp {normalised(13)}"),
        (-5, LOWER, f"cp {normalised(-5)} lowerbound"),
        (int(MATE) - 1, EXACT, "mate 1"),
        (int(MATE) - 5, UPPER, "mate 3 upperbound"),
        (-int(MATE), EXACT, "mate 0"),
        (2 - int(MATE), EXACT, "mate -1"),
    ],
)
def test_the_line_of_a_report(score, bound, text):
    line = info_text(Report(7, 12, score, bound, 5000, 10, 3, (E2E4,)), False)
    rest = "nodes 5000 nps 500000 hashfull 3 tbhits 0 time 10 pv e2e4"
    assert line == f"info depth 7 seldepth 12 multipv 1 score {text} {rest}"


def test_rank_tablebase_hits_and_chances_of_a_line():
    report = Report(7, 12, 0, EXACT, 5000, 10, 3, (), multipv=3, tablebase_hits=8)
    line = info_text(report, False, Wdl(300, 600, 100))
    assert " multipv 3 score cp 0 wdl 300 600 100 nodes " in line
    assert line.endswith("tbhits 8 time 10")


def test_moves_in_both_castling_notations():
    progress = Progress(9, E1H1, 4)
    assert progress_text(progress, False) == "info depth 9 currmove e1g1 currmovenumber 4"
    assert progress_text(progress, True) == "info depth 9 currmove e1h1 currmovenumber 4"
    assert result_text(Result(E1H1, E2E4), False) == "bestmove e1g1 ponder e2e4"
    assert result_text(Result(E1H1, 0), True) == "bestmove e1h1"
