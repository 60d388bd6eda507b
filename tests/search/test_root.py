"""The list of root moves: its order, its windows, the lines of MultiPV, and what a stopped search
leaves.
"""

import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest

from tests.support.search_kernels import DEFAULTS, PLAIN, Workbench, call
from tests.support.search_oracles import random_boards
from tests.support.searches import ENDGAME, KIWIPETE, MATES, think
from tests.tools.lines import line_fault
from zobra.engine.fen import parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import CONSTANTS_RECORD
from zobra.engine.scores import INFINITY, MATE, is_mate, mate_in_moves
from zobra.search.iterative_deepening import DEPTH_FINISHED, LINE_FOUND, STOPPED, deepen_once
from zobra.search.limits import Limits, Report
from zobra.search.root import REFUTED, begin_depth, open_window, root_lines, sort_root, widen_window
from zobra.search.searcher import Searcher
from zobra.tt.entry import EXACT

ALL = int(INFINITY)
MARGIN = DEFAULTS["aspiration_margin"]
PROMOTIONS = "8/P6k/8/8/8/8/7K/8 w - - 0 1"


def moves_of(bench: Workbench) -> list[int]:
    root = bench.this["root"]
    return root["moves"]["move"][: int(root["count"])].tolist()


@pytest.mark.parametrize("fen", [KIWIPETE, ENDGAME, PROMOTIONS])
def test_the_new_list_has_every_legal_move_once(fen):
    position = parse_fen(fen)
    bench = Workbench(position)
    assert sorted(moves_of(bench)) == sorted(position.legal_moves())
    records = bench.this["root"]["moves"][: len(moves_of(bench))]
    assert set(records["score"]) == set(records["previous_score"]) == {int(REFUTED)}
    assert not records["nodes"].any()
    assert not records["depth"].any()
    assert root_lines(bench.this["root"]) == []


def test_a_confined_list_keeps_its_order():
    position = parse_fen(KIWIPETE)
    bench = Workbench(position)
    everything = moves_of(bench)
    bench.place(position, moves=everything[10:2:-3])
    assert moves_of(bench) == everything[4:11:3]
    assert bench.this["root"]["is_confined"]

    bench.place(position, moves=everything)
    assert moves_of(bench) == everything
    assert not bench.this["root"]["is_confined"]


@pytest.mark.parametrize(("first", "end"), [(0, 48), (3, 20), (7, 8), (9, 9)])
def test_sorting_matches_python(first, end):
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
    assert root["depth"] == depth
    assert root["moves"][0]["previous_score"] == score
    assert (root["alpha"], root["beta"], root["reduction"]) == (*window, 0)


def widened(*scores: int) -> list[tuple[int, int, int]]:
    """Windows and reductions after searches around 30 that failed with these scores."""
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
    assert ends[-1] == ALL
    assert ends[0] < 1_000


def run_steps(bench: Workbench, depth: int) -> list[int]:
    """Deepen to a depth, and return what each step came to."""
    found = []
    while not found or found[-1] != DEPTH_FINISHED or bench.this["root"]["depth"] < depth:
        found.append(int(deepen_once(bench.this, CONSTANTS_RECORD)))
    return found


@pytest.mark.parametrize(("fen", "depth"), [(KIWIPETE, 9), (ENDGAME, 9), (ENDGAME, 1)])
def test_nodes_are_counted_for_the_move_that_was_searched(fen, depth):
    """Each window begins with the root itself."""
    bench = Workbench(parse_fen(fen))
    windows = len(run_steps(bench, depth))
    records = bench.this["root"]["moves"][: len(moves_of(bench))]
    assert int(records["nodes"].sum()) + windows == bench.this["nodes"]
    assert records[0]["nodes"] > 0


def test_promotions_of_one_pawn_are_different_moves():
    position = parse_fen(PROMOTIONS)
    moves = [move for move in position.legal_moves() if move >> 12 >= 4]
    assert len(moves) == 4
    bench = Workbench(position)
    bench.place(position, moves=moves, lines=4)
    run_steps(bench, 6)
    lines = root_lines(bench.this["root"])
    assert sorted(line.moves[0] for line in lines) == sorted(moves)
    assert all(line.nodes for line in lines)
    assert len({line.score for line in lines}) > 1


# MultiPV

# Nothing is remembered, guessed or reduced, so a score is exact in whatever window it is found.
EXACT_SCORES = PLAIN | {"aspiration_depth": 2, "aspiration_reduction": 0}
BOARDS = [board.fen() for board in random_boards(65, 12, 120) if any(board.legal_moves)]
SAMPLE = random.Random(65).sample(BOARDS, 40)
MOST_LINES = 10


