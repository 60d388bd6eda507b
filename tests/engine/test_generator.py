"""Legal moves against python-chess: as the generator lists them, and as `is_legal` accepts them of
all 16-bit numbers.
"""

from collections import Counter

import chess
import numpy as np
import pytest

from tests.support.playouts import playouts
from tests.support.search_kernels import VERDICTS, judge_all_numbers
from tests.support.search_oracles import random_boards
from zobra.engine.generator import ALL, NOISY, QUIET
from zobra.engine.move import CASTLING, EN_PASSANT, PROMOTION, move_text
from zobra.engine.position import CONSTANTS_RECORD, Position


def accepted(position: Position) -> set[int]:
    verdicts = np.zeros(1, VERDICTS)
    judge_all_numbers(position.record, CONSTANTS_RECORD, verdicts[0])
    return {int(number) for number in np.flatnonzero(verdicts[0]["legal"])}


def check(board: chess.Board) -> set[int]:
    position = Position.from_board(board)
    legal = position.legal_moves()
    texts = sorted(move_text(move, board.chess960) for move in legal)
    assert texts == sorted(move.uci() for move in board.legal_moves)
    assert accepted(position) == set(legal), board.fen()
    return set(legal)


@pytest.mark.parametrize("chess960", [False, True])
def test_random_positions(chess960):
    flags: Counter[int] = Counter()
    checks = 0
    for number, board in enumerate(random_boards(21 + chess960, 24, 160, chess960)):
        if number % 4 == 0 or board.is_check() or board.has_legal_en_passant():
            checks += board.is_check()
            flags.update(move >> 12 for move in check(board))
    assert checks > 30
    assert all(flags[int(flag)] > 3 for flag in (CASTLING, EN_PASSANT, PROMOTION))


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",  # all four castlings
        "r3k2r/8/8/8/8/5q2/8/R3K2R w KQkq - 0 1",  # through an attacked square
        "4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",  # in check
        "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",  # only the rook crosses an attacked square
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",  # taking in passing would open the rank
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",  # taking in passing answers the check
        "4k3/8/8/8/1b6/8/3P4/4K3 w - - 0 1",  # a pinned pawn
        "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1",  # a pinned rook along its line
        "4k3/8/5N2/8/8/8/4R3/4K3 b - - 0 1",  # double check
        "7k/P6P/8/8/8/8/8/K7 w - - 0 1",  # a promotion square that is blocked
        "4k3/8/8/8/8/p7/P7/4K3 w - - 0 1",  # a double push that is blocked at once
        "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1",  # Chess960
        "4k3/8/8/8/8/8/8/qR1K3R w HB - 0 1",  # the castling rook shields the king
        "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",  # king and rook change places
        "4k3/8/8/8/8/8/8/6KR w H - 0 1",  # the king stays where it is
        "2r1k3/8/8/8/8/8/8/RK6 w A - 0 1",  # its way is attacked
        "8/8/8/8/8/8/8/rR2K2k w B - 0 1",  # the rook is pinned along the rank
        # 218 moves: the most that a legal position can have
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        # 233: fifteen queens, which no game can bring about
        "3Q1Q2/Q5QK/2Q1Q3/1Q5Q/5Q2/Q6Q/2Q3pp/Q2QQ1rk w - - 0 1",
    ],
)
def test_chosen_positions(fen):
    check(chess.Board(fen, chess960=True))


def test_noisy_and_quiet_moves_are_all_moves():
    for board, position in playouts(10, 77):
        noisy = position.legal_moves(int(NOISY))
        quiet = position.legal_moves(int(QUIET))
        assert sorted(noisy + quiet) == sorted(position.legal_moves(int(ALL)))
        for move in noisy + quiet:
            parsed = board.parse_uci(move_text(move, board.chess960))
            is_noisy = board.is_capture(parsed) or parsed.promotion is not None
            assert is_noisy == (move in noisy)
