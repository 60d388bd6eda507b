"""The 16 bits of a move, and the texts that name it."""

import chess
import numpy as np
import pytest

from tests.playouts import playouts
from zobra.engine import move as moves
from zobra.engine.board import KNIGHT, QUEEN, SQUARE_NAMES
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels import WORD, entry, record
from zobra.engine.move import CASTLING, DOUBLE_PUSH, EN_PASSANT, NORMAL, PROMOTION, QUEEN_PROMOTION, move_text

PARTS = np.dtype([("of", "u8", (4,))])


@entry(WORD, WORD, WORD, WORD, record(PARTS))
def encode_and_take_apart(from_, to, flag, parts):
    """`encode`, and what the other kernels read from the result, for Python."""
    move = moves.encode(from_, to, flag)
    parts.of[0], parts.of[1], parts.of[2] = moves.from_square(move), moves.to_square(move), moves.flag_of(move)
    parts.of[3] = moves.promoted_type(flag)
    return move


def encode(from_: str, to: str, flag: int = int(NORMAL)) -> int:
    return chess.parse_square(from_) | chess.parse_square(to) << 6 | int(flag) << 12


def test_every_combination_survives_encoding():
    parts, seen, promoted = np.zeros(1, PARTS)[0], set(), []
    for flag in range(8):
        for squares in range(64 * 64):
            from_, to = divmod(squares, 64)
            seen.add(int(encode_and_take_apart(from_, to, flag, parts)))
            assert parts["of"][:3].tolist() == [from_, to, flag]
        promoted.append(int(parts["of"][3]))
    assert len(seen) == 64 * 64 * 8 and max(seen) < 1 << 16
    assert promoted[int(PROMOTION) :] == list(range(int(KNIGHT), int(QUEEN) + 1))


@pytest.mark.parametrize(
    ("move", "text", "text960"),
    [
        (0, "0000", "0000"),
        (encode("g1", "f3"), "g1f3", "g1f3"),
        (encode("e2", "e4", DOUBLE_PUSH), "e2e4", "e2e4"),
        (encode("e5", "d6", EN_PASSANT), "e5d6", "e5d6"),
        (encode("e7", "e8", PROMOTION), "e7e8n", "e7e8n"),
        (encode("e7", "d8", PROMOTION + np.uint64(1)), "e7d8b", "e7d8b"),
        (encode("a2", "a1", PROMOTION + np.uint64(2)), "a2a1r", "a2a1r"),
        (encode("h2", "h1", QUEEN_PROMOTION), "h2h1q", "h2h1q"),
        (encode("e1", "h1", CASTLING), "e1g1", "e1h1"),
        (encode("e8", "a8", CASTLING), "e8c8", "e8a8"),
        (encode("b1", "a1", CASTLING), "b1c1", "b1a1"),
        (encode("f8", "g8", CASTLING), "f8g8", "f8g8"),
    ],
)
def test_texts(move, text, text960):
    assert move_text(move) == text and move_text(move, chess960=True) == text960


def test_every_legal_move_is_found_again_by_its_text():
    for board, position in playouts(4, 21):
        for move in position.legal_moves():
            assert position.parse_move(move_text(move, chess960=True)) == move
            if not board.chess960:
                assert position.parse_move(move_text(move)) == move


def test_castling_may_be_written_either_way_and_in_capitals():
    position = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for text in ("e1g1", "e1h1", "E1G1"):
        assert position.parse_move(text) == encode("e1", "h1", CASTLING)
    for text in ("e1c1", "e1a1", "E1C1"):
        assert position.parse_move(text) == encode("e1", "a1", CASTLING)


def test_a_king_step_is_not_taken_for_castling():
    """With the king on b1 both the step to c1 and castling could be written b1c1: the step is meant."""
    position = parse_fen("4k3/8/8/8/8/8/8/RK6 w A - 0 1")
    assert position.parse_move("b1c1") == encode("b1", "c1")
    assert position.parse_move("b1a1") == encode("b1", "a1", CASTLING)


def test_a_rook_on_the_square_the_king_would_castle_to_is_the_one_that_is_meant():
    """With rooks on a1 and c1, b1c1 is the king taking the rook on c1, though castling with the other rook ends on c1."""
    position = parse_fen("4k3/8/8/8/8/8/8/RKR5 w CA - 0 1")
    assert position.parse_move("b1c1") == position.parse_move("b1g1") == encode("b1", "c1", CASTLING)


@pytest.mark.parametrize("text", ["", "e2", "e2e5", "e7e5", "e2e4q", "0000", "e2e9", "i2i4", "e1g1", "e2 e4", "Nf3", "e2e4 "])
def test_what_is_not_a_legal_move_is_refused_by_name(text):
    with pytest.raises(ValueError, match="is not a legal move here") as caught:
        parse_fen(START).parse_move(text)
    assert repr(text) in str(caught.value)


def test_squares_have_the_names_that_python_chess_gives_them():
    assert list(chess.SQUARE_NAMES) == SQUARE_NAMES
