"""Searches for several lines, each with a first move of its own, and of a root that is confined.

test_root.py compares the lines with searches without the better moves.
"""

import chess
import pytest

from tests.support.searches import KIWIPETE, MIDDLEGAME, think, without_time
from zobra.engine.fen import parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.engine.scores import MATE, is_mate
from zobra.search.limits import ClockTimes, Limits, Report
from zobra.search.searcher import Searcher
from zobra.tt.entry import EXACT, NO_ENTRY

TWO_MATES = "k7/8/K7/8/8/8/8/6QR w - - 0 1"


def groups(reports: list[Report]) -> list[list[Report]]:
    """Reports of one depth each, as they came together."""
    found: list[list[Report]] = []
    for report in reports:
        if report.multipv == 1:
            found.append([])
        found[-1].append(report)
    return found


@pytest.fixture
def searcher():
    made = Searcher(4)
    made.multipv = 4
    return made


@pytest.mark.parametrize("fen", [KIWIPETE, TWO_MATES])
def test_lines_are_reported_together_and_sorted(searcher, fen):
    """That they can be played to their end is shown in test_reported_lines.py."""
    result, reports = think(searcher, fen, Limits(depth=7))
    together = groups(reports)
    assert len(together) == 7
    assert result.best == together[-1][0].pv[0]
    assert all(is_mate(line.score) for line in together[-1][:2]) == (fen == TWO_MATES)
    for depth, lines in enumerate(together, 1):
        assert [line.multipv for line in lines] == [1, 2, 3, 4]
        assert {(line.depth, line.bound) for line in lines} == {(depth, EXACT)}
        assert len({line.pv[0] for line in lines}) == 4
        scores = [line.score for line in lines]
        assert scores == sorted(scores, reverse=True)


def test_multipv_covers_every_legal_move(searcher):
    searcher.multipv = 256
    _, reports = think(searcher, MIDDLEGAME, Limits(depth=3))
    firsts = sorted(line.pv[0] for line in groups(reports)[-1])
    assert firsts == sorted(parse_fen(MIDDLEGAME).legal_moves())


@pytest.mark.parametrize("nodes", [1, 50, 400, 2_000, 77_777])
def test_a_stopped_search_reports_all_lines(searcher, nodes):
    result, reports = think(searcher, KIWIPETE, Limits(nodes=nodes))
    assert searcher.nodes == nodes
    last = groups(reports)[-1]
    assert last[0].pv[0] == result.best
    assert all(line.nodes == nodes for line in last)
    assert len({line.pv[0] for line in last}) == len(last)
    for depth in {line.depth for line in last}:
        scores = [line.score for line in last if line.depth == depth]
        assert scores == sorted(scores, reverse=True)


def test_the_table_keeps_the_best_move_of_the_root(searcher):
    """Only the first line's search had all moves, although a later line may come out better."""
    _, reports = think(searcher, MIDDLEGAME, Limits(depth=7))
    kept = searcher.tt.recall(parse_fen(MIDDLEGAME).key).move
    assert kept in {line.pv[0] for line in groups(reports)[-1]}


@pytest.mark.parametrize("known_before", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_searchmoves_do_not_store_the_root(known_before, threads):
    searcher = Searcher(4)
    position = parse_fen(MIDDLEGAME)
    if known_before:
        think(searcher, MIDDLEGAME, Limits(depth=5))
    searcher.threads = threads  # now, since helpers of an earlier search might still store
    before = searcher.tt.recall(position.key)
    assert (before != NO_ENTRY) == known_before
    think(searcher, MIDDLEGAME, Limits(depth=7, searchmoves=(position.parse_move("h2h4"),)))
    assert searcher.tt.recall(position.key) == before


@pytest.mark.parametrize("lines", [1, 3])
def test_progress_of_a_search(lines):
    searcher = Searcher(4)
    searcher.multipv = lines
    seen = []
    game = Game(parse_fen(MIDDLEGAME))
    searcher.search(game, Limits(depth=6), lambda report: seen.append(searcher.progress))
    legal = game.position.legal_moves()
    assert [progress.depth for progress in seen] == sorted(progress.depth for progress in seen)
    for progress in seen:
        assert progress.move in legal
        assert 1 <= progress.number <= len(legal)
    assert seen[-1].depth == 6
    assert seen[-1].number == len(legal)


def test_a_forced_move_is_searched_as_far_as_the_mate_that_is_known():
    searcher = Searcher(4)
    forced = "7k/R7/5K2/8/8/8/8/8 b - - 0 1"
    think(searcher, forced, Limits(depth=12))
    result, reports = think(searcher, forced, Limits(clock=ClockTimes(60_000, 60_000)))
    line = reports[-1].pv
    assert reports[-1].score == 6 - int(MATE)
    assert len(line) == 6
    assert result == (line[0], line[1])
    board = chess.Board(forced)
    for move in line:
        board.push_uci(move_text(move))
    assert board.is_checkmate()


def test_failed_windows_are_reported_only_if_wanted():
    searcher = Searcher(1)
    _, usual = think(searcher, KIWIPETE, Limits(depth=9))
    searcher.clear()
    searcher.bounds_after = 0
    _, everything = think(searcher, KIWIPETE, Limits(depth=9))
    assert [report.bound for report in usual] == [EXACT] * 9
    assert {report.bound for report in everything} > {EXACT}
    exact = [report for report in everything if report.bound == EXACT]
    assert without_time(exact) == without_time(usual)


def test_the_table_gets_no_line_of_fewer_moves_for_the_root():
    kept = []
    for multipv in (1, 3):
        searcher = Searcher(1)
        searcher.multipv = multipv
        think(searcher, MIDDLEGAME, Limits(depth=1))
        kept.append(searcher.tt.recall(parse_fen(MIDDLEGAME).key))
    assert kept[0] == kept[1] != 0
