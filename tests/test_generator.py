"""The generator against python-chess, the judge of the rules."""

import chess
import pytest

from tests.playouts import playouts
from zobra.engine.fen import parse_fen, write_fen
from zobra.engine.generator import ALL, NOISY, QUIET
from zobra.engine.move import move_text


@pytest.mark.parametrize("seed", range(4))
def test_random_games_agree_with_python_chess(seed):
    for board, position in playouts(8, seed):
        ours = sorted(move_text(move, board.chess960) for move in position.legal_moves())
        assert ours == sorted(move.uci() for move in board.legal_moves), board.fen()
        assert position.in_check == board.is_check()
        assert write_fen(position) == board.fen()


def test_noisy_and_quiet_share_out_all_moves():
    for board, position in playouts(10, 77):
        noisy, quiet = position.legal_moves(int(NOISY)), position.legal_moves(int(QUIET))
        assert sorted(noisy + quiet) == sorted(position.legal_moves(int(ALL)))
        for move in noisy:
            parsed = board.parse_uci(move_text(move, board.chess960))
            assert board.is_capture(parsed) or parsed.promotion
        assert not any(board.is_capture(board.parse_uci(move_text(move, board.chess960))) for move in quiet)


@pytest.mark.parametrize(
    ("fen", "count"),
    [
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),  # the most moves a legal position can have
        ("3Q1Q2/Q5QK/2Q1Q3/1Q5Q/5Q2/Q6Q/2Q3pp/Q2QQ1rk w - - 0 1", 233),  # fifteen queens, which no game can bring about
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", 9),  # taking in passing answers the check
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", 6),  # taking in passing would open the fourth rank
        ("2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1", 17),
        ("8/8/8/8/8/8/8/rR2K2k w B - 0 1", 8),  # the rook is pinned along the rank: no castling
    ],
)
def test_special_positions(fen, count):
    board, position = chess.Board(fen, chess960=True), parse_fen(fen)
    assert sorted(move_text(m, True) for m in position.legal_moves()) == sorted(m.uci() for m in board.legal_moves)
    assert len(position.legal_moves()) == count
