"""Several threads at one root: they share the table and nothing else, all of them stop, and the
best line is chosen.
"""

import random
import threading
import time
import weakref

import pytest

from tests.support.search_oracles import random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.network import built_in_network
from zobra.engine.position import Game
from zobra.engine.scores import MATE
from zobra.search import lazy_smp
from zobra.search.iterative_deepening import new_search
from zobra.search.lazy_smp import MAX_THREADS, LazySmp, usable_processors, vote
from zobra.search.limits import Limits
from zobra.search.options import find
from zobra.search.parameters import default_parameters
from zobra.search.root import RootLine
from zobra.search.searcher import Searcher
from zobra.tt.entry import EXACT
from zobra.tt.table import Table

TIMEOUT = 10.0  # seconds within which anything that must happen has happened
LEGAL = parse_fen(START).legal_moves()
MATE_IN_THREE = int(MATE) - 5
MATE_IN_FIVE = int(MATE) - 9
LOST = 8 - int(MATE)


def new_game() -> Game:
    return Game(parse_fen(START))


def helpers() -> set[threading.Thread]:
    """The threads that run beside the main one."""
    return set(threading.enumerate()) - {threading.main_thread()}


# The vote


def line(move: int, score: int, depth: int) -> RootLine:
    return RootLine(depth, depth, score, EXACT, (move,))


@pytest.mark.parametrize(
    ("lines", "move"),
    [
        ([line(1, -30, 9)], 1),
        ([line(1, 21, 10), line(2, 20, 10), line(2, 22, 10)], 2),
        ([line(1, 20, 10), line(2, 20, 14)], 2),
        ([line(1, 60, 10), line(2, 20, 14)], 1),
        # A nearer mate needs no votes.
        ([line(1, 900, 20), *[line(2, MATE_IN_FIVE, 20)] * 2, line(3, MATE_IN_THREE, 8)], 3),
        ([line(1, LOST, 12), line(2, LOST + 6, 12)], 2),  # being mated later
        ([line(1, LOST, 20), line(2, -200, 5)], 1),  # too shallow to deny the mate
        ([line(1, LOST, 20), line(2, -200, 5), line(3, -300, 20)], 3),
    ],
)
def test_threads_vote_by_depth_and_score_unless_there_is_a_mate(lines, move):
    assert vote(lines).moves == (move,)


@pytest.mark.parametrize("limits", [Limits(depth=4), Limits(nodes=20_000)])
def test_a_search_with_a_depth_limit_does_not_vote(monkeypatch, limits):
    poor = parse_fen(START).parse_move("f2f3")
    monkeypatch.setattr(LazySmp, "end", lambda self: [line(poor, 500, 40)])
    reports = []
    result = Searcher(1).search(new_game(), limits, reports.append)
    if limits.depth is None:
        assert result.best == poor
        assert reports[-1].depth == 40
    else:
        assert result.best != poor
        assert reports[-1].depth == limits.depth


# The threads


@pytest.fixture
def eight_processors(monkeypatch):
    monkeypatch.setattr(lazy_smp, "usable_processors", lambda: 8)


def first_thread_nodes(searcher: Searcher) -> int:
    """Return the nodes of the first thread, without those of the helpers."""
    return int(searcher._this["nodes"])


def test_every_thread_works_and_is_counted(eight_processors):
    table = Table(1)
    network = built_in_network()
    smp = LazySmp(default_parameters(), 3)
    smp.start(lambda signals: new_search(new_game(), table, network, signals, None), table)
    deadline = time.monotonic() + TIMEOUT
    while not all(worker[0]["nodes"] > 1_000 for worker in smp.workers):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    smp.stop()
    each = [int(worker[0]["nodes"]) for worker in smp.workers]
    assert len(each) == 2
    assert smp.nodes == sum(each)
    lines = smp.end()
    assert len(lines) == 2
    assert all(found.moves[0] in LEGAL for found in lines)


def test_the_threads_of_a_searcher_share_its_limits_and_are_counted(eight_processors):
    searcher = Searcher(4)
    searcher.threads = 2
    reports = []
    result = searcher.search(new_game(), Limits(nodes=400_000), reports.append)
    assert result.best in LEGAL
    assert first_thread_nodes(searcher) == 200_000
    assert 200_000 < reports[-1].nodes <= searcher.nodes


