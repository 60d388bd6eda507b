"""Several threads at one root: they share the table and nothing else, all of them stop, and the best line is chosen."""

import random
import threading

import pytest

from tests.search_oracles import random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.game import Game
from zobra.engine.position import Position
from zobra.engine.scores import MATE
from zobra.search.iterative_deepening import IterativeDeepening, PvLine
from zobra.search.lazy_smp import MAX_THREADS, LazySmp
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher
from zobra.uci.options import find


def line(move: int, score: int, depth: int, bound: int = 0) -> PvLine:
    return PvLine(depth, depth, score, bound, (move,))


@pytest.fixture
def smp():
    searcher = Searcher(1)
    return LazySmp(searcher.parameters, searcher.table)


def voters(smp: LazySmp, lines: list[PvLine]) -> None:
    """Give the smp finished searches of these lines."""
    for one in lines:
        search = IterativeDeepening.__new__(IterativeDeepening)
        search.lines = [one]
        smp._searches.append(search)


def test_alone_the_first_line_is_played(smp):
    first = line(1, -30, 9)
    assert smp.vote(first) is first


def test_two_threads_outvote_one(smp):
    voters(smp, [line(2, 20, 10), line(2, 22, 10)])
    assert smp.vote(line(1, 21, 10)).moves == (2,)


def test_depth_and_score_both_count(smp):
    voters(smp, [line(2, 20, 14)])
    assert smp.vote(line(1, 20, 10)).moves == (2,)
    assert smp.vote(line(1, 60, 10)).moves == (1,)


def test_a_line_that_is_only_a_bound_has_no_vote(smp):
    voters(smp, [line(2, 500, 30, 1)])
    assert smp.vote(line(1, 20, 10)).moves == (1,)


def test_a_mate_needs_no_vote_and_the_nearest_is_best(smp):
    mate_in_three, mate_in_five = int(MATE) - 5, int(MATE) - 9
    voters(smp, [line(2, mate_in_five, 20), line(2, mate_in_five, 20), line(3, mate_in_three, 8)])
    assert smp.vote(line(1, 900, 20)).moves == (3,)


def test_the_latest_mate_is_best_for_who_is_mated(smp):
    voters(smp, [line(2, 10 - int(MATE), 12)])
    assert smp.vote(line(1, 4 - int(MATE), 12)).moves == (2,)


def test_only_a_search_as_deep_denies_that_all_is_lost(smp):
    lost = line(1, 8 - int(MATE), 20)
    voters(smp, [line(2, -200, 5)])
    assert smp.vote(lost) is lost
    voters(smp, [line(3, -300, 20)])
    assert smp.vote(lost).moves == (3,)


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_moves_are_legal_whatever_the_number_of_threads(threads):
    searcher = Searcher(1)
    searcher.threads = threads
    for board in list(random_boards(71, 2, 60))[::7]:
        position = Position.from_board(board)
        legal = position.legal_moves()
        result = searcher.search(Game(position), Limits(nodes=6_000 * threads))
        assert result.best in legal if legal else result.best == 0


def test_every_thread_works_and_is_counted():
    searcher = Searcher(4)
    searcher.threads = 3
    reports = []
    searcher.search(Game(parse_fen(START)), Limits(depth=13), reports.append)
    each = [int(searcher._this["nodes"])] + [int(worker[0]["nodes"]) for worker in searcher._smp._workers]
    assert len(each) == 3 and min(each) > 0
    assert searcher.nodes == sum(each)
    assert reports[-1].nodes <= searcher.nodes


def test_halted_threads_have_ended():
    searcher = Searcher(1)
    searcher.threads = 4
    before = set(threading.enumerate())
    searcher.search(Game(parse_fen(START)), Limits(nodes=20_000))
    assert searcher._smp._threads == []
    assert set(threading.enumerate()) <= before


def test_threads_that_do_not_start_are_missing_and_the_others_search(monkeypatch):
    searcher = Searcher(1)
    searcher.threads = 4
    started, start = [], threading.Thread.start

    def refuse_the_second(thread):
        started.append(thread)
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse_the_second)
    position = parse_fen(START)
    assert searcher.search(Game(position), Limits(nodes=20_000)).best in position.legal_moves()
    assert searcher.missing_threads == 1 and len(started) == 3 and not any(thread.is_alive() for thread in started[::2])
    monkeypatch.undo()
    searcher.search(Game(position), Limits(nodes=1_000))
    assert searcher.missing_threads == 0


def test_fewer_threads_again_and_one_is_reproducible():
    games = [Game(Position.from_board(board)) for board in random.Random(5).sample(list(random_boards(72, 2, 60)), 3)]

    def run(searcher: Searcher) -> list[tuple[int, int]]:
        found = []
        for game in games:
            searcher.clear()
            found.append((searcher.search(game, Limits(depth=7)).best, searcher.nodes))
        return found

    alone, changed = Searcher(1), Searcher(1)
    changed.threads = 3
    run(changed)
    changed.threads = 1
    assert changed.threads == 1
    assert run(changed) == run(alone)


def test_the_number_of_threads_is_bounded(smp):
    smp.size = 0
    assert smp.size == 1
    assert find("Threads").high == MAX_THREADS
