"""Time management: budgets within the clock, stability, and searches that end when they have to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.searches import MIDDLEGAME, think
from zobra.engine.scores import MATE
from zobra.search import time_management
from zobra.search.limits import ClockTimes, Limits
from zobra.search.parameters import default_parameters
from zobra.search.root import RootLine
from zobra.search.searcher import Searcher
from zobra.search.time_management import (
    FIRST_STABLE_DEPTH,
    MINIMUM,
    NodeTime,
    TimeBudget,
    TimeManager,
    stability_factor,
    time_budget,
)
from zobra.search.worker import DEADLINE, STOP
from zobra.tt.entry import EXACT

MS = 1_000_000  # nanoseconds
CLOCK = ClockTimes(10_000, 8_000, 100, 50)
NUMBERS = default_parameters()
RESERVE = NUMBERS["time_reserve"]
LEAST_RESERVE = NUMBERS["time_least_reserve"]
CLOCK_SHARE = NUMBERS["time_clock_share"] / 100
STABILITY = [NUMBERS[name] / 100 for name in time_management.STABILITY]
MOVES = st.one_of(st.none(), st.integers(0, 500))


# Budgets


def budget(limits: Limits, white_to_move: bool = True, overhead: int = 0) -> TimeBudget:
    return time_budget(limits, white_to_move, overhead, NUMBERS)


def white(time: int, increment: int = 0, moves: int | None = None, overhead: int = 0) -> TimeBudget:
    return budget(Limits(clock=ClockTimes(time, None, increment, 0, moves)), overhead=overhead)


@given(
    st.integers(-10_000, 10_000_000),
    st.integers(0, 1_000_000),
    st.integers(0, 60_000),
    MOVES,
    st.integers(0, 5_000),
)
def test_budgets_lie_within_the_clock_and_grow_with_it(time, more, increment, moves, overhead):
    optimum, maximum = white(time, increment, moves, overhead)
    assert MINIMUM <= optimum <= maximum <= max(MINIMUM, time - overhead)
    richer = white(time + more, increment, moves, overhead)
    assert richer.optimum >= optimum
    assert richer.maximum >= maximum


@given(st.integers(1_000, 10_000_000), st.integers(2, 200), st.integers(0, 100))
def test_a_share_of_the_clock_is_kept_for_later_moves(time, moves, more):
    assert white(time, 0, moves).maximum <= time / 2
    assert white(time, 0, moves).optimum >= white(time, 0, moves + more).optimum


def test_a_move_has_its_share_of_the_clock_and_of_the_increment():
    without = (20_000 - RESERVE) / NUMBERS["time_moves_without_increment"]
    share = (20_000 - RESERVE) / NUMBERS["time_moves"] + NUMBERS["time_increment_share"]
    for found, expected in ((white(20_000), without), (white(20_000, 100), share)):
        assert found.optimum == pytest.approx(expected * NUMBERS["time_optimum"] / 100)
        assert found.maximum == pytest.approx(expected * NUMBERS["time_maximum"] / 100)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # The last move before the time control may take all but the reserve, one of two a share.
        (white(10_000, 0, 1).maximum, 10_000 - RESERVE),
        (white(1_000, 0, 1, 100).maximum, 900 - RESERVE),
        (white(1_000, 0, 2, 100).maximum, CLOCK_SHARE * (900 - RESERVE)),
        (white(200, 0, 1).maximum, 200 - NUMBERS["time_reserve_share"] / 100 * 200),
        (white(100, 0, 1).maximum, 100 - LEAST_RESERVE),
        # The overhead is kept, and no number of moves is sudden death.
        (white(5_000, overhead=200), white(4_800)),
        (white(60_000, 0, 0), white(60_000)),
        # Without time there is a millisecond.
        (white(0, overhead=50), (MINIMUM, MINIMUM)),
        (white(-1_000_000, 0, 40, 50), (MINIMUM, MINIMUM)),
        # Each side has its clock.
        (
            budget(Limits(clock=ClockTimes(60_000, 1_000, 0, 500)), white_to_move=False),
            white(1_000, 500),
        ),
        # A move time is used up, as far as the clock allows.
        (budget(Limits(movetime=1_000), overhead=30), (None, 970)),
        (budget(Limits(movetime=10), overhead=30), (None, MINIMUM)),
        (budget(Limits(movetime=500, clock=ClockTimes(60_000))), (None, 500)),
        (
            budget(Limits(movetime=500, clock=ClockTimes(100))).maximum,
            pytest.approx(50 * CLOCK_SHARE),
        ),
        # No clock, no limit
        (budget(Limits(depth=5), overhead=10), (None, None)),
        (budget(Limits(clock=ClockTimes(None, 5_000)), overhead=10), (None, None)),
    ],
)
def test_budgets(found, expected):
    assert found == expected


@pytest.mark.parametrize("lag", [2, 6])
def test_a_clock_with_an_increment_does_not_sink_to_nothing(lag):
    """Each move takes the maximum, and a busy machine takes milliseconds beside that."""
    clock = 1_000.0
    for _ in range(300):
        clock += 10 - lag - white(int(clock), 10, None, 10).maximum
        assert clock >= LEAST_RESERVE


# Stability


def factor_after(bests: list[int], scores: list[int] | None = None, effort: float = 0.5) -> float:
    """The factor after depths 1, 2, … with these best moves and scores."""
    scores = scores or [0] * len(bests)
    lines = [
        RootLine(depth, depth, score, EXACT, (best,))
        for depth, (best, score) in enumerate(zip(bests, scores, strict=True), 1)
    ]
    return stability_factor(lines, effort, NUMBERS)


def test_the_longer_a_move_stands_the_less_time_it_takes():
    assert sorted(STABILITY, reverse=True) == STABILITY
    changing = [*range(1, 11)]
    usual = factor_after([*changing, 11, 11, 11])
    for stood, factor in enumerate(STABILITY):
        found = factor_after([*changing, *[11] * (stood + 1)])
        assert found == pytest.approx(usual * factor / STABILITY[2])
    assert factor_after([*changing, *[11] * 40]) == factor_after([*changing, *[11] * 5])
    assert factor_after([11] * 12 + [7]) == factor_after(changing)  # changed at last


def test_shallow_depths_say_nothing():
    falling = [-100, -200, -300, -400, -500, -600]
    for depth in range(1, FIRST_STABLE_DEPTH):
        assert factor_after([*range(depth)], falling[:depth]) == 1
    assert factor_after([*range(FIRST_STABLE_DEPTH)], falling[:FIRST_STABLE_DEPTH]) != 1


def test_a_falling_score_takes_more_time_within_bounds():
    steady = [5] * 12
    level = factor_after(steady)
    least = NUMBERS["time_drop_least"] / 100
    most = NUMBERS["time_drop_most"] / 100
    for fall in (0, 20, 60, -5, 5_000, -5_000):
        wanted = level * max(least, min(1 + fall / NUMBERS["time_drop_scale"], most))
        assert factor_after(steady, [100] * 11 + [100 - fall]) == pytest.approx(wanted)
    assert factor_after(steady, [200] + [0] * 11) < factor_after(steady, [0] * 9 + [200, 0, 0])


def test_the_more_effort_the_best_move_took_the_less_time():
    shares = (0, 0.25, 0.5, 1)
    factors = [factor_after([5] * 12, effort=share) for share in shares]
    for factor, share in zip(factors, shares, strict=True):
        spread = NUMBERS["time_effort_base"] - NUMBERS["time_effort_slope"] * share
        assert factor == pytest.approx(STABILITY[-1] * spread / 100)


# The time manager


class FakeTime:
    """A time manager whose clock stands until it is moved, and whose budget is given."""

    def __init__(self, monkeypatch) -> None:
        self.now = 5_000
        self.budget = TimeBudget(100, 250)
        monkeypatch.setattr(time_management, "clock_now", lambda: self.now * MS)
        monkeypatch.setattr(time_management, "time_budget", lambda *_: self.budget)
        self.manager = TimeManager(0, NUMBERS)

    def start(self, ponder: bool = False) -> None:
        self.manager.start(Limits(clock=CLOCK, ponder=ponder), True)

    def should_stop(
        self,
        score: int = 0,
        depth: int = 1,
        move: int = 1,
        effort: float = 0.5,
        nodes: int = 0,
        forced: bool = False,
    ) -> bool:
        line = RootLine(depth, depth, score, EXACT, (move,))
        return self.manager.should_stop(line, effort, nodes, forced)

    @property
    def deadline(self) -> int:
        """Milliseconds, 0 for none."""
        return int(self.manager.signals[DEADLINE]) // MS

    @property
    def stopped(self) -> bool:
        return bool(self.manager.signals[STOP])


@pytest.fixture
def fake(monkeypatch):
    return FakeTime(monkeypatch)


@pytest.mark.parametrize("armed", [True, False])
def test_time_counts_from_the_start_or_from_arming(fake, armed):
    if armed:
        fake.now += 20
        fake.manager.arm(20 * MS)  # `go` was read so long ago
        fake.now += 30  # a look into the endgame tablebases
    else:
        fake.now -= 40
        fake.manager.arm()
        fake.now += 40
    fake.start()
    fake.now = 5_099
    assert fake.deadline == 5_250
    assert fake.manager.milliseconds == 99
    assert not fake.should_stop()
    fake.now = 5_100
    assert fake.should_stop()


def test_while_pondering_there_is_no_deadline(fake):
    fake.start(ponder=True)
    fake.now += 60
    assert not fake.deadline
    assert not fake.should_stop()
    fake.manager.ponderhit()
    assert fake.deadline == 5_310
    assert not fake.should_stop()
    fake.now += 40  # what was thought before the hit need not be thought again
    assert fake.should_stop()
    assert fake.manager.milliseconds == 100
    assert not fake.stopped
    fake.manager.ponderhit()  # a second one changes nothing
    assert fake.deadline == 5_310


@pytest.mark.parametrize("optimum", [100, 20_000])
def test_a_ponderhit_after_the_optimum_ends_the_search(fake, optimum):
    fake.budget = TimeBudget(optimum, 50_000)
    fake.start(ponder=True)
    fake.now += 10_000
    assert not fake.should_stop()
    assert not fake.stopped
    fake.manager.ponderhit()
    assert fake.stopped == (optimum == 100)


@pytest.mark.parametrize("pondered", [249, 250])
def test_a_ponderhit_after_the_maximum_ends_the_search(fake, pondered):
    fake.start(ponder=True)
    fake.now += pondered  # in one depth
    fake.manager.ponderhit()
    assert fake.stopped == (pondered == 250)


def test_an_early_ponderhit_counts_for_one_search(fake):
    fake.start(ponder=True)
    fake.now += 10_000
    assert not fake.should_stop()  # past the optimum, but it ponders
    fake.manager.stop()
    for hit, deadline in ((True, 15_250), (False, 0)):
        fake.manager.arm()
        if hit:
            fake.manager.ponderhit()
        fake.start(ponder=True)
        assert fake.deadline == deadline
        assert not fake.stopped


def test_a_search_without_limits_has_no_deadline(fake):
    fake.start()
    fake.budget = TimeBudget(None, None)
    fake.start()
    assert not fake.deadline
    fake.now += 10**9
    assert not fake.should_stop(forced=True)


def test_a_deadline_beyond_the_clock_does_not_come(fake):
    fake.budget = TimeBudget(None, float(1 << 62))
    fake.start()
    assert fake.manager.signals[DEADLINE] == np.iinfo(np.int64).max


@pytest.mark.parametrize("effort", [0.0, 1.0])
def test_the_optimum_is_scaled_but_not_beyond_the_maximum(fake, effort):
    fake.budget = TimeBudget(100, 170)
    fake.start()
    for depth in range(1, 12):  # a new best move each time, and then the same effort
        assert not fake.should_stop(depth=depth, move=depth, effort=effort)
    spread = (NUMBERS["time_effort_base"] - NUMBERS["time_effort_slope"] * effort) / 100
    scaled = min(100 * STABILITY[0] * spread, 170)
    fake.now = 5_000 + int(scaled - 1)
    assert not fake.should_stop(depth=12, move=12, effort=effort)
    fake.now = 5_000 + int(scaled + 1)
    assert fake.should_stop(depth=13, move=13, effort=effort)


def test_a_mate_needs_no_depth_beyond_twice_its_length(fake):
    fake.start()
    assert not fake.should_stop(int(MATE) - 5, depth=6)
    assert fake.should_stop(int(MATE) - 5, depth=7)


def test_a_forced_move_gets_a_share_of_the_optimum(fake):
    fake.start()
    fake.now += NUMBERS["time_forced"] - 1  # hundredths of 100 ms
    assert not fake.should_stop(forced=True)
    fake.now += 1
    assert fake.should_stop(forced=True)
    assert not fake.should_stop()


def test_the_time_until_a_share_of_the_optimum_is_over(fake):
    fake.budget = TimeBudget(200, 400)
    fake.start()
    fake.now += 30
    assert fake.manager.time_until(0.5) == pytest.approx(0.07)
    assert fake.manager.time_until(0.1) == 0
    fake.budget = TimeBudget(None, None)
    fake.start()
    assert fake.manager.time_until(1) == 0


# A clock of nodes


def test_the_own_clock_runs_by_nodes():
    assert NodeTime().begin(Limits(clock=CLOCK), True) == Limits(clock=CLOCK)  # it is off
    node_time = NodeTime(rate=500)
    assert node_time.begin(Limits(clock=CLOCK), False).clock == ClockTimes(8_000, 8_000, 100, 50)
    node_time.end(CLOCK, False, 100_000)  # 200 ms
    later = Limits(clock=ClockTimes(1, 1, 100, 50))  # what the real clock says no longer matters
    assert node_time.begin(later, False).clock == ClockTimes(7_850, 7_850, 100, 50)
    assert node_time.begin(Limits(depth=4), True) == Limits(depth=4)


@pytest.mark.parametrize(
    ("periods", "times"),
    [
        ((2, 1, 2, 1, 2), [5_000, 4_000, 8_000, 7_000, 11_000]),
        ((1, 1, 1), [5_000, 9_000, 13_000]),
        ((2, 1, 1, 2), [5_000, 4_000, 3_000, 7_000]),  # one move twice: it was pondered on in vain
    ],
)
def test_each_period_of_moves_has_its_time(periods, times):
    node_time = NodeTime(rate=100)
    seen = []
    for moves_to_go in periods:
        limits = Limits(clock=ClockTimes(5_000, 5_000, 0, 0, moves_to_go))
        seen.append(node_time.begin(limits, True).clock.white_time)
        node_time.end(limits.clock, True, 100_000)  # a second
    assert seen == times


def test_limits_in_nodes(fake):
    assert fake.manager.node_limit is None
    fake.manager.node_time.rate = 500
    fake.start()
    fake.now += 10**6  # time plays no part
    assert fake.manager.node_limit == 125_000
    assert not fake.deadline
    assert fake.should_stop(nodes=50_000)
    assert not fake.should_stop(nodes=49_999)
    fake.budget = TimeBudget(None, None)
    fake.start()
    assert fake.manager.node_limit is None
    assert not fake.should_stop(nodes=10**9)


def test_games_by_node_time_are_reproducible():
    searcher = Searcher(2)
    searcher.time.node_time.rate = 50
    counts = []
    for _game in range(2):
        searcher.clear()
        for _move in range(3):
            think(searcher, MIDDLEGAME, Limits(clock=ClockTimes(10_000, 10_000)))
            counts.append(searcher.nodes)
    assert counts[:3] == counts[3:]
    assert all(1_000 < count <= 10_000 * 50 for count in counts)
    searcher.time.overhead = 0
    think(searcher, MIDDLEGAME, Limits(movetime=70))
    assert searcher.nodes == 70 * 50


@pytest.mark.parametrize("increment", [0, 600])
def test_a_move_gets_its_share_of_the_clock_and_of_the_increment(increment):
    moves = NUMBERS["time_moves" if increment else "time_moves_without_increment"]
    share = (60_000 - RESERVE) / moves + NUMBERS["time_increment_share"] / 100 * increment
    optimum, maximum = white(60_000, increment)
    assert optimum == pytest.approx(share * NUMBERS["time_optimum"] / 100)
    assert maximum == pytest.approx(share * NUMBERS["time_maximum"] / 100)


def test_a_move_that_comes_back_is_new():
    before = list(range(1, 11))
    assert factor_after([*before, 11, 11, 11, 7, 11]) == factor_after([*before, 12, 13, 14, 7, 11])


def test_the_first_depth_that_tells_of_stability_counts():
    assert factor_after(list(range(FIRST_STABLE_DEPTH))) > 1


def test_a_search_knows_nothing_of_the_depths_of_the_last(fake):
    fake.start()
    for depth in range(1, 12):
        fake.should_stop(depth=depth)
    fake.start()
    fake.now += 99  # of 100 ms; a stable move would have less
    assert not fake.should_stop()
