"""The list of root moves: its order, its windows, and what a stopped search leaves in it."""

import itertools
from typing import Any

import numpy as np
import pytest

from tests.support.search_kernels import DEFAULTS, PLAIN, Workbench, call
from tests.support.searches import ENDGAME, KIWIPETE, MIDDLEGAME, think
from zobra.engine.fen import parse_fen
from zobra.engine.position import CONSTANTS_RECORD
from zobra.engine.scores import INFINITY, MATE
from zobra.search.bench import POSITIONS
from zobra.search.iterative_deepening import (
    DEPTH_FINISHED,
    LINE_FOUND,
    STOPPED,
    WINDOW_FAILED,
    deepen_once,
)
from zobra.search.limits import Limits
from zobra.search.root import REFUTED, begin_depth, open_window, root_lines, sort_root, widen_window
from zobra.search.searcher import Searcher

ALL = int(INFINITY)
MARGIN = DEFAULTS["aspiration_margin"]
PROMOTIONS = "8/P6k/8/8/8/8/7K/8 w - - 0 1"


def moves_of(bench: Workbench) -> list[int]:
    root = bench.this["root"]
    return root["moves"]["move"][: int(root["count"])].tolist()


@pytest.mark.parametrize("fen", [KIWIPETE, ENDGAME, MIDDLEGAME, PROMOTIONS])
def test_the_list_has_every_legal_move_once_and_nothing_is_known_of_them(fen):
    position = parse_fen(fen)
    bench = Workbench(position)
    assert sorted(moves_of(bench)) == sorted(position.legal_moves())
    records = bench.this["root"]["moves"][: len(moves_of(bench))]
    assert set(records["score"]) == set(records["previous_score"]) == {int(REFUTED)}
    assert not records["nodes"].any() and not records["depth"].any()
    assert root_lines(bench.this["root"]) == []


def test_a_confined_list_keeps_its_order():
    position = parse_fen(KIWIPETE)
    bench = Workbench(position)
    everything = moves_of(bench)
    bench.place(position, moves=everything[10:2:-3])
    assert moves_of(bench) == everything[4:11:3] and bench.this["root"]["is_confined"]
    bench.place(position, moves=everything)
    assert moves_of(bench) == everything and not bench.this["root"]["is_confined"]


@pytest.mark.parametrize(("first", "end"), [(0, 48), (0, 5), (3, 20), (7, 8), (9, 9)])
def test_sorting_is_that_of_python(first, end):
    bench = Workbench(parse_fen(KIWIPETE))
    records = bench.this["root"]["moves"][:48]
    source = np.random.default_rng(first)
    records["score"] = source.choice([int(REFUTED), -30, 0, 30], 48)
    records["previous_score"] = source.choice([int(REFUTED), 10], 48)
    before = records.copy()
    call(sort_root, bench, 0, first=first, end=end)
    order = [*range(48)]
    order[first:end] = sorted(
        order[first:end],
        key=lambda index: (-before["score"][index], -before["previous_score"][index]),
    )
    assert np.array_equal(records, before[order])


@pytest.mark.parametrize(
    ("depth", "score", "window"),
    [
        (DEFAULTS["aspiration_depth"], 30, (30 - MARGIN, 30 + MARGIN)),
        (DEFAULTS["aspiration_depth"] - 1, 30, (-ALL, ALL)),
        (20, int(MATE) - 7, (-ALL, ALL)),
        (20, int(REFUTED), (-ALL, ALL)),
    ],
)
def test_a_window_opens_around_the_last_score(depth, score, window):
    bench = Workbench(parse_fen(KIWIPETE))
    root = bench.this["root"]
    root["depth"] = depth - 1
    root["moves"][0]["score"] = score
    call(begin_depth, bench, 0)
    assert root["depth"] == depth and root["moves"][0]["previous_score"] == score
    assert (root["alpha"], root["beta"], root["reduction"]) == (*window, 0)


def widened(*scores: int) -> list[tuple[int, int, int]]:
    """The windows and reductions after searches around 30 that failed with these scores."""
    bench = Workbench(parse_fen(KIWIPETE))
    root: Any = bench.this["root"]
    root["line"] = 0
    root["depth"] = 10
    root["moves"][0]["previous_score"] = 30
    call(open_window, bench, 0)
    windows = []
    for score in scores:
        call(widen_window, bench, 0, score=score)
        windows.append((int(root["alpha"]), int(root["beta"]), int(root["reduction"])))
    return windows


def test_a_window_that_fails_low_moves_down():
    """Its upper end comes down to the middle."""
    low = 30 - MARGIN
    assert widened(low - 5) == [(low - 5 - 2 * MARGIN, 30, 0)]
    assert widened(low - 5, low - 90)[1][0] == low - 90 - 4 * MARGIN


