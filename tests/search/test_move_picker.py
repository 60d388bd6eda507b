"""The staged picker: every legal move exactly once, whatever the table proposes, and in the
promised order.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterator

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
from tests.support.searches import ENDGAME, KIWIPETE
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import WORD, entry, first_maximum, layout, record
from zobra.engine.perft import count_leaves
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.search.move_picker import BAD_CAPTURES, GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS

CHESS960 = "nrbbqk1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/NRBBQK1R w KQkq - 4 4"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"


def pick(
    bench: Workbench, tt_move: int = 0, quiets_until: int = 1_000
) -> tuple[list[int], list[int]]:
    """Moves in the order of the picker, and its stage after each."""
    picked = np.zeros(1, PICKED)[0]
    pick_all(bench.this, CONSTANTS_RECORD, 0, tt_move, quiets_until, picked)
    count = int(picked["count"])
    return picked["moves"][:count].tolist(), picked["stages"][:count].tolist()


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def placed(seed: int, games: int) -> Iterator[tuple[Workbench, chess.Board, dict]]:
    """Yield a bench, a board and {number: move} for the positions of random games.

    Histories have random values.
    """
    bench = Workbench(parse_fen(START))
    source = np.random.default_rng(seed)
    for name in ("quiet_history", "pawn_history", "continuation_history", "capture_history"):
        bench.this[name] = source.integers(-9_000, 9_000, bench.this[name].shape)
    for board in random_boards(seed, games, 150):
        position = Position.from_board(board)
        bench.place(position)
        if moves := move_numbers(position, board):
            yield bench, board, moves


def capture_worth(bench: Workbench, board: chess.Board, number: int, move: chess.Move) -> int:
    """By what captures are ordered: what they take, and their history."""
    pieces = bench.this["stack"][0]["position"]["board"].astype(int)
    to = number >> 6 & 63
    known = bench.this["capture_history"][pieces[number & 63] * 64 + to, pieces[to] // 2]
    return 32 * immediate_gain(board, move) + int(known)


def test_moves_are_picked_in_stages_and_by_score():
    """The TT move, good captures by gain and history, quiets by history and threats, bad
    captures.
    """
    source = random.Random(55)
    seen: set[int] = set()
    threats = Counter()
    for bench, board, moves in placed(57, 10):
        tt_move = source.choice(list(moves))
        order, stages = pick(bench, tt_move)
        attacked = [at for at in chess.SQUARES if board.is_attacked_by(not board.turn, at)]
        assert int(bench.this["stack"][0]["attacked"]) == chess.SquareSet(attacked).mask

        good = []
        bad = []
        quiet = []
        worth = {}
        for number, move in moves.items():
            if number == tt_move:
                continue
            if is_noisy(board, move):
                worth[number] = capture_worth(bench, board, number, move)
                (good if exchange_value(board, move) >= 0 else bad).append(number)
                continue
            threat, check = threats_answered(board, move)
            threats[threat, check] += 1
            worth[number] = history_of(bench, 0, number, True)
            worth[number] += DEFAULTS["threat_bonus"] * threat + DEFAULTS["check_bonus"] * check
            quiet.append(number)

        assert order[0] == tt_move
        assert stages == sorted(stages)
        rest = iter(order[1:])
        for wanted in (good, quiet, bad):
            part = [*itertools.islice(rest, len(wanted))]
            assert sorted(part) == sorted(wanted), board.fen()
            found = [worth[number] for number in part]
            assert found == sorted(found, reverse=True), board.fen()
        assert next(rest, None) is None
        seen |= set(stages)
    assert seen == {GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS, BAD_CAPTURES}
    assert all(threats[each] > 10 for each in ((1, 0), (-1, 0), (0, 1)))


def test_only_quiet_moves_are_skipped():
    """A skip during the captures takes effect after the first quiet move. No capture is lost."""
    source = random.Random(59)
    skipped = 0
    for bench, board, moves in placed(60, 8):
        everything, _ = pick(bench)
        until = source.randint(1, 12)
        quiet = [index for index, move in enumerate(everything) if not is_noisy(board, moves[move])]
        before = [index for index in quiet if index < until]
        gone = set(quiet) - set(before or quiet[:1])
        kept = [move for index, move in enumerate(everything) if index not in gone]
        assert pick(bench, quiets_until=until)[0] == kept, board.fen()
        skipped += len(gone)
    assert skipped > 1_000


@pytest.mark.parametrize(
    ("fen", "depth"), [(START, 4), (KIWIPETE, 3), (ENDGAME, 4), (CHESS960, 3), (PROMOTIONS, 4)]
)
def test_perft_through_the_picker(fen, depth):
    position = parse_fen(fen)
    found = picker_perft(Workbench(position).this, CONSTANTS_RECORD, 0, depth)
    assert found == count_leaves(position, depth)


NUMBERS = layout(("numbers", "i4", (80,)))
place = first_maximum(NUMBERS, "numbers", 7)


@entry(WORD, record(NUMBERS), WORD, WORD)
def place_from_python(numbers, start, end):
    return place(numbers, start, end)


def test_first_maximum():
    """With many different numbers, and with many equal ones."""
    source = np.random.default_rng(1)
    case = np.zeros(1, NUMBERS)[0]
    for start, end in itertools.combinations(range(65), 2):
        divisor = 1 if end % 2 else 1 << 22
        numbers = source.integers(1 - (1 << 24), 1 << 24, 80) // divisor
        case["numbers"] = numbers
        assert place_from_python(case, start, end) == start + numbers[start:end].argmax()
