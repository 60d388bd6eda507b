"""The search as a whole: reproducible, within its limits, and with lines that can be played."""

import itertools
import threading
import time

import numpy as np
import pytest

from tests.support.games import play
from tests.support.searches import (
    ENDGAME,
    KIWIPETE,
    MATES,
    MIDDLEGAME,
    TIMEOUT,
    think,
    without_time,
)
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Game
from zobra.engine.scores import MAX_PLY, is_mate, mate_in_moves
from zobra.search.limits import ClockTimes, Limits, Report, Result
from zobra.search.searcher import Searcher
from zobra.train.first_network import first_network


@pytest.fixture
def searcher():
    return Searcher(2)


@pytest.mark.parametrize(("fen", "multipv"), [(START, 1), (ENDGAME, 1), (KIWIPETE, 4)])
def test_the_same_search_twice_is_the_same(searcher, fen, multipv):
    other = Searcher(2)
    searcher.multipv = other.multipv = multipv
    result, fresh = think(searcher, fen, Limits(depth=8))
    think(other, MIDDLEGAME, Limits(nodes=40_000))
    stained = think(other, fen, Limits(depth=8))[1]
    other.clear()
    for again in (searcher, other):
        again.clear()
        repeated = think(again, fen, Limits(depth=8))
        assert (repeated[0], without_time(repeated[1])) == (result, without_time(fresh))
    assert without_time(stained) != without_time(fresh)


@pytest.mark.parametrize("limit", [1, 2, 3, 10, 100, 999, 1_024, 5_000, 60_001])
@pytest.mark.parametrize("fen", [START, KIWIPETE])
def test_the_node_limit_is_exact_and_even_the_shortest_search_reports(searcher, fen, limit):
    result, reports = think(searcher, fen, Limits(nodes=limit))
    assert searcher.nodes == limit and result.best in parse_fen(fen).legal_moves()
    assert reports[-1].nodes == limit == max(report.nodes for report in reports)
    assert limit > 1 or without_time(reports) == [
        (0, 0, searcher.evaluate(parse_fen(fen)), 0, 1, 0, (result.best,))
    ]


def test_reports_tell_of_growing_effort_up_to_the_depth_limit(searcher):
    for depth in (9, 2, 1):
        _, reports = think(searcher, KIWIPETE, Limits(depth=depth))
        assert sorted({report.depth for report in reports}) == list(range(1, depth + 1))
        assert all(report.selective_depth >= report.depth for report in reports)
        assert {report.bound for report in reports} <= {-1, 0, 1} and reports[-1].bound == 0
        for earlier, later in itertools.pairwise(reports):
            assert (
                later.depth >= earlier.depth
                and later.nodes > earlier.nodes
                and later.milliseconds >= earlier.milliseconds
            )
    assert reports[0].hashfull < 5  # what older searches left does not count


def test_a_depth_beyond_the_stack_is_cut(searcher):
    _, reports = think(searcher, "8/8/8/8/8/2k5/8/K7 w - - 0 1", Limits(depth=100_000))
    assert (reports[-1].depth, reports[-1].score) == (MAX_PLY - 1, 0)


def test_only_the_search_moves_are_considered(searcher):
    position = parse_fen(MIDDLEGAME)
    free, _ = think(searcher, MIDDLEGAME, Limits(depth=6))
    allowed = tuple(move for move in position.legal_moves() if move != free.best)[:3]
    searcher.clear()
    result, reports = think(searcher, MIDDLEGAME, Limits(depth=6, searchmoves=allowed))
    assert {result.best, *(report.pv[0] for report in reports)} <= set(allowed)
    one, _ = think(searcher, MIDDLEGAME, Limits(nodes=1, searchmoves=allowed[2:]))
    assert one.best == allowed[2]
    searcher.multipv = 4
    _, reports = think(searcher, MIDDLEGAME, Limits(depth=3, searchmoves=allowed))
    assert sorted(report.pv[0] for report in reports) == sorted(3 * allowed)


@pytest.mark.parametrize(("fen", "plies"), [mate for mate in MATES if mate[1] % 2])
def test_the_mate_limit_ends_the_search_once_it_is_found(searcher, fen, plies):
    moves = (plies + 1) // 2
    _, reports = think(searcher, fen, Limits(mate=moves, nodes=2_000_000))
    assert searcher.nodes < 2_000_000
    assert is_mate(reports[-1].score) and mate_in_moves(reports[-1].score) == moves
    earlier = [report.score for report in reports[:-1] if report.bound == 0]
    assert all(not is_mate(score) or mate_in_moves(score) > moves for score in earlier)