def test_a_window_that_fails_high_moves_up_at_less_depth():
    high = 30 + MARGIN
    low = 30 - MARGIN
    windows = widened(*range(high + 5, high + 5_000, 700))
    assert windows[0] == (low, high + 5 + 2 * MARGIN, 1)
    most = DEFAULTS["aspiration_reduction"]
    assert [reduction for _, _, reduction in windows][: most + 1] == [*range(1, most + 1), most]
    assert widened(high + 5, low - 5)[1][2] == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_window_that_keeps_failing_is_thrown_open(sign):
    windows = widened(*(30 + sign * 40 * 2**number for number in range(7)))
    ends = [abs(window[1 if sign > 0 else 0]) for window in windows]
    assert ends[-1] == ALL and ends[0] < 1_000


def run_steps(bench: Workbench, depth: int) -> list[int]:
    found = []
    while not found or found[-1] != DEPTH_FINISHED or bench.this["root"]["depth"] < depth:
        found.append(int(deepen_once(bench.this, CONSTANTS_RECORD)))
        if found[-1] == STOPPED:
            break
    return found


@pytest.mark.parametrize("lines", [1, 3])
def test_steps_of_a_search(lines):
    bench = Workbench(parse_fen(MIDDLEGAME))
    bench.place(parse_fen(MIDDLEGAME), lines=lines)
    found = run_steps(bench, 9)
    assert found.count(int(DEPTH_FINISHED)) == 9 and WINDOW_FAILED in found
    assert found.count(int(LINE_FOUND)) == 9 * (lines - 1)
    best = root_lines(bench.this["root"])
    assert [line.depth for line in best] == [9] * lines and {line.bound for line in best} == {0}
    assert len({line.moves[0] for line in best}) == lines
    scores = [line.score for line in best]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("fen", [KIWIPETE, ENDGAME])
@pytest.mark.parametrize("lines", [1, 4])
@pytest.mark.parametrize("limit", [3, 60, 700, 5_003, 31_007])
def test_a_stop_leaves_every_move_with_its_last_complete_score(fen, lines, limit):
    """A move whose search was cut off is as it was, one that was searched in time is new."""
    bench = Workbench(parse_fen(fen))
    bench.place(parse_fen(fen), lines=lines)
    bench.this["node_limit"] = limit
    root = bench.this["root"]
    step = LINE_FOUND
    before = root["moves"].copy()
    while step != STOPPED:
        before = root["moves"][: int(root["count"])].copy()
        nodes = int(bench.this["nodes"])
        step = deepen_once(bench.this, CONSTANTS_RECORD)
    assert bench.this["nodes"] == limit

    after = {int(record["move"]): record for record in root["moves"][: int(root["count"])]}
    spent = 0
    for old in before:
        new = after[int(old["move"])]
        spent += int(new["nodes"]) - int(old["nodes"])
        if new["nodes"] == old["nodes"]:
            assert new["depth"] == old["depth"] and new["pv_length"] == old["pv_length"]
            length = int(old["pv_length"]) if old["depth"] else 0
            assert np.array_equal(new["pv"][:length], old["pv"][:length])
        else:
            assert new["depth"] == root["depth"] or new["score"] == REFUTED
    assert spent < limit - nodes  # the search that was cut off is nobody's


def test_promotions_of_one_pawn_are_different_moves():
    searcher = Searcher(1)
    searcher.multipv = 4
    searcher.bounds_after = 0
    position = parse_fen(PROMOTIONS)
    moves = tuple(move for move in position.legal_moves() if move >> 12 >= 4)
    _, reports = think(searcher, PROMOTIONS, Limits(depth=6, searchmoves=moves))
    assert len(moves) == 4 and sorted(report.pv[0] for report in reports[-4:]) == sorted(moves)
    records = searcher._this["root"]["moves"][:4]
    assert records["nodes"].all() and len(set(records["score"])) > 1


@pytest.mark.parametrize("fen", POSITIONS[::4])
def test_a_line_is_what_a_search_without_the_better_moves_finds(fen):
    """Where nothing is remembered or guessed, to the centipawn."""
    position = parse_fen(fen)
    alone = Searcher(1, parameters=PLAIN)
    several = Searcher(1, parameters=PLAIN)
    several.multipv = 5
    _, reports = think(several, fen, Limits(depth=2))
    lines = reports[-min(5, len(position.legal_moves())) :]
    assert [line.multipv for line in lines] == [*range(1, len(lines) + 1)]
    left = list(position.legal_moves())
    for line in lines:
        _, found = think(alone, fen, Limits(depth=2, searchmoves=tuple(left)))
        assert found[-1].score == line.score
        left.remove(line.pv[0])


def test_nodes_are_counted_for_the_move_that_was_searched():
    """Each window begins with the root itself."""
    for fen, depth in itertools.product((KIWIPETE, ENDGAME), (9, 1)):
        searcher = Searcher(2)
        searcher.bounds_after = 0
        result, reports = think(searcher, fen, Limits(depth=depth))
        root = searcher._this["root"]
        records = root["moves"][: int(root["count"])]
        assert int(records["nodes"].sum()) + len(reports) == searcher.nodes
        assert records[0]["move"] == result.best and records[0]["nodes"] > 0
