"""Several threads at one root: they share the table and nothing else, all of them stop, and the
best line is chosen.
"""

import random
import threading
import time

import pytest

from tests.support.search_oracles import random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Game, Position
from zobra.engine.scores import MATE
from zobra.search import lazy_smp
from zobra.search.lazy_smp import MAX_THREADS, usable_processors, vote
from zobra.search.limits import Limits
from zobra.search.options import find
from zobra.search.root import RootLine
from zobra.search.searcher import Searcher

TIMEOUT = 10.0  # seconds within which anything that must happen has happened


def line(move: int, score: int, depth: int) -> RootLine:
    return RootLine(depth, depth, score, 0, (move,))


MATE_IN_THREE, MATE_IN_FIVE, LOST = int(MATE) - 5, int(MATE) - 9, 8 - int(MATE)


@pytest.mark.parametrize(
    ("lines", "move"),
    [
        ([line(1, -30, 9)], 1),
        ([line(1, 21, 10), line(2, 20, 10), line(2, 22, 10)], 2),
        ([line(1, 20, 10), line(2, 20, 14)], 2),
        ([line(1, 60, 10), line(2, 20, 14)], 1),
        (
            [
                line(1, 900, 20),
                line(2, MATE_IN_FIVE, 20),
                line(2, MATE_IN_FIVE, 20),
                line(3, MATE_IN_THREE, 8),
            ],
            3,
        ),
        ([line(1, LOST, 12), line(2, LOST + 6, 12)], 2),  # being mated later
        ([line(1, LOST, 20), line(2, -200, 5)], 1),  # too shallow to deny the mate
        ([line(1, LOST, 20), line(2, -200, 5), line(3, -300, 20)], 3),
    ],
)
def test_threads_vote_by_depth_and_score_unless_there_is_a_mate(lines, move):
    assert vote(lines).moves == (move,)


def test_every_thread_works_and_is_counted():
    searcher, position, reports = Searcher(4), parse_fen(START), []
    searcher.threads = 2
    assert (
        searcher.search(Game(position), Limits(depth=16), reports.append).best
        in position.legal_moves()
    )
    each = [int(worker[0]["nodes"]) for worker in (searcher._worker, *searcher._smp.workers)]
    assert len(each) == 2 and min(each) > 0 and reports[-1].nodes <= searcher.nodes == sum(each)


def test_threads_are_started_once_and_wait_between_searches():
    searcher = Searcher(1)
    searcher.threads = 4
    threads = list(searcher._smp.threads)
    for _ in range(3):
        searcher.search(Game(parse_fen(START)), Limits(nodes=20_000))
        assert (
            len(threads) == 3
            and all(thread.is_alive() for thread in threads)
            and threads == searcher._smp.threads
        )
    searcher.threads = 2
    assert len(searcher._smp.threads) == 1
    searcher._smp.stop()
    nodes = searcher.nodes
    time.sleep(0.02)
    assert searcher.nodes == nodes  # they stand still after a search
    threads += searcher._smp.threads
    del searcher
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive()


@pytest.mark.parametrize(
    ("owner", "name", "error"),
    [(threading.Thread, "start", RuntimeError), (lazy_smp, "new_worker", MemoryError)],
)
def test_threads_that_cannot_be_had_are_missing_and_the_others_search(
    monkeypatch, owner, name, error
):
    calls, call = [], getattr(owner, name)

    def refuse_the_second(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise error
        return call(*arguments)

    monkeypatch.setattr(owner, name, refuse_the_second)
    monkeypatch.setattr(lazy_smp, "usable_processors", lambda: 8)
    searcher, position = Searcher(1), parse_fen(START)
    searcher.threads = 4
    monkeypatch.undo()
    assert searcher.threads_remark.startswith("2 of 4 threads could not be started")
    assert searcher.search(Game(position), Limits(nodes=20_000)).best in position.legal_moves()
    assert searcher._this["nodes"] == 10_000  # half: threads that do not run have no share
    searcher.threads = 3
    assert len(searcher._smp.workers) == 2


@pytest.mark.parametrize(("available", "started"), [(0, 0), (12, 2), (None, 3)])
def test_threads_for_which_there_is_no_memory_are_missing(monkeypatch, available, started):
    monkeypatch.setattr(lazy_smp, "available_megabytes", lambda: available)
    searcher = Searcher(1)
    searcher.threads = 4
    assert len(searcher._smp.workers) == started
    missing = f"{3 - started} of 4 threads could not be started"
    assert searcher.threads_remark.startswith(missing) == (started < 3)


def test_a_thread_that_is_late_is_left_out_and_has_no_vote(monkeypatch):
    """A helper thread that is still busy neither holds up the answer nor counts."""
    busy, free = threading.Event(), threading.Event()

    def run_slowly(*_):
        busy.set()
        free.wait(TIMEOUT)

    searcher, position = Searcher(1), parse_fen(START)
    monkeypatch.setattr(lazy_smp, "usable_processors", lambda: 2)
    searcher.threads = 2
    monkeypatch.setattr(lazy_smp, "run_helper", run_slowly)
    for _ in range(2):
        begin = time.monotonic()
        assert searcher.search(Game(position), Limits(movetime=50)).best in position.legal_moves()
        assert time.monotonic() - begin < TIMEOUT / 2
        assert busy.wait(TIMEOUT) and searcher.nodes == searcher._this["nodes"]
    free.set()


@pytest.mark.parametrize("threads", [16, 256])
def test_many_threads_do_not_hold_up_the_answer(threads):
    """A generous bound; the exact one is measured on an idle machine."""
    searcher, game = Searcher(16), Game(parse_fen(START))
    searcher.threads = threads
    assert threads <= MAX_THREADS == find("Threads").high
    assert (
        searcher.threads_remark
        == f"{threads} threads are more than the {usable_processors()} usable processors"
    )
    for _ in range(3):
        begin = time.monotonic()
        searcher.search(game, Limits(movetime=100))
        assert time.monotonic() - begin < 1
    searcher.arm()
    thread = threading.Thread(target=searcher.search, args=(game, Limits(infinite=True)))
    thread.start()
    time.sleep(0.3)
    begin = time.monotonic()
    searcher.stop()
    thread.join()
    assert time.monotonic() - begin < 1


def test_fewer_threads_again_and_one_is_reproducible():
    games = [
        Game(Position.from_board(board))
        for board in random.Random(5).sample(list(random_boards(72, 2, 60)), 3)
    ]

    def run(searcher: Searcher) -> list[tuple[int, int]]:
        found = []
        for game in games:
            searcher.clear()
            found.append((searcher.search(game, Limits(depth=7)).best, searcher.nodes))
        return found

    changed = Searcher(1)
    changed.threads = 3
    run(changed)
    changed.threads = 0
    assert changed.threads == 1 and run(changed) == run(Searcher(1))


@pytest.mark.parametrize("limits", [Limits(depth=4), Limits(nodes=20_000)])
def test_a_search_to_a_depth_ends_at_this_depth_without_a_vote(monkeypatch, limits):
    searcher, reports = Searcher(1), []
    position = parse_fen(START)
    poor = position.parse_move("f2f3")
    deeper = line(poor, 500, 40)
    monkeypatch.setattr(searcher._smp, "end", lambda: [deeper])
    result = searcher.search(Game(position), limits, reports.append)
    assert (result.best == poor) == (limits.depth is None)
    assert reports[-1].depth == (limits.depth or 40)
