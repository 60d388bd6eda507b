"""Values to text."""

from zobra.engine.scores import MATE
from zobra.search.limits import Progress, Report, Result
from zobra.search.wdl import Wdl, normalised
from zobra.uci.report import info_text, progress_text, result_text, score_text

E2E4, E1H1 = 12 | 28 << 6 | 1 << 12, 4 | 7 << 6 | 2 << 12


def test_scores():
    assert score_text(13) == "cp 13"
    assert score_text(-5, 1) == "cp -5 lowerbound"
    assert score_text(int(MATE) - 1) == "mate 1"
    assert score_text(int(MATE) - 5, -1) == "mate 3 upperbound"
    assert score_text(-int(MATE)) == "mate 0"
    assert score_text(2 - int(MATE)) == "mate -1"


def test_info_line():
    report = Report(7, 12, 25, 0, 5000, 10, 3, (E2E4,))
    expected = "info depth 7 seldepth 12 multipv 1 score cp 25 nodes 5000 nps 500000 hashfull 3 tbhits 0 time 10 pv e2e4"
    assert info_text(report, False) == expected.replace("cp 25", f"cp {normalised(25)}")


def test_rank_tablebase_hits_and_chances_of_a_line():
    report = Report(7, 12, 25, -1, 5000, 10, 3, (), multipv=3, tablebase_hits=8)
    expected = "info depth 7 seldepth 12 multipv 3 score cp 25 upperbound wdl 300 600 100 nodes 5000 nps 500000 hashfull 3 "
    expected = expected.replace("cp 25", f"cp {normalised(25)}")
    assert info_text(report, False, Wdl(300, 600, 100)) == expected + "tbhits 8 time 10"


def test_the_current_move():
    assert progress_text(Progress(9, E1H1, 4), False) == "info depth 9 currmove e1g1 currmovenumber 4"
    assert progress_text(Progress(9, E1H1, 4), True) == "info depth 9 currmove e1h1 currmovenumber 4"


def test_bestmove_line_in_both_castling_notations():
    assert result_text(Result(E1H1, E2E4), False) == "bestmove e1g1 ponder e2e4"
    assert result_text(Result(E1H1, 0), True) == "bestmove e1h1"
    assert result_text(Result(0, 0), False) == "bestmove (none)"
