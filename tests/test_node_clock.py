"""The clock counted in nodes."""

from tests.test_searcher import MIDDLEGAME, think
from zobra.search.clock import TimeBudget
from zobra.search.limits import GameClock, Limits
from zobra.search.node_clock import NodeClock
from zobra.search.searcher import Searcher

CLOCK = GameClock(10_000, 8_000, 100, 50)


def test_off_it_changes_nothing():
    clock, limits = NodeClock(), Limits(clock=CLOCK)
    assert clock.begin(limits, True) is limits
    assert clock.node_limit(TimeBudget(10, 20)) is None


def test_the_own_clock_runs_by_nodes():
    clock = NodeClock()
    clock.rate = 500
    assert clock.begin(Limits(clock=CLOCK), False).clock == GameClock(8_000, 8_000, 100, 50)
    clock.end(CLOCK, False, 100_000)  # 200 ms
    later = Limits(clock=GameClock(1, 1, 100, 50))  # what the real clock says no longer matters
    assert clock.begin(later, False).clock == GameClock(7_850, 7_850, 100, 50)
    clock.reset()
    assert clock.begin(later, True).clock.white_time == 1


def test_limits_in_nodes():
    clock = NodeClock()
    clock.rate = 500
    assert clock.node_limit(TimeBudget(10, 20)) == 10_000
    assert clock.node_limit(TimeBudget(None, None)) is None
    assert clock.is_late(TimeBudget(10, 20), 5_000) and not clock.is_late(TimeBudget(10, 20), 4_999)
    assert clock.begin(Limits(depth=4), True) == Limits(depth=4)


def test_each_period_of_moves_has_its_time():
    clock, seen = NodeClock(), []
    clock.rate = 100
    for moves_to_go in (2, 1, 2, 1, 2):
        limits = Limits(clock=GameClock(5_000, 5_000, 0, 0, moves_to_go))
        seen.append(clock.begin(limits, True).clock.white_time)
        clock.end(limits.clock, True, 100_000)  # a second
    assert seen == [5_000, 4_000, 8_000, 7_000, 11_000]


def test_time_plays_no_part(monkeypatch):
    searcher = Searcher(2)
    searcher.node_clock.rate = 100_000  # more than any machine searches
    monkeypatch.setattr(searcher._stopwatch, "is_late", lambda allotment: True)
    think(searcher, MIDDLEGAME, Limits(clock=GameClock(100, 100)))
    assert searcher.nodes > 20_000


def test_games_by_node_time_are_the_same_everywhere():
    counts = []
    for _ in range(2):
        searcher = Searcher(2)
        searcher.node_clock.rate = 50
        for _move in range(3):
            think(searcher, MIDDLEGAME, Limits(clock=GameClock(10_000, 10_000, 0, 0)))
            counts.append(searcher.nodes)
    assert counts[:3] == counts[3:]
    assert all(1_000 < count <= 10_000 * 50 for count in counts)


def test_a_move_time_is_so_many_nodes():
    searcher = Searcher(2, move_overhead=0)
    searcher.node_clock.rate = 100
    think(searcher, MIDDLEGAME, Limits(movetime=70))
    assert searcher.nodes == 7_000
