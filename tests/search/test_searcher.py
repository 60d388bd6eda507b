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
from zobra.engine.move import move_text
from zobra.engine.scores import MAX_PLY, is_mate, mate_in_moves
from zobra.search.limits import ClockTimes, Limits, Result
from zobra.search.searcher import Searcher
from zobra.train.first_network import first_network
from zobra.tt.entry import EXACT, LOWER, UPPER

LEGAL = parse_fen(KIWIPETE).legal_moves()


@pytest.fixture
def searcher():
    return Searcher(2)


@pytest.mark.parametrize(("fen", "multipv"), [(ENDGAME, 1), (KIWIPETE, 4)])
def test_the_same_search_twice_is_the_same(searcher, fen, multipv):
    other = Searcher(2)
    searcher.multipv = multipv
    other.multipv = multipv
    result, fresh = think(searcher, fen, Limits(depth=8))
    think(other, MIDDLEGAME, Limits(nodes=40_000))
    _, stained = think(other, fen, Limits(depth=8))
    assert without_time(stained) != without_time(fresh)
    for again in (searcher, other):
        again.clear()
        repeated, reports = think(again, fen, Limits(depth=8))
        assert repeated == result
        assert without_time(reports) == without_time(fresh)


def test_another_network_begins_without_what_was_learned(searcher):
    _, built_in = think(searcher, KIWIPETE, Limits(depth=7))
    searcher.set_parameter("history_slope", 200)
    assert searcher.tt.buckets()["data"].any()  # a parameter forgets nothing
    searcher.use_network(first_network())
    fresh = Searcher(2, parameters={"history_slope": 200})
    fresh.use_network(first_network())
    _, reports = think(searcher, KIWIPETE, Limits(depth=7))
    _, expected = think(fresh, KIWIPETE, Limits(depth=7))
    assert without_time(reports) == without_time(expected) != without_time(built_in)


# Limits


@pytest.mark.parametrize("limit", [1, 2, 3, 100, 1_024, 60_001])
def test_the_node_limit_is_exact_and_even_the_shortest_search_reports(searcher, limit):
    result, reports = think(searcher, KIWIPETE, Limits(nodes=limit))
    assert searcher.nodes == limit
    assert result.best in LEGAL
    assert reports[-1].nodes == limit == max(report.nodes for report in reports)
    if limit == 1:
        value = searcher.evaluate(parse_fen(KIWIPETE))
        assert without_time(reports) == [(0, 0, value, EXACT, 1, 0, (result.best,))]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_search_did_is_counted_anew_for_each(searcher, threads):
    searcher.threads = threads
    think(searcher, KIWIPETE, Limits(depth=12))
    found = searcher.statistics()
    assert 10_000 < found.nodes <= searcher.nodes  # helpers may still run
    assert 1 <= found.threads <= threads
    assert found.nodes > found.tt_hits > found.tt_cutoffs > found.nodes // 100
    assert found.nodes > found.cutoffs > found.first_move_cutoffs > found.cutoffs // 2
    assert found.nodes > found.late_moves > found.researches > 0
    searcher.threads = 1
    think(searcher, KIWIPETE, Limits(nodes=100))
    assert searcher.statistics().cutoffs < 100


def test_reports_grow_up_to_the_depth_limit(searcher):
    for depth in (9, 2, 1):
        _, reports = think(searcher, KIWIPETE, Limits(depth=depth))
        assert sorted({report.depth for report in reports}) == [*range(1, depth + 1)]
        assert all(report.selective_depth >= report.depth for report in reports)
        assert {report.bound for report in reports} <= {EXACT, LOWER, UPPER}
        assert reports[-1].bound == EXACT
        for earlier, later in itertools.pairwise(reports):
            assert later.depth >= earlier.depth
            assert later.nodes > earlier.nodes
            assert later.milliseconds >= earlier.milliseconds
    assert reports[0].hashfull < 5  # what older searches left does not count


def test_a_depth_beyond_the_stack_is_cut(searcher):
    _, reports = think(searcher, "8/8/8/8/8/2k5/8/K7 w - - 0 1", Limits(depth=100_000))
    assert reports[-1].depth == MAX_PLY - 1
    assert reports[-1].score == 0


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


