"""Histories learn from cutoffs, corrections from the error of the static evaluation."""

import random

import chess
import pytest

from tests.support.search_kernels import DEFAULTS, Workbench, call, history_of, node_at
from tests.support.search_oracles import move_numbers, random_boards
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.scores import LONGEST_MATE, NO_SCORE
from zobra.search.history import (
    LARGEST_BONUS,
    corrected_evaluation,
    gravity,
    is_noisy,
    note_searched,
    update_correction_histories,
    update_histories,
)
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

LIMIT = int(HISTORY_LIMIT)
MATE = int(LONGEST_MATE)
NAMES = ("quiet_history", "pawn_history", "continuation_history", "capture_history")
PLY = 5


@pytest.fixture
def bench():
    return Workbench(parse_fen(START))


# Move histories


def approach(value: int, bonus: int) -> int:
    """Gravity: a step of `bonus`, less the share of it that the value has of the limit already."""
    return value + bonus - value * abs(bonus) // LIMIT


def test_gravity_is_its_formula_and_never_leaves_the_limit():
    source = random.Random(61)
    value = 0
    for _ in range(3_000):
        bonus = source.choice([LIMIT, -LIMIT, source.randint(-LIMIT, LIMIT), source.randint(-9, 9)])
        wanted = approach(value, bonus)
        value = call(gravity, value=value, bonus=bonus)
        assert value == wanted
        assert abs(value) <= LIMIT