def begin(
    searcher: Searcher, limits: Limits
) -> tuple[threading.Thread, list[Result], list[Report]]:
    """A search of Kiwipete in a thread, with its results and reports."""
    results, reports = [], []

    def run() -> None:
        results.append(searcher.search(Game(parse_fen(KIWIPETE)), limits, reports.append))

    searcher.arm()
    thread = threading.Thread(target=run)
    thread.start()
    return thread, results, reports


PONDERED = [Limits(clock=ClockTimes(200, 200), ponder=True), Limits(movetime=50, ponder=True)]


@pytest.mark.parametrize("limits", [Limits(infinite=True), *PONDERED])
def test_stop_and_ponderhit_reach_a_running_search(searcher, limits):
    thread, results, _ = begin(searcher, limits)
    deadline = time.monotonic() + 60
    while searcher.progress.depth < 6 and time.monotonic() < deadline:
        time.sleep(0.001)
    thread.join(0.4)  # longer than the clock that it will have
    assert thread.is_alive()
    if limits.ponder:
        searcher.ponderhit()
    else:
        searcher.stop()
    thread.join(TIMEOUT)
    assert not thread.is_alive() and results[0].best in parse_fen(KIWIPETE).legal_moves()


def test_a_stop_given_before_the_search_holds_until_it_is_taken_back(searcher):
    searcher.stop()
    think(searcher, KIWIPETE, Limits(infinite=True))
    assert searcher.nodes <= 1_025
    searcher.arm()
    think(searcher, KIWIPETE, Limits(nodes=5_000))
    assert searcher.nodes == 5_000


@pytest.mark.parametrize(
    ("limits", "least"),
    [
        (Limits(movetime=100), 0.08),
        (Limits(clock=ClockTimes(500, 500)), 0),
        (Limits(clock=ClockTimes(0, 0)), 0),
    ],
)
def test_time_limits_end_the_search_and_a_move_time_is_used(searcher, limits, least):
    before = time.monotonic()
    assert think(searcher, KIWIPETE, limits)[0].best in parse_fen(KIWIPETE).legal_moves()
    assert least <= time.monotonic() - before < TIMEOUT


def test_a_forced_move_costs_little_time():
    """By node time, so that no machine matters: a twentieth of the budget, and one depth more."""
    searcher = Searcher(4)
    searcher.time.node_time.rate = 1_000
    clock = Limits(clock=ClockTimes(30_000, 30_000))
    moves = tuple(parse_fen(KIWIPETE).legal_moves())
    think(searcher, KIWIPETE, clock._replace(searchmoves=moves[:1]))
    nodes = searcher.nodes
    searcher.clear()
    think(searcher, KIWIPETE, clock._replace(searchmoves=moves[:2]))
    assert nodes * 4 < searcher.nodes


def test_what_was_learned_by_one_evaluation_is_not_used_with_another():
    searcher = Searcher(1)
    think(searcher, KIWIPETE, Limits(depth=7))
    assert searcher._this["position_correction"].any() and searcher.tt.buckets()["data"].any()
    searcher.set_parameter("history_slope", 200)
    assert searcher.tt.buckets()["data"].any()
    searcher.use_network(first_network())
    assert (
        not searcher._this["position_correction"].any() and not searcher.tt.buckets()["data"].any()
    )


def test_a_root_without_its_best_moves_corrects_no_evaluation():
    for moves, learns in (((), True), (("a2a3",), False)):
        searcher, position = Searcher(1), parse_fen(MIDDLEGAME)
        searchmoves = tuple(map(position.parse_move, moves)) or None
        think(searcher, MIDDLEGAME, Limits(depth=1, searchmoves=searchmoves))
        assert bool(searcher._this["position_correction"].any()) == learns


def test_no_reply_is_expected_to_a_move_that_repeats_and_the_game_is_left_alone():
    searcher, game = Searcher(1), play(START, "g1f3", "g8f6", "f3g1")
    searcher.search(
        play(START), Limits(depth=6)
    )  # now the table knows a move for the start position
    before, keys = game.position.array.copy(), list(game.keys)
    searcher.search(game, Limits(depth=6))
    assert np.array_equal(game.position.array, before) and game.keys == keys
    back = game.position.parse_move("f6g8")
    assert searcher._result(game, (back,)).ponder == 0
    assert searcher._result(Game(game.position), (back,)).ponder != 0


@pytest.mark.parametrize(("asked", "made"), [(1, 1), (3, 2), (4, 4), (24, 16)])
def test_the_size_that_a_table_got_is_known(searcher, asked, made):
    searcher.resize(asked)
    assert searcher.megabytes == made
