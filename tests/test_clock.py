"""How long to think: never more than there is, never nothing, and more when there is more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zobra.search.clock import (
    CLOCK_SHARE,
    DEFAULT_MOVES_TO_GO,
    DROP_LEAST,
    DROP_MOST,
    DROP_SCALE,
    FIRST_STEADY_DEPTH,
    MINIMUM,
    RESERVE,
    RESERVE_SHARE,
    STEADY_FACTORS,
    Stability,
    TimeBudget,
    time_budget,
)
from zobra.search.limits import GameClock, Limits

TIMES = st.integers(-10_000, 10_000_000)
INCREMENTS = st.integers(0, 60_000)
OVERHEADS = st.integers(0, 5_000)
MOVES = st.one_of(st.none(), st.integers(0, 500))


def white(time: int | None, increment: int = 0, moves: int | None = None, overhead: int = 0) -> TimeBudget:
    return time_budget(Limits(clock=GameClock(time, None, increment, 0, moves)), True, overhead)


@given(TIMES, INCREMENTS, MOVES, OVERHEADS)
def test_never_more_than_the_clock_holds_and_never_nothing(time, increment, moves, overhead):
    optimum, maximum = white(time, increment, moves, overhead)
    assert optimum is not None
    assert maximum is not None
    assert MINIMUM <= optimum <= max(MINIMUM, time - overhead)
    assert MINIMUM <= maximum <= max(MINIMUM, time - overhead)
    assert optimum <= maximum


@given(st.integers(1, 10_000_000), st.integers(0, 1_000_000), INCREMENTS, MOVES)
def test_more_time_is_never_less(time, more, increment, moves):
    less_optimum, less_maximum = white(time, increment, moves)
    optimum, maximum = white(time + more, increment, moves)
    assert optimum >= less_optimum
    assert maximum >= less_maximum


@given(st.integers(1_000, 10_000_000), st.integers(2, 200))
def test_one_of_several_moves_may_not_take_all(time, moves):
    assert white(time, 0, moves).maximum <= time / 2


@given(st.integers(1_000, 1_000_000), st.integers(1, 100), st.integers(0, 100))
def test_fewer_moves_to_go_allow_more_for_each(time, moves, more):
    assert white(time, 0, moves).optimum >= white(time, 0, moves + more).optimum


@pytest.mark.parametrize("time", [-1_000_000, -1, 0, 1, 2])
@pytest.mark.parametrize("moves", [None, 0, 1, 40])
def test_next_to_no_time_still_gives_a_millisecond(time, moves):
    assert white(time, 0, moves, 50) == (MINIMUM, MINIMUM)


def test_the_last_move_before_the_time_control_may_use_what_is_left():
    assert white(1_000, 0, 1, 100).maximum == 900 - RESERVE
    assert white(1_000, 0, 2, 100).maximum == CLOCK_SHARE * (900 - RESERVE)


def test_a_reserve_is_left_alone():
    assert white(10_000, 0, 1).maximum == 10_000 - RESERVE
    assert white(100, 0, 1).maximum == 100 - RESERVE_SHARE * 100


def test_overhead_is_kept_back():
    assert white(5_000, 0, 1, 200).maximum == white(4_800, 0, 1, 0).maximum
    assert white(5_000, 0, None, 200) == white(4_800, 0, None, 0)


def test_each_side_has_its_own_clock():
    limits = Limits(clock=GameClock(60_000, 1_000, 0, 500))
    assert time_budget(limits, True, 0) == white(60_000)
    assert time_budget(limits, False, 0) == white(1_000, 500)


def test_sudden_death_is_shared_out():
    assert white(DEFAULT_MOVES_TO_GO * 1_000) == white(DEFAULT_MOVES_TO_GO * 1_000, 0, DEFAULT_MOVES_TO_GO)
    assert white(60_000, 0, 0) == white(60_000)


def test_a_move_time_is_a_limit_and_no_wish():
    assert time_budget(Limits(movetime=1_000), True, 30) == (None, 970)
    assert time_budget(Limits(movetime=10), True, 30) == (None, MINIMUM)
    assert time_budget(Limits(movetime=0), True, 0) == (None, MINIMUM)


def test_a_move_time_does_not_outlast_the_clock_beside_it():
    assert time_budget(Limits(movetime=500, clock=GameClock(60_000, 60_000)), False, 0) == (None, 500)
    short = time_budget(Limits(movetime=500, clock=GameClock(60_000, 100)), False, 0)
    assert short == (None, pytest.approx(100 * (1 - RESERVE_SHARE) * CLOCK_SHARE))


@pytest.mark.parametrize("limits", [Limits(), Limits(depth=5), Limits(infinite=True), Limits(clock=GameClock(None, 5_000))])
def test_without_a_clock_there_is_no_limit(limits):
    assert time_budget(limits, True, 10) == (None, None)


def paced(bests: list[int], scores: list[int] | None = None, effort: float = 0.5) -> float:
    """The factor after depths 1, 2, … with these best moves and scores."""
    pace = Stability()
    for number, best in enumerate(bests):
        pace.note(number + 1, best, scores[number] if scores else 0, effort)
    return pace.factor


def test_shallow_depths_say_nothing():
    for depths in range(FIRST_STEADY_DEPTH):
        assert paced(list(range(1, depths + 1)), [-100 * depth for depth in range(depths)]) == 1


def test_the_longer_a_move_stands_the_less_time_it_takes():
    assert list(STEADY_FACTORS) == sorted(STEADY_FACTORS, reverse=True)
    changing = list(range(1, 11))
    usual = paced([*changing, 11, 11, 11])
    for stood, factor in enumerate(STEADY_FACTORS):
        assert paced([*changing, *[11] * (stood + 1)]) == pytest.approx(usual * factor / STEADY_FACTORS[2])
    assert paced([*changing, *[11] * 40]) == paced([*changing, *[11] * len(STEADY_FACTORS)])
    assert paced([11] * 12 + [7]) == paced(changing)  # steady for long, and changed at last


@given(st.lists(st.integers(-1_000, 1_000), min_size=12, max_size=12), st.integers(0, 500))
def test_a_falling_score_is_worth_time(scores, fall):
    steady = [5] * len(scores)
    assert paced(steady, [*scores[:-1], scores[-1] - fall]) >= paced(steady, scores)


def test_a_fall_counts_from_the_average_and_within_bounds():
    steady, level = [5] * 12, paced([5] * 12)
    for fall, drop in ((0, 1), (60, 1 + 60 / DROP_SCALE), (-5, 1 - 5 / DROP_SCALE), (5_000, DROP_MOST), (-5_000, DROP_LEAST)):
        wanted = level * max(DROP_LEAST, min(drop, DROP_MOST))
        assert paced(steady, [100] * 11 + [100 - fall]) == pytest.approx(wanted)


def test_a_recent_score_weighs_more_than_an_old_one():
    steady = [5] * 12
    assert paced(steady, [200] + [0] * 11) < paced(steady, [0] * 9 + [200, 0, 0])


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_more_the_best_move_took_the_less_there_is_to_find(one, other):
    more, less = max(one, other), min(one, other)
    assert 0 < paced([5] * 12, effort=more) <= paced([5] * 12, effort=less)
    assert paced([5] * 12, effort=0.95) < paced([5] * 12, effort=0.3)


def test_the_soft_limit_moves_but_not_beyond_the_hard_one():
    assert TimeBudget(100.0, 250.0).at(0.5) == (50.0, 250.0)
    assert TimeBudget(100.0, 250.0).at(3.0) == (250.0, 250.0)
    assert TimeBudget(None, 250.0).at(3.0) == (None, 250.0)
    assert TimeBudget(None, None).at(0.5) == (None, None)