class Reference:
    """Every history value in one dictionary, by the name of its array and its place there."""

    def __init__(self, bench: Workbench) -> None:
        self.this = bench.this
        self.values: dict[tuple, int] = {}

    def places(self, move: int, is_quiet: bool) -> list[tuple]:
        """Where the values of a move lie."""
        node = self.this["stack"][PLY]
        position = node["position"]
        from_ = move & 63
        to = move >> 6 & 63
        moved = int(position["board"][from_]) * 64 + to
        if not is_quiet:
            return [("capture_history", moved, int(position["board"][to]) // 2)]
        attacked = int(node["attacked"])
        threats = 2 * (attacked >> from_ & 1) + (attacked >> to & 1)
        pawns = int(position["correction_keys"][0]) % PAWN_STRUCTURES
        played = [int(self.this["played"][BEFORE + PLY - back]) for back in (1, 2, 4)]
        return [
            ("quiet_history", int(position["side"]), threats, from_, to),
            ("pawn_history", pawns, moved),
            *(("continuation_history", earlier, moved) for earlier in played),
        ]

    def learn(self, move: int, is_quiet: bool, bonus: int) -> None:
        for place in self.places(move, is_quiet):
            self.values[place] = approach(self.values.get(place, 0), bonus)

    def score(self, move: int, is_quiet: bool) -> int:
        return sum(self.values.get(place, 0) for place in self.places(move, is_quiet))

    def check(self) -> None:
        """Every value is where it should be, and nowhere else is any."""
        for place, value in self.values.items():
            assert self.this[place[0]][place[1:]] == value, place
        found = sum(int((self.this[name] != 0).sum()) for name in NAMES)
        assert found == sum(value != 0 for value in self.values.values())


def attacked_squares(board: chess.Board) -> int:
    """The squares that the side not to move attacks."""
    return sum(1 << at for at in chess.SQUARES if board.is_attacked_by(not board.turn, at))


def test_cutoffs_teach_what_the_reference_learns(bench):
    """The move of the cutoff gets a bonus, and those tried before it a malus.

    Quiet moves get none if the cutoff was by a capture.
    """
    source = random.Random(63)
    reference = Reference(bench)
    node = bench.this["stack"][PLY]
    cutoffs = {True: 0, False: 0}
    for board in random_boards(62, 8, 150):
        position = Position.from_board(board)
        attacked = source.choice((0, source.getrandbits(64)))
        node["position"] = position.record
        node["attacked"] = attacked
        node["quiet_count"] = 0
        node["capture_count"] = 0
        before = (NOTHING_PLAYED, source.randrange(NOTHING_PLAYED), 77)
        bench.this["played"][PLY : PLY + BEFORE] = source.choices(before, k=BEFORE)

        moves = move_numbers(position, board)
        quiet = {}
        for number, move in moves.items():
            quiet[number] = not board.is_capture(move) and not move.promotion
            assert call(is_noisy, bench, PLY, move=number) != quiet[number], f"{board.fen()} {move}"
        best, *others = source.sample(list(moves), min(8, len(moves)))
        for move in others:
            call(note_searched, bench, PLY, move=move, is_quiet=quiet[move])
        depth = source.choice((1, 2, 7, 8, 127))
        call(update_histories, bench, PLY, move=best, is_quiet=quiet[best], depth=depth)
        if quiet[best] and not attacked:  # the enemy's attacks were not known
            assert node["attacked"] == attacked_squares(board)

        bonus = DEFAULTS["history_slope"] * depth - DEFAULTS["history_offset"]
        bonus = min(bonus, DEFAULTS["history_bonus"])
        reference.learn(best, quiet[best], bonus)
        for move in sorted(others, key=lambda move: not quiet[move]):
            if quiet[best] or not quiet[move]:
                reference.learn(move, quiet[move], -bonus)
        for move in moves:
            found = history_of(bench, PLY, move, quiet[move])
            assert found == reference.score(move, quiet[move]), f"{board.fen()} {moves[move]}"
        cutoffs[quiet[best]] += 1
    reference.check()
    assert min(cutoffs.values()) > 100
    assert node["cutoff_count"] == sum(cutoffs.values())


def test_more_moves_than_there_is_room_for_are_not_remembered(bench):
    node = bench.this["stack"][0]
    for move in range(1, MAX_SEARCHED + 20):
        call(note_searched, bench, 0, move=move, is_quiet=True)
        call(note_searched, bench, 0, move=move + 1_000, is_quiet=False)
    assert list(node["quiets_searched"]) == [*range(1, MAX_SEARCHED + 1)]
    assert list(node["captures_searched"]) == [*range(1_001, MAX_SEARCHED + 1_001)]
    assert node["quiet_count"] == node["capture_count"] == MAX_SEARCHED


def test_a_new_game_clears_all_histories(bench):
    learned = [name for name in WORKER.names or () if name.endswith(("_history", "_correction"))]
    assert len(learned) == 6
    for name in learned:
        bench.this[name] = 9
    clear_histories(bench.array)
    assert not any(bench.this[name].any() for name in learned)


# Correction histories


def corrected(bench: Workbench, static: int = 0, ply: int = 0) -> int:
    return call(corrected_evaluation, bench, ply, raw_evaluation=static)


def teach(bench: Workbench, difference: int, depth: int, times: int = 1) -> None:
    for _ in range(times):
        call(update_correction_histories, bench, 0, difference=difference, depth=depth)


@pytest.mark.parametrize("sign", [1, -1])
def test_corrections_move_the_evaluation_up_to_a_limit(bench, sign):
    assert [corrected(bench, static) for static in (-300, 0, 41)] == [-300, 0, 41]
    values = [0]
    for _ in range(20):
        teach(bench, sign * 120, 8)
        values.append(sign * corrected(bench))
    assert values == sorted(values)
    assert values[-1] > 20
    teach(bench, sign * 30_000, 100, 500)
    assert abs(bench.this["position_correction"]).max() <= LIMIT
    assert corrected(bench, sign * (MATE - 5)) == sign * (MATE - 1)  # never a mate score


def test_the_correction_is_the_weighted_sum_of_its_tables(bench):
    """Of the pawns, the pieces of either side, and the last two moves."""
    teach(bench, 100, 6)
    total = 4 * 100 * 6 * 2
    assert corrected(bench) == total * DEFAULTS["correction_weight"] // LIMIT
    bench.this["position_correction"] = 0
    teach(bench, 30_000, 100)
    assert bench.this["position_correction"].max() == LARGEST_BONUS


def test_like_positions_share_what_they_have_in_common(bench):
    teach(bench, 200, 10, 20)
    found = [corrected(bench)]
    bench.this["played"][BEFORE - 1] = 3
    found.append(corrected(bench))
    for fen in (
        "rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",  # the same pawns
        "rn1qkbnr/1ppppppp/8/8/8/8/PPPPPPP1/R1BQKBNR w KQkq - 0 1",
        START.replace(" w ", " b "),  # the other side has its own
    ):
        bench.place(parse_fen(fen))
        found.append(corrected(bench))
    assert found[0] > found[1] > found[2] > found[3] == found[4] == 0


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
def test_corrections_learn_only_from_quiet_results_that_show_an_error(
    score, alpha, beta, move, direction
):
    """And not in check, where there is no evaluation to learn of."""
    fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    number = parse_fen(fen).parse_move(move) if move else 0
    for static, wanted in ((0, direction), (NO_SCORE, 0)):
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
    bench = node_at(START, depth=depth)
    assert call(finish_node, bench, score=score, alpha=alpha, beta=beta) == blended