class LineOracle:
    """The best line of a position without some of its moves, by a search confined to the others."""

    def __init__(self, fen: str, depth: int) -> None:
        self.fen = fen
        self.depth = depth
        self.moves = parse_fen(fen).legal_moves()
        self._searcher = Searcher(1, parameters=EXACT_SCORES)
        self._scores: dict[frozenset[int], int] = {}

    def score_without(self, better: list[int]) -> int:
        left_out = frozenset(better)
        if left_out not in self._scores:
            others = tuple(move for move in self.moves if move not in left_out)
            limits = Limits(depth=self.depth, searchmoves=others)
            _, reports = think(self._searcher, self.fen, limits)
            self._scores[left_out] = reports[-1].score
        return self._scores[left_out]


@pytest.mark.parametrize("depth", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_each_line_is_what_a_search_without_the_better_moves_finds(depth):
    """For one to ten lines, to the centipawn, in order of score."""
    for fen in SAMPLE:
        oracle = LineOracle(fen, depth)
        searcher = Searcher(1, parameters=EXACT_SCORES)
        for wanted in range(1, MOST_LINES + 1):
            searcher.multipv = wanted
            result, reports = think(searcher, fen, Limits(depth=depth))
            lines = reports[-min(wanted, len(oracle.moves)) :]
            assert [line.multipv for line in lines] == [*range(1, len(lines) + 1)]
            assert {(line.depth, line.bound) for line in lines} == {(depth, EXACT)}
            assert result.best == lines[0].pv[0]

            better: list[int] = []
            for line in lines:
                assert line.pv[0] not in better
                assert line.score == oracle.score_without(better), f"{fen} {wanted} {line}"
                better.append(line.pv[0])
            scores = [line.score for line in lines]
            assert scores == sorted(scores, reverse=True)


# Stops


@pytest.mark.parametrize("fen", [KIWIPETE, ENDGAME])
@pytest.mark.parametrize("lines", [1, 4])
@pytest.mark.parametrize("limit", [3, 60, 700, 5_003, 31_007])
def test_a_stop_leaves_every_move_with_its_last_complete_score(fen, lines, limit):
    """A move whose search was cut off is as it was, one that was searched in time is new."""
    bench = Workbench(parse_fen(fen))
    bench.place(parse_fen(fen), lines=lines)
    bench.this["node_limit"] = limit
    root = bench.this["root"]
    count = int(root["count"])
    step = LINE_FOUND
    while step != STOPPED:
        before = root["moves"][:count].copy()
        nodes = int(bench.this["nodes"])
        step = deepen_once(bench.this, CONSTANTS_RECORD)
    assert bench.this["nodes"] == limit

    after = {int(record["move"]): record for record in root["moves"][:count]}
    spent = 0
    for old in before:
        new = after[int(old["move"])]
        spent += int(new["nodes"]) - int(old["nodes"])
        if new["nodes"] == old["nodes"]:
            assert new["depth"] == old["depth"]
            assert new["pv_length"] == old["pv_length"]
            length = int(old["pv_length"]) if old["depth"] else 0
            assert np.array_equal(new["pv"][:length], old["pv"][:length])
        else:
            assert new["depth"] == root["depth"] or new["score"] == REFUTED
    assert spent < limit - nodes  # the search that was cut off is nobody's


def best_lines(reports: list[Report]) -> Iterator[Report]:
    return (report for report in reports if report.multipv == 1 and report.bound == EXACT)


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize(("fen", "plies"), [mate for mate in MATES if mate[1] in (3, 5, 7)])
def test_a_mate_that_was_found_outlives_a_stop(fen, plies, lines):
    """Wherever a later iteration is cut off, the mate is still reported, and its line mates."""
    searcher = Searcher(1)
    searcher.multipv = lines
    _, reports = think(searcher, fen, Limits(mate=(plies + 1) // 2))
    depth = reports[-1].depth

    searcher.clear()
    _, reports = think(searcher, fen, Limits(depth=depth + 4))
    first = next(report for report in best_lines(reports) if is_mate(report.score))
    moves_to_mate = mate_in_moves(first.score)
    end = reports[-1].nodes
    assert end > first.nodes

    for nodes in range(first.nodes + 1, end, 1 + (end - first.nodes) // 20):
        searcher.clear()
        result, reports = think(searcher, fen, Limits(nodes=nodes))
        *_, last = best_lines(reports)
        assert last.nodes == nodes
        assert result.best == last.pv[0]
        assert 0 < mate_in_moves(last.score) <= moves_to_mate
        line = [move_text(move) for move in last.pv]
        assert line_fault(chess.Board(fen), line, mate_in_moves(last.score)) is None, nodes