def test_threads_are_started_once_and_wait_between_searches():
    others = helpers()
    searcher = Searcher(1)
    searcher.threads = 4
    threads = helpers() - others
    assert len(threads) == 3
    for _ in range(3):
        searcher.search(new_game(), Limits(nodes=20_000))
        assert helpers() - others == threads
    searcher.threads = 2
    assert searcher.threads == 2
    threads |= helpers()
    searcher.search(new_game(), Limits(nodes=20_000))
    searcher.clear()  # waits for them
    nodes = searcher.nodes
    time.sleep(0.02)
    assert searcher.nodes == nodes  # they stand still after a search
    del searcher
    for thread in threads - others:
        thread.join(TIMEOUT)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("owner", "name", "error"),
    [(threading.Thread, "start", RuntimeError), (lazy_smp, "new_worker", MemoryError)],
)
def test_the_search_works_with_the_threads_that_could_be_started(
    monkeypatch, eight_processors, owner, name, error
):
    calls = []
    call = getattr(owner, name)

    def refuse_the_second(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise error
        return call(*arguments)

    searcher = Searcher(1)
    with monkeypatch.context() as refusing:
        refusing.setattr(owner, name, refuse_the_second)
        searcher.threads = 4
    assert searcher.threads_remark.startswith("2 of 4 threads could not be started")
    assert searcher.search(new_game(), Limits(nodes=20_000)).best in LEGAL
    assert first_thread_nodes(searcher) == 10_000  # threads that do not run have no share
    searcher.threads = 3
    assert "could not be started" not in searcher.threads_remark


@pytest.mark.parametrize(("available", "missing"), [(0, 3), (12, 1), (None, 0)])
def test_threads_are_limited_by_memory(monkeypatch, eight_processors, available, missing):
    monkeypatch.setattr(lazy_smp, "available_megabytes", lambda: available)
    searcher = Searcher(1)
    searcher.threads = 4
    remark = f"{missing} of 4 threads could not be started"
    assert searcher.threads_remark.startswith(remark) == bool(missing)


def test_a_late_thread_is_not_waited_for_and_has_no_vote(monkeypatch, eight_processors):
    """A helper thread that is still busy neither holds up the answer nor counts."""
    busy = threading.Event()
    free = threading.Event()

    def run_slowly(*_):
        busy.set()
        free.wait(TIMEOUT)

    searcher = Searcher(1)
    searcher.threads = 2
    monkeypatch.setattr(lazy_smp, "run_helper", run_slowly)
    for _ in range(2):
        begin = time.monotonic()
        assert searcher.search(new_game(), Limits(movetime=50)).best in LEGAL
        assert time.monotonic() - begin < TIMEOUT / 2
        assert busy.wait(TIMEOUT)
        assert searcher.nodes == first_thread_nodes(searcher)
    free.set()


def test_a_new_game_waits_for_a_thread_that_is_late_from_an_earlier_search(
    monkeypatch, eight_processors
):
    """Otherwise it would fill the cleared table."""
    busy = threading.Event()
    free = threading.Event()
    finished = threading.Event()

    def run_slowly(*_):
        busy.set()
        free.wait(TIMEOUT)
        finished.set()

    searcher = Searcher(1)
    searcher.threads = 2
    monkeypatch.setattr(lazy_smp, "run_helper", run_slowly)
    searcher.search(new_game(), Limits(movetime=50))
    assert busy.wait(TIMEOUT)
    searcher.search(new_game(), Limits(movetime=50))
    threading.Timer(0.2, free.set).start()
    searcher.clear()
    assert finished.is_set()


def test_a_table_is_freed_when_another_replaces_it(eight_processors):
    searcher = Searcher(1)
    searcher.threads = 2
    searcher.search(new_game(), Limits(nodes=20_000))
    old = weakref.ref(searcher.tt.bytes)
    searcher.resize(2)
    assert old() is None


def test_many_threads_do_not_delay_the_answer():
    """The bound is generous, since the machine may be busy."""
    assert find("Threads").high == MAX_THREADS
    searcher = Searcher(16)
    searcher.threads = MAX_THREADS
    usable = usable_processors()
    remark = f"{MAX_THREADS} threads are more than the {usable} usable processors"
    assert searcher.threads_remark == remark
    begin = time.monotonic()
    searcher.search(new_game(), Limits(movetime=100))
    assert time.monotonic() - begin < 1

    searcher.arm()
    arguments = (new_game(), Limits(infinite=True))
    thread = threading.Thread(target=searcher.search, args=arguments)
    thread.start()
    time.sleep(0.3)
    begin = time.monotonic()
    searcher.stop()
    thread.join()
    assert time.monotonic() - begin < 1


def test_one_thread_is_reproducible_after_several():
    fens = [board.fen() for board in random_boards(72, 2, 60)]
    games = [Game(parse_fen(fen)) for fen in random.Random(5).sample(fens, 3)]

    def run(searcher: Searcher) -> list[tuple[int, int]]:
        found = []
        for game in games:
            searcher.clear()
            result = searcher.search(game, Limits(depth=7))
            found.append((result.best, searcher.nodes))
        return found

    changed = Searcher(1)
    changed.threads = 3
    run(changed)
    changed.threads = 0
    assert changed.threads == 1
    assert run(changed) == run(Searcher(1))
