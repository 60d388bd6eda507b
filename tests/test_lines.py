"""The judge of principal variations: each kind of fault is seen, and a sound line passes."""

import chess
import pytest

from tests.tools.lines import line_fault

LADDER = "8/8/8/8/7k/R7/1R6/K7 w - - 0 1"  # rook b4+, rook a5+ ...: mate in 3 is not claimed here, only lines are judged
BACK_RANK = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


@pytest.mark.parametrize(
    ("fen", "moves", "mate", "fault"),
    [
        (chess.STARTING_FEN, ["e2e4", "e7e5", "g1f3"], None, None),
        (chess.STARTING_FEN, [], None, None),
        (chess.STARTING_FEN, ["e2e4", "e2e4"], None, "e2e4 at ply 2 is no legal move"),
        (chess.STARTING_FEN, ["e2e4", "0000"], None, "0000 at ply 2 is no legal move"),
        (chess.STARTING_FEN, ["e2e9"], None, "e2e9 at ply 1"),
        (BACK_RANK, ["d1d8"], 1, None),
        (BACK_RANK, ["d1d8"], None, None),
        (BACK_RANK, ["d1d7"], 1, "ends without mate"),
        (BACK_RANK, ["d1d8"], 2, "has 1 plies, not 3"),
        (BACK_RANK, ["d1d8"], -1, "has 1 plies, not 2"),
        (BACK_RANK, [], 1, "has 0 plies, not 1"),
        (BACK_RANK.replace("w", "b"), ["g8h8", "d1d8"], -1, None),
        (BACK_RANK.replace("w", "b"), ["g7g6", "d1d8"], -1, "ends without mate"),
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", ["e1d2", "e8e7"], None, "insufficient material, with e8e7 at ply 2"),
        (LADDER.replace("0 1", "98 80"), ["b2b4", "h4g5", "a3a5"], None, "the fifty-move rule, with a3a5 at ply 3"),
        (BACK_RANK.replace("0 1", "99 80"), ["d1d8"], 1, None),
        (chess.STARTING_FEN, [*SHUFFLE, *SHUFFLE], None, None),
        (chess.STARTING_FEN, [*SHUFFLE, *SHUFFLE, "e2e4"], None, "repetition, with e2e4 at ply 9"),
    ],
)
def test_lines(fen, moves, mate, fault):
    found = line_fault(chess.Board(fen), moves, mate)
    assert found is None if fault is None else fault in str(found)


def test_the_moves_of_the_game_count_for_repetition():
    board = chess.Board()
    for text in (*SHUFFLE, *SHUFFLE[:3]):
        board.push_uci(text)
    assert line_fault(board, ["f6g8"]) is None
    assert "repetition" in str(line_fault(board, ["f6g8", "e2e4"]))
    assert board.ply() == 7


def test_castling_of_chess960_as_king_takes_rook():
    board = chess.Board("4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", chess960=True)
    assert line_fault(board, ["d1h1"]) is None
    assert "no legal move" in str(line_fault(board, ["d1g1"]))
