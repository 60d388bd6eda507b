"""The window around the last score, and what becomes of a search that is cut off, with scripted searches of the root."""

from typing import Any

import numpy as np
import pytest

from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import INFINITY, MATE
from zobra.search import iterative_deepening
from zobra.search.iterative_deepening import IterativeDeepening, PvLine
from zobra.search.parameters import default_parameters
from zobra.search.worker import ROOT_MOVES, SIGNALS, new_worker
from zobra.tt.table import Table

FIRST, SECOND, THIRD = 11, 22, 33  # moves, here mere numbers
DEPTH = 10
ALL = int(INFINITY)
DEFAULTS = default_parameters()
MARGIN = DEFAULTS["aspiration_margin"]


class Script:
    """In the place of the search: answers each call from a list, and notes depth and window that it was asked for.

    It counts nodes for the moves of `seen`.
    """

    def __init__(self, *answers: tuple[int, tuple[int, ...], bool], seen: tuple[int, ...] = (FIRST, SECOND)) -> None:
        self.asked: list[tuple[int, int, int]] = []
        self._answers, self._seen = list(answers), list(seen)

    def __call__(self, worker: Any, _tables: Any, ply: int, depth: int, alpha: int, beta: int, _cut: int) -> int:
        assert ply == 0
        self.asked.append((depth, alpha, beta))
        score, moves, cut_off = self._answers.pop(0)
        worker["pv_length"][0] = len(moves)
        worker["pv"][0][: len(moves)] = moves
        worker["root_score"], worker["stopped"] = score, cut_off
        worker["root_nodes"][self._seen] += 100
        return score


@pytest.fixture
def begin(monkeypatch):
    """A search of the start position that knows a line of the depth before, in front of a script; and what it tells."""

    def made(script: Script, before: int, wanted: int = 1) -> tuple[IterativeDeepening, list[PvLine]]:
        signals = np.zeros(SIGNALS, np.int64)
        worker, told = new_worker(DEFAULTS, signals)[0], []
        worker["stack"][0]["position"] = parse_fen(START).record
        search = IterativeDeepening(worker, Table(1), (FIRST, SECOND, THIRD), wanted, lambda _, line: told.append(line))
        search.lines = [PvLine(DEPTH - 1, DEPTH - 1, score, 0, (move,)) for score, move in ((before, FIRST), (-99, SECOND))][
            :wanted
        ]
        monkeypatch.setattr(iterative_deepening, "negamax", script)
        return search, told

    return made


def run(search: IterativeDeepening) -> PvLine:
    search.run(range(DEPTH, DEPTH + 1), lambda depth, line: True)
    return search.lines[0]


def test_within_its_window_one_search_is_enough(begin):
    script = Script((35, (FIRST,), False))
    search, told = begin(script, 30)
    assert run(search) == PvLine(DEPTH, DEPTH, 35, 0, (FIRST,))
    assert script.asked == [(DEPTH, 30 - MARGIN, 30 + MARGIN)]
    assert told == search.lines


def test_a_mate_is_searched_with_an_open_window(begin):
    script = Script((int(MATE) - 7, (FIRST,), False))
    run(begin(script, int(MATE) - 7)[0])
    assert script.asked == [(DEPTH, -ALL, ALL)]


def test_a_search_that_fails_low_is_widened_downwards_and_keeps_its_move(begin):
    low = 30 - MARGIN
    script = Script((low - 5, (), False), (low - 10, (SECOND,), False))
    search, told = begin(script, 30)
    assert run(search).moves == (SECOND,)
    assert script.asked[1] == (DEPTH, low - 5 - 2 * MARGIN, 30)  # beta comes down to the middle of the first window
    assert [(line.bound, line.moves) for line in told] == [(-1, (FIRST,)), (0, (SECOND,))]


def test_a_search_that_fails_high_is_widened_upwards_at_less_depth(begin):
    high = 30 + MARGIN
    script = Script((high + 5, (SECOND,), False), (high + 20, (SECOND,), False))
    search, told = begin(script, 30)
    assert run(search) == PvLine(DEPTH, DEPTH, high + 20, 0, (SECOND,))
    assert script.asked[1] == (DEPTH - 1, 30 - MARGIN, high + 5 + 2 * MARGIN)
    assert [line.bound for line in told] == [1, 0]


def test_a_window_that_keeps_failing_is_thrown_open(begin):
    lows = [-40 * 2**number for number in range(10)]
    script = Script(*((score, (), False) for score in lows))
    search, told = begin(script, 30)
    assert run(search).bound == 0  # nothing is below an open window
    assert {line.bound for line in told[:-1]} == {-1}
    alphas = [alpha for _, alpha, _ in script.asked]
    assert alphas == sorted(alphas, reverse=True)
    assert alphas[-1] == -ALL


def test_cut_off_before_another_move_was_found_the_old_line_stays(begin):
    search, told = begin(Script((20, (FIRST,), True)), 30)
    old = search.lines[0]
    assert run(search) == old
    assert told == [old]


def test_cut_off_after_a_better_move_was_found_that_is_played(begin):
    search, told = begin(Script((41, (SECOND, FIRST), True)), 30)
    assert run(search) == PvLine(DEPTH, DEPTH, 41, 0, (SECOND, FIRST))
    assert told == search.lines


def test_cut_off_before_the_old_move_was_looked_at_no_other_is_played(begin):
    """Another thread put its own move into the root's entry, so that was searched first."""
    search, _ = begin(Script((41, (SECOND,), True), seen=(SECOND,)), 30)
    old = search.lines[0]
    assert run(search) == old


def test_promotions_of_one_pawn_are_not_taken_for_compared(begin):
    """Their nodes are counted together, so those of the one tell nothing of the other."""
    search, _ = begin(Script((41, (FIRST + ROOT_MOVES,), True), seen=(FIRST,)), 30)
    old = search.lines[0]
    assert run(search) == old


@pytest.mark.parametrize("wanted", [1, 2])
@pytest.mark.parametrize("found", [(), (THIRD,), (FIRST,)])
def test_cut_off_after_another_move_failed_high_that_is_played(begin, wanted, found):
    high = 30 + MARGIN
    search, _ = begin(Script((high + 5, (THIRD,), False), (high + 9, found, True), seen=(FIRST, THIRD)), 30, wanted)
    best = run(search)
    assert best.moves == (found or (THIRD,)) and best.depth == DEPTH
    assert [line.moves[0] for line in search.lines[1:]] == ([SECOND] if found == (FIRST,) else [FIRST])[: wanted - 1]


@pytest.mark.parametrize("wanted", [1, 2])
def test_cut_off_after_the_same_move_failed_high_it_stays(begin, wanted):
    search, _ = begin(Script((31 + MARGIN, (FIRST,), False), (40, (), True)), 30, wanted)
    assert run(search).moves == (FIRST,)
