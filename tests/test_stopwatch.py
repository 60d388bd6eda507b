"""When a search has to end: at once, at its deadline, and not before the ponderhit."""

import threading
import time

import pytest

from tests.test_searcher import KIWIPETE, PATIENCE
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.search import stopwatch as stopwatch_module
from zobra.search.clock import TimeBudget
from zobra.search.limits import GameClock, Limits
from zobra.search.searcher import Searcher
from zobra.search.stopwatch import Stopwatch
from zobra.search.worker import DEADLINE, STOP

MS = 1_000_000


@pytest.fixture
def now(monkeypatch):
    """A clock that stands until it is moved, in nanoseconds."""
    value = [5_000 * MS]
    monkeypatch.setattr(stopwatch_module, "clock_now", lambda: value[0])
    return value


def test_without_pondering_time_counts_from_the_start(now):
    watch = Stopwatch()
    watch.start()
    assert watch.signals[DEADLINE] == 0
    now[0] += 7 * MS  # what the preparations took is part of it
    watch.limit(TimeBudget(100, 250), False)
    assert watch.signals[DEADLINE] == 5_250 * MS
    assert watch.milliseconds == 7 and not watch.is_late(TimeBudget(100, 250))
    now[0] = 5_100 * MS
    assert watch.is_late(TimeBudget(100, 250))


def test_more_time_than_there_is_sets_no_deadline_that_comes(now):
    watch = Stopwatch()
    watch.start()
    watch.limit(TimeBudget(None, float(1 << 62)), False)
    assert watch.signals[DEADLINE] == 2**63 - 1


def test_while_pondering_there_is_no_deadline(now):
    watch = Stopwatch()
    watch.start()
    watch.limit(TimeBudget(100, 250), True)
    now[0] += 60 * MS
    assert watch.signals[DEADLINE] == 0 and not watch.is_late(TimeBudget(100, 250))
    watch.ponderhit()
    assert watch.signals[DEADLINE] == 5_310 * MS and not watch.is_late(TimeBudget(100, 250))
    now[0] += 40 * MS  # what was thought before the hit need not be thought again
    assert watch.is_late(TimeBudget(100, 250)) and watch.milliseconds == 100 and not watch.signals[STOP]
    watch.ponderhit()  # a second one changes nothing
    assert watch.signals[DEADLINE] == 5_310 * MS


@pytest.mark.parametrize("soft", [100, 20_000])
def test_a_ponderhit_after_enough_thought_ends_the_search(now, soft):
    watch = Stopwatch()
    watch.start()
    watch.limit(TimeBudget(soft, 50_000), True)
    now[0] += 10_000 * MS
    assert not watch.is_late(TimeBudget(soft, 50_000)) and not watch.signals[STOP]
    watch.ponderhit()
    assert bool(watch.signals[STOP]) == (soft == 100)


def test_a_ponderhit_before_the_limits_are_known_counts(now):
    watch = Stopwatch()
    watch.arm()
    watch.ponderhit()
    watch.start()
    watch.limit(TimeBudget(100, 250), True)
    assert watch.signals[DEADLINE] == 5_250 * MS
    watch.arm()
    watch.start()
    watch.limit(TimeBudget(100, 250), True)
    assert watch.signals[DEADLINE] == 0


def test_a_ponderhit_that_comes_early_ends_no_search_for_the_thought_of_the_last(now):
    watch = Stopwatch()
    watch.start()
    watch.limit(TimeBudget(100, 250), True)
    now[0] += 10_000 * MS
    assert not watch.is_late(TimeBudget(100, 250))  # enough, but it ponders
    watch.stop()
    watch.arm()
    watch.ponderhit()
    watch.start()
    watch.limit(TimeBudget(100, 250), True)
    assert not watch.signals[STOP] and watch.signals[DEADLINE] == 15_250 * MS


def test_a_search_without_limits_has_no_deadline_and_one_before_leaves_none(now):
    watch = Stopwatch()
    watch.start()
    watch.limit(TimeBudget(None, 50), False)
    watch.start()
    watch.limit(TimeBudget(None, None), False)
    assert watch.signals[DEADLINE] == 0
    now[0] += 10**15
    assert not watch.is_late(TimeBudget(None, None))


def test_stop_holds_until_taken_back():
    watch = Stopwatch()
    watch.stop()
    watch.start()
    assert watch.signals[STOP]
    watch.arm()
    assert not watch.signals[STOP]


@pytest.mark.parametrize("limits", [Limits(clock=GameClock(200, 200), ponder=True), Limits(movetime=50, ponder=True)])
def test_a_running_search_hears_the_ponderhit(limits):
    searcher = Searcher(2)
    searcher.arm()
    results = []
    thread = threading.Thread(target=lambda: results.append(searcher.search(Game(parse_fen(KIWIPETE)), limits)))
    thread.start()
    deadline = time.monotonic() + 60
    while searcher.progress.depth < 6 and time.monotonic() < deadline:
        time.sleep(0.001)
    thread.join(0.4)  # longer than the clock that it will have
    assert thread.is_alive()
    searcher.ponderhit()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert results[0].best in parse_fen(KIWIPETE).legal_moves()
