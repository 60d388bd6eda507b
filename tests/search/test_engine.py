"""The engine below all doors: what runs where, what waits for what, and how it ends."""

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock

import pytest

from tests.support.searches import KIWIPETE
from zobra.engine.fen import START, parse_fen, write_fen
from zobra.engine.position import Game
from zobra.search import current_move
from zobra.search.bench_conditions import Conditions
from zobra.search.current_move import CurrentMoveWatch
from zobra.search.engine import Engine, EngineError
from zobra.search.jobs import LongJob
from zobra.search.limits import ClockTimes, Limits, Progress, Report, Result
from zobra.search.listener import Collector
from zobra.search.searcher import Searcher
from zobra.tt.entry import EXACT

TIMEOUT = 30.0  # seconds within which anything that must happen has happened
LONG = 12  # plies of a perft that does not end


class Recorder(Collector):
    """Keeps every report, and says when the result has come."""

    def __init__(self) -> None:
        super().__init__()
        self.reports: list[Report] = []
        self.done = threading.Event()

    def on_report(self, report: Report) -> None:
        super().on_report(report)
        self.reports.append(report)

    def on_result(self, result: Result) -> None:
        super().on_result(result)
        assert not self.done.is_set()
        self.done.set()


@pytest.fixture
def said():
    """The messages of the engine."""
    return []


@pytest.fixture
def engine(said):
    made = Engine(on_message=said.append)
    made.load().wait()
    yield made
    made.stop()
    made.close()


def ready(engine: Engine) -> threading.Event:
    """An event that is set when the engine is ready."""
    event = threading.Event()
    engine.when_ready(event.set)
    return event


def begin(engine: Engine, work: str) -> Recorder:
    """Begin something that does not end by itself."""
    recorder = Recorder()
    if work == "search":
        engine.go(Limits(infinite=True), recorder)
    elif work == "perft":
        engine.perft(LONG, lambda move, leaves: None, lambda total: None)
    else:
        engine.bench(Conditions(limit=60), lambda line: None)
    return recorder


@contextmanager
def busy(engine: Engine) -> Iterator[None]:
    """Keep the engine's thread at work that is no search."""
    entered = threading.Event()
    free = threading.Event()

    def keep(move: int, leaves: int) -> None:
        entered.set()
        free.wait(TIMEOUT)

    engine.perft(1, keep, lambda total: None)
    assert entered.wait(TIMEOUT)
    yield
    free.set()


# What runs and what waits


@pytest.mark.parametrize("work", ["search", "perft", "bench"])
def test_questions_are_answered_while_it_works(engine, work):
    begin(engine, work)
    for _ in range(3):
        assert ready(engine).wait(TIMEOUT)


@pytest.mark.parametrize("work", ["perft", "bench"])
def test_options_wait_for_a_running_count(engine, work):
    begin(engine, work)
    engine.set_option("Hash", 2)
    event = ready(engine)
    assert not event.wait(0.3)
    assert engine.options["Hash"] == 32
    engine.stop()
    assert event.wait(TIMEOUT)
    assert engine.options["Hash"] == 2


def test_a_question_asked_before_a_search_begins_is_answered_after_it_has_begun(engine):
    with busy(engine):
        recorder = begin(engine, "search")
        event = ready(engine)
        assert not event.wait(0.1)
    assert event.wait(TIMEOUT)
    assert not recorder.done.is_set()


@pytest.mark.parametrize("work", ["search", "perft", "bench"])
def test_a_stop_ends_what_works_and_what_waits(engine, said, work):
    first = begin(engine, work)
    second = begin(engine, "search")
    engine.stop()
    assert second.done.wait(TIMEOUT)
    engine.wait()
    assert first.done.is_set() == (work == "search")
    assert said == ([] if work == "search" else [f"{work} stopped"])


def test_waiting_counts_as_search_time(engine):
    with busy(engine):
        recorder = Recorder()
        engine.go(Limits(movetime=300), recorder)
        time.sleep(0.5)
    assert recorder.done.wait(TIMEOUT)
    assert recorder.reports[-1].milliseconds >= 500


@pytest.mark.parametrize("multipv", [1, 3])
def test_a_finished_ponder_search_repeats_its_lines_after_the_ponderhit(engine, multipv):
    engine.set_option("MultiPV", multipv)
    recorder = Recorder()
    engine.go(Limits(depth=3, clock=ClockTimes(10_000, 8_000), ponder=True), recorder)
    assert not recorder.done.wait(0.5)
    count = len(recorder.reports)
    assert count
    engine.ponderhit()
    assert recorder.done.wait(TIMEOUT)
    again = recorder.reports[count:]
    assert [report.multipv for report in again] == list(range(1, multipv + 1))
    assert again[-1].depth == 3


@pytest.mark.parametrize("analyse", [True, False])
def test_failed_windows_are_reported_in_analysis(engine, analyse):
    engine.set_option("UCI_AnalyseMode", analyse)
    engine.set_position(KIWIPETE)
    recorder = Recorder()
    engine.go(Limits(depth=9), recorder).wait()
    assert any(report.bound != EXACT for report in recorder.reports) == analyse


