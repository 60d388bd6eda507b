"""Histories: learned from cutoffs wherever the scores read, and cleared; corrections: towards what
searches found.
"""

import random

import pytest

from tests.support.search_kernels import DEFAULTS, Workbench, call, history_of, node_at
from tests.support.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search import history
from zobra.search.history import gravity, is_noisy, note_searched, update_histories
from zobra.search.node import finish_node
from zobra.search.worker import (
    BEFORE,
    HISTORY_LIMIT,
    MAX_SEARCHED,
    NOTHING_PLAYED,
    PAWN_STRUCTURES,
    WORKER,
    clear_histories,
)

MOST = int(HISTORY_LIMIT)
NAMES = ("quiet_history", "pawn_history", "continuation_history", "capture_history")
PLY = 5
SAME_PAWNS = "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"
OTHER_PAWNS = "rn1qkbnr/1ppppppp/8/8/8/8/PPPPPPP1/R1BQKBNR w KQkq - 0 1"
ROWS = 4  # pawns, the pieces of either side, the last two moves
MATE = int(LONGEST_MATE)


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
        attacked = int(self.this["stack"][PLY]["attacked"])
        threats = 2 * (attacked >> from_ & 1) + (attacked >> to & 1)
        before = [int(self.this["played"][BEFORE + PLY - back]) for back in (1, 2, 4)]
        return [
            ("quiet_history", int(position["side"]), threats, from_, to),
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
        assert sum(int((self.this[name] != 0).sum()) for name in NAMES) == sum(
            v != 0 for v in self.values.values()
        )


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
    """The move gains and those tried before it lose; but quiet moves are not to blame for coming
    before a capture.
    """
    source, reference, cutoffs = random.Random(63), Reference(bench), [0, 0]
    node = bench.this["stack"][PLY]
    for board in random_boards(62, 8, 150):
        position = Position.from_board(board)
        node["position"], node["attacked"] = (
            position.record,
            (drawn := source.choice((0, source.getrandbits(64)))),
        )
        node["quiet_count"] = node["capture_count"] = 0
        before = (NOTHING_PLAYED, source.randrange(NOTHING_PLAYED), 77)
        bench.this["played"][PLY : PLY + BEFORE] = source.choices(before, k=BEFORE)
        moves = move_numbers(position, board)
        quiet = {
            number: not board.is_capture(move) and not move.promotion
            for number, move in moves.items()
        }
        for number, is_quiet in quiet.items():
            assert call(is_noisy, bench, PLY, move=number) != is_quiet, (
                f"{board.fen()} {moves[number]}"
            )
        best, *others = source.sample(list(moves), min(8, len(moves)))
        for move in others:
            call(note_searched, bench, PLY, move=move, is_quiet=quiet[move])
        depth = source.choice((1, 2, 7, 8, 127))
        bonus = min(
            DEFAULTS["history_slope"] * depth - DEFAULTS["history_offset"],
            DEFAULTS["history_bonus"],
        )
        call(update_histories, bench, PLY, move=best, is_quiet=quiet[best], depth=depth)
        if quiet[best] and not drawn:  # the enemy's attacks were not known
            assert node["attacked"] == sum(
                1 << square for square in range(64) if board.is_attacked_by(not board.turn, square)
            )
        reference.learn(reference.places(best, quiet[best]), bonus)
        for move in sorted(others, key=lambda move: not quiet[move]):
            if quiet[best] or not quiet[move]:
                reference.learn(reference.places(move, quiet[move]), -bonus)
        for move in moves:
            score = sum(
                reference.values.get(place, 0) for place in reference.places(move, quiet[move])
            )
            assert history_of(bench, PLY, move, quiet[move]) == score, (
                f"{board.fen()} {moves[move]}"
            )
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


def corrected(bench: Workbench, static: int = 0, ply: int = 0) -> int:
    return call(history.corrected_evaluation, bench, ply, raw_evaluation=static)


def teach(bench: Workbench, difference: int, depth: int, times: int = 1) -> None:
    for _ in range(times):
        call(history.update_correction_histories, bench, 0, difference=difference, depth=depth)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_lesson_moves_the_evaluation_its_way_to_a_limit(bench, sign):
    assert [corrected(bench, static) for static in (-300, 0, 41)] == [
        -300,
        0,
        41,
    ]  # nothing is known yet
    values = [0]
    for _ in range(20):
        teach(bench, sign * 120, 8)
        values.append(sign * corrected(bench))
    assert values == sorted(values) and values[-1] > 20
    teach(bench, sign * 30_000, 100, 500)
    assert abs(bench.this["position_correction"]).max() <= HISTORY_LIMIT


def test_the_correction_is_the_weighted_sum_of_its_tables(bench):
    teach(bench, 100, 6)
    total = ROWS * 100 * 6 * 2
    assert corrected(bench) == total * int(bench.this["parameters"]["correction_weight"]) // int(
        HISTORY_LIMIT
    )
    bench.this["position_correction"] = 0
    teach(bench, 30_000, 100)
    assert bench.this["position_correction"].max() == history.LARGEST_BONUS


def test_like_positions_share_what_they_have_in_common(bench):
    teach(bench, 200, 10, 20)
    everything = corrected(bench)
    bench.this["played"][BEFORE - 1] = 3
    found = [everything, corrected(bench)]
    for fen in (SAME_PAWNS, OTHER_PAWNS, START.replace(" w ", " b ")):  # the other side has its own
        bench.place(parse_fen(fen))
        found.append(corrected(bench))
    assert found[0] > found[1] > found[2] > found[3] == found[4] == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_a_corrected_evaluation_is_never_a_mate_score(bench, sign):
    teach(bench, sign * 500, 20, 50)
    assert corrected(bench, sign * (MATE - 5)) == sign * (MATE - 1)


@pytest.mark.parametrize(
    ("score", "alpha", "beta", "move", "direction"),
    [
        (60, 0, 100, "g1f3", 1),  # exact, above and below the evaluation
        (-60, -100, 100, "g1f3", -1),
        (60, 20, 60, "g1f3", 1),  # at least 60
        (-10, -40, -10, "g1f3", 0),  # at least -10 says nothing of an evaluation of 0
        (-60, -60, -20, None, -1),  # at most -60
        (30, 40, 60, None, 0),  # at most 30 says nothing
        (60, 20, 60, "e4d5", 0),  # a capture: not what the evaluation is for
        (0, -10, 10, "g1f3", 0),  # right already
    ],
)
def test_learned_from_quiet_disagreement_only(score, alpha, beta, move, direction):
    fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    number = parse_fen(fen).parse_move(move) if move else 0
    for static, wanted in (
        (0, direction),
        (NO_SCORE, 0),
    ):  # in check there is no evaluation to learn of
        bench = node_at(fen, depth=6, static_evaluation=static)
        call(finish_node, bench, move=number, score=score, alpha=alpha, beta=beta)
        after = corrected(bench, ply=1)
        assert (after > 0) - (after < 0) == wanted


@pytest.mark.parametrize(
    ("score", "depth", "alpha", "beta", "blended"),
    [
        (300, 4, 99, 100, 260),  # four parts of five
        (300, 1, 99, 100, 200),
        (99, 4, 99, 100, 99),
        (300, 4, 0, 100, 300),  # an open window
        (MATE, 4, 99, 100, MATE),
        (300, 4, -MATE - 1, -MATE, 300),
    ],
)
def test_a_fail_high_is_blended_toward_beta(score, depth, alpha, beta, blended):
    assert (
        call(finish_node, node_at(START, depth=depth), score=score, alpha=alpha, beta=beta)
        == blended
    )
