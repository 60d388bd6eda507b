"""Histories: values drawn towards their limit, learned from cutoffs wherever the scores read, and forgotten."""

import random

import numpy as np
import pytest

from tests.search_kernels import Workbench, call, history_of
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.search.history import gravity, is_noisy, note_searched, update_histories
from zobra.search.parameters import default_parameters
from zobra.search.worker import BEFORE, HISTORY_LIMIT, MAX_SEARCHED, NOTHING_PLAYED, PAWN_STRUCTURES, WORKER, clear_histories

MOST = int(HISTORY_LIMIT)
PARAMETERS = default_parameters()
QUIET_TABLES = 5  # that a quiet score adds up
NAMES = ("quiet_history", "pawn_history", "continuation_history", "capture_history")
PLY = 5


@pytest.fixture
def bench():
    return Workbench(parse_fen(START))


class Reference:
    """Every history value in one dictionary, by the name of its array and its place there."""

    def __init__(self) -> None:
        self.values: dict[tuple, int] = {}

    def places(self, bench: Workbench, ply: int, move: int, is_quiet: bool) -> list[tuple]:
        """Where the values of a move lie."""
        position = bench.this["stack"][ply]["position"]
        from_, to = move & 63, move >> 6 & 63
        moved = int(position["board"][from_]) * 64 + to
        if not is_quiet:
            return [("capture_history", moved, int(position["board"][to]) // 2)]
        before = [int(bench.this["played"][BEFORE + ply - back]) for back in (1, 2, 4)]
        return [
            ("quiet_history", int(position["side"]), from_, to),
            ("pawn_history", int(position["correction_keys"][0]) % PAWN_STRUCTURES, moved),
            *(("continuation_history", played, moved) for played in before),
        ]

    def learn(self, places: list[tuple], bonus: int) -> None:
        for place in places:
            self.values[place] = approach(self.values.get(place, 0), bonus)

    def score(self, places: list[tuple]) -> int:
        return sum(self.values.get(place, 0) for place in places)

    def assert_equals(self, bench: Workbench) -> None:
        """Every value is where it should be, and nowhere else is any."""
        for place, value in self.values.items():
            assert bench.this[place[0]][place[1:]] == value, place
        assert sum(int((bench.this[name] != 0).sum()) for name in NAMES) == sum(v != 0 for v in self.values.values())


def approach(value: int, bonus: int) -> int:
    """Gravity: a step of `bonus`, less the share of it that the value has of the limit already."""
    return value + bonus - value * abs(bonus) // MOST


def known(bench: Workbench, move: int, is_quiet: bool = True, ply: int = 0) -> int:
    return history_of(bench, ply, move, is_quiet)


def bonus_of(depth: int) -> int:
    return min(PARAMETERS["history_slope"] * depth - PARAMETERS["history_offset"], PARAMETERS["history_bonus"])


def test_approach_is_its_formula_and_never_leaves_the_limit():
    source = random.Random(61)
    value = 0
    for _ in range(3_000):
        bonus = source.choice([MOST, -MOST, source.randint(-MOST, MOST), source.randint(-30, 30)])
        wanted, value = approach(value, bonus), call(gravity, value=value, bonus=bonus)
        assert value == wanted
        assert abs(value) <= MOST


def test_cutoffs_teach_what_the_reference_learns():
    """The move gains and those tried before it lose; but quiet moves are not to blame for coming before a capture."""
    source, reference, bench = random.Random(63), Reference(), Workbench(parse_fen(START))
    cutoffs = {True: 0, False: 0}
    for board in random_boards(62, 8, 150):
        position = Position.from_board(board)
        bench.this["stack"][PLY]["position"] = position.record
        bench.this["stack"][PLY]["quiet_count"] = bench.this["stack"][PLY]["capture_count"] = 0
        before = (NOTHING_PLAYED, source.randrange(NOTHING_PLAYED), 77)
        bench.this["played"][PLY : PLY + BEFORE] = source.choices(before, k=BEFORE)
        moves = move_numbers(position, board)
        quiet = {number: not board.is_capture(move) and not move.promotion for number, move in moves.items()}
        best, *others = source.sample(list(moves), min(8, len(moves)))
        for move in others:
            call(note_searched, bench, PLY, move=move, is_quiet=quiet[move])
        depth = source.choice((1, 2, 7, 8, 127))
        call(update_histories, bench, PLY, move=best, is_quiet=quiet[best], depth=depth)
        reference.learn(reference.places(bench, PLY, best, quiet[best]), bonus_of(depth))
        for move in [move for move in others if quiet[move] and quiet[best]] + [move for move in others if not quiet[move]]:
            reference.learn(reference.places(bench, PLY, move, quiet[move]), -bonus_of(depth))
        for move in moves:
            score = reference.score(reference.places(bench, PLY, move, quiet[move]))
            assert known(bench, move, quiet[move], PLY) == score, f"{board.fen()} {moves[move]}"
        cutoffs[quiet[best]] += 1
    reference.assert_equals(bench)
    assert min(cutoffs.values()) > 100


def test_more_moves_than_there_is_room_for_are_not_remembered(bench):
    frame = bench.this["stack"][0]
    for move in range(1, MAX_SEARCHED + 20):
        call(note_searched, bench, 0, move=move, is_quiet=True)
        call(note_searched, bench, 0, move=move + 1_000, is_quiet=False)
    assert list(frame["quiets_searched"]) == list(range(1, MAX_SEARCHED + 1))
    assert list(frame["captures_searched"]) == list(range(1_001, MAX_SEARCHED + 1_001))
    assert (frame["quiet_count"], frame["capture_count"]) == (MAX_SEARCHED, MAX_SEARCHED)


def test_forget_forgets(bench):
    learned = [name for name in WORKER.names or () if name.endswith(("_history", "_correction"))]
    assert len(learned) == 6
    for name in learned:
        bench.this[name] = 9
    clear_histories(bench.array)
    assert not any(np.any(bench.this[name]) for name in learned)


def test_noisy_moves_are_captures_and_promotions():
    found = 0
    for board in random_boards(62, 6, 150):
        position = Position.from_board(board)
        for number, move in move_numbers(position, board).items():
            wanted = board.is_capture(move) or move.promotion is not None
            assert bool(call(is_noisy, position=position.record, move=number)) == wanted, f"{board.fen()} {move}"
            found += wanted
    assert found > 300