def test_natural_time(engine):
    engine.set_option("Skill Level", 0)
    limits = Limits(clock=ClockTimes(20_000, 20_000))
    seconds = {}
    for natural in (True, False):
        engine.set_option("Natural Time", natural)
        engine.wait()
        begin = time.monotonic()
        engine.go(limits, Recorder()).wait()
        seconds[natural] = time.monotonic() - begin
    assert seconds[True] > 0.15
    assert seconds[False] < seconds[True]


def test_the_longest_natural_time_ends_with_a_stop(engine):
    engine.set_option("Skill Level", 0)
    recorder = Recorder()
    engine.go(Limits(clock=ClockTimes(10**15, 10**15)), recorder)  # more than a wait can last
    assert not recorder.done.wait(0.5)
    engine.stop()
    assert recorder.done.wait(TIMEOUT)


# Options and positions


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("Contempt", 3, "there is no option 'Contempt'"),
        ("Hash", 0, "option Hash is a number from 1 to"),
        ("Hash", "64", "option Hash takes int, not '64'"),
        ("Hash", True, "option Hash takes int, not True"),
        ("OwnBook", "true", "option OwnBook takes bool"),
        ("Clear Hash", 1, "option Clear Hash takes no value"),
        ("BookFile", None, "option BookFile takes str"),
    ],
)
def test_values_of_another_type_are_refused(engine, name, value, complaint):
    with pytest.raises(ValueError, match=complaint):
        engine.set_option(name, value)


def test_a_hash_that_is_rounded_down_says_so(engine, said):
    engine.set_option("Hash", 24).wait()
    engine.set_option("Hash", 16).wait()
    assert said == ["Hash is 16 MB, the largest power of two in 24"]
    assert engine.options["Hash"] == 16


def test_a_failed_option_is_reported_and_unchanged(engine, said):
    job = engine.set_option("BookFile", "/no/such/book.bin")
    with pytest.raises(ValueError, match="no such file"):
        job.wait()
    assert engine.options["BookFile"] == ""
    assert said[-1].startswith("error: /no/such/book.bin")


def test_an_engine_that_cannot_be_loaded_says_so(monkeypatch, said):
    def fail(*_):
        raise ImportError("no compiler")

    monkeypatch.setattr("zobra.engine.kernels.missing", lambda: ["kernel"])
    monkeypatch.setattr("zobra.engine.kernels.compile_missing", fail)
    engine = Engine(on_message=said.append)
    for job in (engine.load(), engine.new_game(), engine.set_position(None)):
        with pytest.raises(EngineError, match="could not be loaded: ImportError: no compiler"):
            job.wait()
    recorder = Recorder()
    engine.go(Limits(depth=1), recorder)
    assert recorder.done.wait(TIMEOUT)
    assert not recorder.result.best


def test_an_engine_that_is_forgotten_ends_its_threads():
    before = set(threading.enumerate())
    engine = Engine()
    engine.set_option("Threads", 3)
    engine.go(Limits(depth=1), Recorder()).wait()
    threads = set(threading.enumerate()) - before
    assert len(threads) >= 2
    gone = weakref.ref(engine)
    del engine
    gc.collect()
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive(), thread
    assert gone() is None


def test_a_position_is_kept_until_another_can_be_read(engine, said):
    engine.set_position(None, ["e2e4"]).wait()
    assert engine.has_position
    after = write_fen(engine.position)
    engine.set_position("rubbish").wait()
    assert not engine.has_position
    assert write_fen(engine.position) == after
    assert said[-1].startswith("error in fen: ")
    engine.set_game(Game(parse_fen(START))).wait()
    assert engine.has_position
    assert write_fen(engine.position) == START


# The watch


@pytest.mark.parametrize("is_search", [True, False])
def test_only_the_time_of_a_search_counts_from_its_submission(is_search):
    searcher = Mock(Searcher)
    LongJob(lambda job: None, is_search=is_search).attach(searcher)
    (elapsed,) = searcher.arm.call_args.args
    assert (elapsed is not None) == is_search


def test_the_current_move_is_reported_when_it_changes(monkeypatch):
    monkeypatch.setattr(current_move, "FIRST_LOOK", 0.0)
    monkeypatch.setattr(current_move, "PERIOD", 0.001)
    steps = [Progress(5, 7, 1), Progress(5, 7, 1), Progress(5, 8, 2)]
    seen = threading.Event()
    heard = []

    def look() -> Progress:
        if len(steps) > 1:
            return steps.pop(0)
        seen.set()
        return steps[0]

    watch = CurrentMoveWatch()
    watch.begin(look, heard.append)
    assert seen.wait(TIMEOUT)
    time.sleep(0.1)
    watch.end()
    assert heard == [Progress(5, 7, 1), Progress(5, 8, 2)]

    again = threading.Event()
    watch.begin(look, lambda progress: again.set())  # a new search, at the same move
    assert again.wait(TIMEOUT)
    watch.end()
    watch.close()