def test_a_node_limit_beyond_64_bits_is_none(searcher):
    searcher.time.node_time.rate = 10_000
    result, _ = think(searcher, KIWIPETE, Limits(movetime=10**15, depth=1))
    assert result.best in LEGAL


def test_without_a_finished_move_the_first_in_search_order_is_played(searcher):
    result, reports = think(searcher, "k7/8/8/3q4/4P3/8/8/K7 w - - 0 1", Limits(nodes=1))
    assert move_text(result.best) == "e4d5"
    assert [(report.depth, report.pv) for report in reports] == [(0, (result.best,))]


@pytest.mark.parametrize(("fen", "plies"), [mate for mate in MATES if mate[1] % 2])
def test_the_mate_limit_ends_the_search_once_it_is_found(searcher, fen, plies):
    moves = (plies + 1) // 2
    _, reports = think(searcher, fen, Limits(mate=moves, nodes=2_000_000))
    assert searcher.nodes < 2_000_000
    exact = [report.score for report in reports if report.bound == EXACT]
    found = [mate_in_moves(score) if is_mate(score) else None for score in exact]
    assert found[-1] == moves
    assert all(earlier is None or earlier > moves for earlier in found[:-1])


@pytest.mark.parametrize(
    ("limits", "least"),
    [
        (Limits(movetime=100), 0.08),
        (Limits(clock=ClockTimes(500, 500)), 0),
        (Limits(clock=ClockTimes(0, 0)), 0),
    ],
)
def test_time_limits_end_the_search_and_a_move_time_is_used(searcher, limits, least):
    begin = time.monotonic()
    result, _ = think(searcher, KIWIPETE, limits)
    assert least <= time.monotonic() - begin < TIMEOUT
    assert result.best in LEGAL


def test_a_forced_move_costs_little_time():
    """By node time, so that no machine matters: a twentieth of the budget, and one depth more."""
    searcher = Searcher(4)
    searcher.time.node_time.rate = 1_000
    counts = []
    for choices in (1, 2):
        searcher.clear()
        limits = Limits(clock=ClockTimes(30_000, 30_000), searchmoves=tuple(LEGAL[:choices]))
        think(searcher, KIWIPETE, limits)
        counts.append(searcher.nodes)
    assert counts[0] * 4 < counts[1]


# From other threads


@pytest.mark.parametrize(
    "limits",
    [
        Limits(infinite=True),
        Limits(clock=ClockTimes(200, 200), ponder=True),
        Limits(movetime=50, ponder=True),
    ],
)
def test_stop_and_ponderhit_reach_a_running_search(searcher, limits):
    results: list[Result] = []

    def run() -> None:
        results.append(think(searcher, KIWIPETE, limits)[0])

    searcher.arm()
    thread = threading.Thread(target=run)
    thread.start()
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
    assert not thread.is_alive()
    assert results[0].best in LEGAL


def test_a_stop_given_before_the_search_holds_until_it_is_taken_back(searcher):
    searcher.stop()
    think(searcher, KIWIPETE, Limits(infinite=True))
    assert searcher.nodes <= 1_025
    searcher.arm()
    think(searcher, KIWIPETE, Limits(nodes=5_000))
    assert searcher.nodes == 5_000


# The game


def test_a_search_leaves_the_game_alone(searcher):
    game = play(START, "g1f3", "g8f6", "f3g1")
    before = game.position.array.copy()
    keys = list(game.keys)
    searcher.search(game, Limits(depth=6))
    assert np.array_equal(game.position.array, before)
    assert game.keys == keys


def test_no_reply_is_expected_to_a_move_that_repeats(searcher):
    think(searcher, START, Limits(depth=6))  # the table knows a move for the start position
    moves = ["g1f3", "g8f6", "f3g1", "f6g8"]
    once = play(START, *moves[:3])
    twice = play(START, *moves, *moves[:3])
    back = once.position.parse_move("f6g8")
    limits = Limits(depth=1, searchmoves=(back,))
    assert searcher.search(twice, limits) == Result(back, 0)
    assert searcher.search(once, limits).ponder != 0  # the second occurrence is no draw yet
