"""Histories: values drawn towards their limit, learned from cutoffs wherever the scores read, and cleared."""

import random

import pytest

from tests.search_kernels import DEFAULTS, Workbench, call, history_of
from tests.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.search.history import gravity, is_noisy, note_searched, update_histories
from zobra.search.worker import BEFORE, HISTORY_LIMIT, MAX_SEARCHED, NOTHING_PLAYED, PAWN_STRUCTURES, WORKER, clear_histories

MOST = int(HISTORY_LIMIT)
NAMES = ("quiet_history", "pawn_history", "continuation_history", "capture_history")
PLY = 5


@pytest.fixture
def bench():
    return Workbench(parse_fen(START))


class Reference:
    """Every history value in one dictionary, by the name of its array and its place there."""

    def __init__(self, bench: Workbench) -> None:
        self.this, self.values = bench.this, {}

    def places(self, move: int, is_quiet: bool) -> list[tuple]:
        """Where the values of a move lie."""
        position = self.this["stack"][PLY]["position"]
        from_, to = move & 63, move >> 6 & 63
        moved = int(position["board"][from_]) * 64 + to
        if not is_quiet:
            return [("capture_history", moved, int(position["board"][to]) // 2)]
        before = [int(self.this["played"][BEFORE + PLY - back]) for back in (1, 2, 4)]
        return [
            ("quiet_history", int(position["side"]), from_, to),
            ("pawn_history", int(position["correction_keys"][0]) % PAWN_STRUCTURES, moved),
            *(("continuation_history", played, moved) for played in before),
        ]

    def learn(self, places: list[tuple], bonus: int) -> None:
        for place in places:
            self.values[place] = approach(self.values.get(place, 0), bonus)

    def check(self) -> None:
        """Every value is where it should be, and nowhere else is any."""
        for place, value in self.values.items():
            assert self.this[place[0]][place[1:]] == value, place
        assert sum(int((self.this[name] != 0).sum()) for name in NAMES) == sum(v != 0 for v in self.values.values())


def approach(value: int, bonus: int) -> int:
    """Gravity: a step of `bonus`, less the share of it that the value has of the limit already."""
    return value + bonus - value * abs(bonus) // MOST


def test_gravity_is_its_formula_and_never_leaves_the_limit():
    source, value = random.Random(61), 0
    for _ in range(3_000):
        bonus = source.choice([MOST, -MOST, source.randint(-MOST, MOST), source.randint(-30, 30)])
        wanted, value = approach(value, bonus), call(gravity, value=value, bonus=bonus)
        assert value == wanted and abs(value) <= MOST


def test_cutoffs_teach_what_the_reference_learns(bench):
    """The move gains and those tried before it lose; but quiet moves are not to blame for coming before a capture."""
    source, reference, cutoffs = random.Random(63), Reference(bench), [0, 0]
    node = bench.this["stack"][PLY]
    for board in random_boards(62, 8, 150):
        position = Position.from_board(board)
        node["position"], node["quiet_count"], node["capture_count"] = position.record, 0, 0
        before = (NOTHING_PLAYED, source.randrange(NOTHING_PLAYED), 77)
        bench.this["played"][PLY : PLY + BEFORE] = source.choices(before, k=BEFORE)
        moves = move_numbers(position, board)
        quiet = {number: not board.is_capture(move) and not move.promotion for number, move in moves.items()}
        for number, is_quiet in quiet.items():
            assert call(is_noisy, bench, PLY, move=number) != is_quiet, f"{board.fen()} {moves[number]}"
        best, *others = source.sample(list(moves), min(8, len(moves)))
        for move in others:
            call(note_searched, bench, PLY, move=move, is_quiet=quiet[move])
        depth = source.choice((1, 2, 7, 8, 127))
        bonus = min(DEFAULTS["history_slope"] * depth - DEFAULTS["history_offset"], DEFAULTS["history_bonus"])
        call(update_histories, bench, PLY, move=best, is_quiet=quiet[best], depth=depth)
        reference.learn(reference.places(best, quiet[best]), bonus)
        for move in sorted(others, key=lambda move: not quiet[move]):
            if quiet[best] or not quiet[move]:
                reference.learn(reference.places(move, quiet[move]), -bonus)
        for move in moves:
            score = sum(reference.values.get(place, 0) for place in reference.places(move, quiet[move]))
            assert history_of(bench, PLY, move, quiet[move]) == score, f"{board.fen()} {moves[move]}"
        cutoffs[quiet[best]] += 1
    reference.check()
    assert min(cutoffs) > 100


def test_more_moves_than_there_is_room_for_are_not_remembered(bench):
    node = bench.this["stack"][0]
    for move in range(1, MAX_SEARCHED + 20):
        call(note_searched, bench, 0, move=move, is_quiet=True)
        call(note_searched, bench, 0, move=move + 1_000, is_quiet=False)
    assert list(node["quiets_searched"]) == list(range(1, MAX_SEARCHED + 1))
    assert list(node["captures_searched"]) == list(range(1_001, MAX_SEARCHED + 1_001))
    assert (node["quiet_count"], node["capture_count"]) == (MAX_SEARCHED, MAX_SEARCHED)


def test_a_new_game_clears_all_histories(bench):
    learned = [name for name in WORKER.names or () if name.endswith(("_history", "_correction"))]
    assert len(learned) == 6
    for name in learned:
        bench.this[name] = 9
    clear_histories(bench.array)
    assert not any(bench.this[name].any() for name in learned)
