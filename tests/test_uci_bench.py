"""The bench: sound positions, and the same count each time."""

import chess

from zobra.search.searcher import Searcher
from zobra.uci.bench import POSITIONS, run


def test_positions_are_legal_and_not_over():
    assert len(set(POSITIONS)) == len(POSITIONS) >= 40
    for fen in POSITIONS:
        board = chess.Board(fen)
        assert board.is_valid() and not board.is_game_over() and not board.is_check(), fen


def test_the_count_is_the_same_whatever_was_searched_before():
    used = Searcher(16)
    first, second = list(run(used, 2)), list(run(used, 2))
    fresh = list(run(Searcher(16), 2))
    assert first[:-1] == second[:-1] == fresh[:-1]
    nodes = [line.rsplit(" nps", 1)[0].split()[0] for line in (first[-1], second[-1], fresh[-1])]
    assert nodes[0] == nodes[1] == nodes[2] == str(sum(int(line.split()[1]) for line in first[:-1]))


def test_a_depth_below_one_is_one():
    assert next(run(Searcher(1), 0)) == next(run(Searcher(1), 1))
