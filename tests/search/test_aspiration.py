"""The window around the last score, and what becomes of a search that is cut off, with scripted
searches of the root.
"""

from typing import Any

import numpy as np
import pytest

from tests.support.search_kernels import DEFAULTS
from zobra.engine.fen import START, parse_fen
from zobra.engine.scores import INFINITY, MATE
from zobra.search import iterative_deepening
from zobra.search.iterative_deepening import IterativeDeepening, PvLine
from zobra.search.worker import ROOT_MOVES, SIGNALS, new_worker
from zobra.tt.table import Table

FIRST, SECOND, THIRD = 11, 22, 33  # moves, here mere numbers
DEPTH, ALL, MARGIN = 10, int(INFINITY), DEFAULTS["aspiration_margin"]
LOW, HIGH = 30 - MARGIN, 30 + MARGIN  # the window around the score before
OLD = PvLine(DEPTH - 1, DEPTH - 1, 30, 0, (FIRST,))


class Scripted:
    """A search of one depth that knows the lines of the depth before; each search of the root is
    answered from a list.

    An answer is (score, moves of the line, was it cut off?). `asked` has the depth and window of
    each search, `reported` the lines; nodes are counted for the moves of `seen`.
    """

    def __init__(
        self,
        patch: Any,
        *answers: tuple,
        before: int = 30,
        wanted: int = 1,
        seen: tuple = (FIRST, SECOND),
    ) -> None:
        self.asked: list[tuple[int, int, int]] = []
        self.reported: list[PvLine] = []
        self._answers, self._seen, self._signals = (
            iter(answers),
            list(seen),
            np.zeros(SIGNALS, np.int64),
        )
        worker = new_worker(DEFAULTS, self._signals)[0]
        worker["stack"][0]["position"] = parse_fen(START).record
        search = IterativeDeepening(
            worker,
            Table(1),
            (FIRST, SECOND, THIRD),
            wanted,
            lambda _, line: self.reported.append(line),
        )
        search.lines = [
            OLD._replace(score=before),
            PvLine(DEPTH - 1, DEPTH - 1, -99, 0, (SECOND,)),
        ][:wanted]
        patch.setattr(iterative_deepening, "negamax", self._negamax)
        search.run(range(DEPTH, DEPTH + 1), lambda depth, line: True)
        self.lines = search.lines

    def _negamax(
        self, worker: Any, _tables: Any, ply: int, depth: int, alpha: int, beta: int, _cut: int
    ) -> int:
        assert ply == 0
        self.asked.append((depth, alpha, beta))
        score, moves, cut_off = next(self._answers)
        worker["pv_length"][0] = len(moves)
        worker["pv"][0][: len(moves)] = moves
        worker["root_score"], worker["stopped"] = score, cut_off
        worker["root_nodes"][self._seen] += 100
        return score


@pytest.mark.parametrize(("score", "window"), [(35, (LOW, HIGH)), (int(MATE) - 7, (-ALL, ALL))])
def test_within_its_window_one_search_is_enough(monkeypatch, score, window):
    """A mate is searched with an open window."""
    search = Scripted(monkeypatch, (score, (FIRST,), False), before=30 if score == 35 else score)
    assert search.lines == search.reported == [PvLine(DEPTH, DEPTH, score, 0, (FIRST,))]
    assert search.asked == [(DEPTH, *window)]


def test_a_search_that_fails_low_is_widened_downwards_and_keeps_its_move(monkeypatch):
    search = Scripted(monkeypatch, (LOW - 5, (), False), (LOW - 10, (SECOND,), False))
    assert search.asked[1] == (
        DEPTH,
        LOW - 5 - 2 * MARGIN,
        30,
    )  # beta comes down to the middle of the first window
    assert [(line.bound, line.moves) for line in search.reported] == [
        (-1, (FIRST,)),
        (0, (SECOND,)),
    ]


def test_a_search_that_fails_high_is_widened_upwards_at_less_depth(monkeypatch):
    search = Scripted(monkeypatch, (HIGH + 5, (SECOND,), False), (HIGH + 20, (SECOND,), False))
    assert search.lines == [PvLine(DEPTH, DEPTH, HIGH + 20, 0, (SECOND,))]
    assert search.asked[1] == (DEPTH - 1, LOW, HIGH + 5 + 2 * MARGIN)
    assert [line.bound for line in search.reported] == [1, 0]


def test_a_window_that_keeps_failing_is_thrown_open(monkeypatch):
    search = Scripted(monkeypatch, *((-40 * 2**number, (), False) for number in range(10)))
    assert search.lines[0].bound == 0  # nothing is below an open window
    assert {line.bound for line in search.reported[:-1]} == {-1}
    alphas = [alpha for _, alpha, _ in search.asked]
    assert alphas == sorted(alphas, reverse=True) and alphas[-1] == -ALL


@pytest.mark.parametrize(
    ("score", "moves", "seen", "line"),
    [
        (20, (FIRST,), (FIRST, SECOND), OLD),  # no other move was found before
        (41, (SECOND, FIRST), (FIRST, SECOND), PvLine(DEPTH, DEPTH, 41, 0, (SECOND, FIRST))),
        (
            41,
            (SECOND,),
            (SECOND,),
            OLD,
        ),  # the old move was not searched: another thread put its own into the table
        (
            41,
            (FIRST + ROOT_MOVES,),
            (FIRST,),
            OLD,
        ),  # promotions of one pawn: their nodes are counted together
    ],
)
def test_cut_off_a_better_move_is_played_if_the_old_one_was_searched(
    monkeypatch, score, moves, seen, line
):
    search = Scripted(monkeypatch, (score, moves, True), seen=seen)
    assert search.lines == search.reported == [line]


@pytest.mark.parametrize("wanted", [1, 2])
@pytest.mark.parametrize("found", [(), (THIRD,), (FIRST,)])
def test_cut_off_after_another_move_failed_high_that_is_played(monkeypatch, wanted, found):
    answers = (HIGH + 5, (THIRD,), False), (HIGH + 9, found, True)
    best, *others = Scripted(monkeypatch, *answers, wanted=wanted, seen=(FIRST, THIRD)).lines
    assert best.moves == (found or (THIRD,)) and best.depth == DEPTH
    assert [line.moves[0] for line in others] == ([SECOND] if found == (FIRST,) else [FIRST])[
        : wanted - 1
    ]


@pytest.mark.parametrize("wanted", [1, 2])
def test_cut_off_after_the_same_move_failed_high_it_stays(monkeypatch, wanted):
    search = Scripted(monkeypatch, (HIGH + 1, (FIRST,), False), (40, (), True), wanted=wanted)
    assert search.lines[0].moves == (FIRST,)
