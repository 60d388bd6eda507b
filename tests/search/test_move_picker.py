"""The staged picker: every legal move exactly once, whatever the table proposes, and in the
promised order.
"""

import itertools
import random
from collections import Counter

import chess
import numpy as np
import pytest

from tests.support.search_kernels import (
    DEFAULTS,
    PICKED,
    Workbench,
    history_of,
    pick_all,
    picker_perft,
)
from tests.support.search_oracles import (
    exchange_value,
    immediate_gain,
    move_numbers,
    random_boards,
    threats_answered,
)
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import WORD, entry, first_maximum, layout, record
from zobra.engine.perft import count_leaves
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.search.move_picker import BAD_CAPTURES, GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
CHESS960 = "nrbbqk1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/NRBBQK1R w KQkq - 4 4"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"


def pick(bench: Workbench, tt_move: int = 0, quiets_until: int = 1_000) -> tuple[list, list]:
    """Moves in the order of the picker, and its stage after each."""
    (picked,) = np.zeros(1, PICKED)
    pick_all(bench.this, CONSTANTS_RECORD, 0, tt_move, quiets_until, picked)
    return tuple(picked[name][: int(picked["count"])].tolist() for name in ("moves", "stages"))


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def placed(seed: int, games: int):
    """(bench, board, {number: move}) at the positions of random games; histories are full of random
    values.
    """
    bench, source = Workbench(parse_fen(START)), np.random.default_rng(seed)
    for name in ("quiet_history", "pawn_history", "continuation_history", "capture_history"):
        bench.this[name] = source.integers(-9_000, 9_000, bench.this[name].shape)
    for board in random_boards(seed, games, 150):
        position = Position.from_board(board)
        bench.place(position)
        if moves := move_numbers(position, board):
            yield bench, board, moves


def test_stages_come_in_order():
    """Each legal move once: TT move, good captures by gain and history, quiets by history and
    threats, bad captures.
    """
    source, seen, counts = random.Random(55), set(), Counter()
    for bench, board, moves in placed(57, 10):
        own, history = (
            bench.this["stack"][0]["position"]["board"].astype(int),
            bench.this["capture_history"],
        )
        tt_move = source.choice(list(moves))
        order, stages = pick(bench, tt_move)
        attacked = [
            square for square in chess.SQUARES if board.is_attacked_by(not board.turn, square)
        ]
        assert int(bench.this["stack"][0]["attacked"]) == chess.SquareSet(attacked).mask, (
            board.fen()
        )
        good, bad, quiet, scores = [], [], [], {}
        for number, move in moves.items():
            if number == tt_move:
                continue
            if not is_noisy(board, move):
                quiet.append(number)
                threat, check = threats_answered(board, move)
                scores[number] = history_of(bench, 0, number, True)
                scores[number] += (
                    DEFAULTS["threat_bonus"] * threat + DEFAULTS["check_bonus"] * check
                )
                counts[threat, check] += 1
                continue
            known = int(
                history[own[number & 63] * 64 + (number >> 6 & 63), own[number >> 6 & 63] // 2]
            )
            value, scores[number] = (
                exchange_value(board, move),
                32 * immediate_gain(board, move) + known,
            )
            (good if value >= 0 else bad).append(number)
        middle, end = 1 + len(good), 1 + len(good) + len(quiet)
        assert order[0] == tt_move and stages == sorted(stages)
        for part, wanted in (
            (order[1:middle], good),
            (order[middle:end], quiet),
            (order[end:], bad),
        ):
            assert sorted(part) == sorted(wanted), board.fen()
            found = [scores[number] for number in part]
            assert found == sorted(found, reverse=True), board.fen()
        seen |= set(stages)
    assert seen == {GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS, BAD_CAPTURES}
    assert all(counts[each] > 10 for each in ((1, 0), (-1, 0), (0, 1)))


def test_skipped_quiet_moves_stay_away_and_nothing_else():
    """Said while captures come, it takes effect with the first quiet move; of captures none is
    lost.
    """
    source, skipped = random.Random(59), 0
    for bench, board, moves in placed(60, 8):
        everything, until = pick(bench)[0], source.randint(1, 12)
        quiet = [index for index, move in enumerate(everything) if not is_noisy(board, moves[move])]
        gone = set(quiet) - set([index for index in quiet if index < until] or quiet[:1])
        kept = [move for index, move in enumerate(everything) if index not in gone]
        assert pick(bench, quiets_until=until)[0] == kept, board.fen()
        skipped += len(gone)
    assert skipped > 1_000


@pytest.mark.parametrize(
    ("fen", "depth"), [(START, 4), (KIWIPETE, 3), (ENDGAME, 4), (CHESS960, 3), (PROMOTIONS, 4)]
)
def test_perft_through_the_picker(fen, depth):
    position = parse_fen(fen)
    assert picker_perft(Workbench(position).this, CONSTANTS_RECORD, 0, depth) == count_leaves(
        position, depth
    )


NUMBERS = layout(("numbers", "i4", (80,)))
place = first_maximum(NUMBERS, "numbers", 7)


@entry(WORD, record(NUMBERS), WORD, WORD)
def place_from_python(numbers, start, end):
    return place(numbers, start, end)


def test_the_first_of_the_largest_numbers():
    source, case = np.random.default_rng(1), np.zeros(1, NUMBERS)
    for start, end in itertools.combinations(range(65), 2):
        numbers = case[0]["numbers"] = (
            source.integers(1 - (1 << 24), 1 << 24, 80) // (1, 1 << 22)[end % 2]
        )
        assert place_from_python(case[0], start, end) == start + numbers[start:end].argmax()
