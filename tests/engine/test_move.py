"""The 16 bits of a move, and the texts that name it."""

import itertools

import chess
import pytest

from tests.support.playouts import playouts
from tests.support.search_kernels import call
from zobra.engine import move as moves
from zobra.engine.board import BISHOP, KNIGHT, QUEEN, ROOK
from zobra.engine.fen import START, parse_fen
from zobra.engine.move import CASTLING, EN_PASSANT, NORMAL, PROMOTION, move_text


def encode(from_: str, to: str, flag: int = int(NORMAL)) -> int:
    return chess.parse_square(from_) | chess.parse_square(to) << 6 | int(flag) << 12


def test_encoding_is_reversible():
    for flag, from_, to in itertools.product(range(8), (0, 1, 7, 31, 32, 56, 63), range(64)):
        move = call(moves.encode, from_=from_, to=to, flag=flag)
        assert call(moves.from_square, move=move) == from_
        assert call(moves.to_square, move=move) == to
        assert call(moves.flag_of, move=move) == flag
    assert call(moves.encode, from_=63, to=63, flag=7) < 1 << 16
    promoted = [call(moves.promoted_type, flag=flag) for flag in range(4, 8)]
    assert promoted == [KNIGHT, BISHOP, ROOK, QUEEN]


@pytest.mark.parametrize(
    ("move", "text", "text960"),
    [
        (0, "0000", "0000"),
        (encode("g1", "f3"), "g1f3", "g1f3"),
        (encode("e5", "d6", EN_PASSANT), "e5d6", "e5d6"),
        (encode("e7", "e8", PROMOTION), "e7e8n", "e7e8n"),
        (encode("e7", "d8", int(PROMOTION) + 1), "e7d8b", "e7d8b"),
        (encode("a2", "a1", int(PROMOTION) + 2), "a2a1r", "a2a1r"),
        (encode("h2", "h1", int(PROMOTION) + 3), "h2h1q", "h2h1q"),
        (encode("e1", "h1", CASTLING), "e1g1", "e1h1"),
        (encode("e8", "a8", CASTLING), "e8c8", "e8a8"),
        (encode("b1", "a1", CASTLING), "b1c1", "b1a1"),
        (encode("f8", "g8", CASTLING), "f8g8", "f8g8"),
    ],
)
def test_move_texts(move, text, text960):
    assert move_text(move) == text
    assert move_text(move, chess960=True) == text960


def test_every_legal_move_is_parsed_from_its_text():
    for board, position in playouts(4, 21):
        for move in position.legal_moves():
            assert position.parse_move(move_text(move, chess960=True)) == move
            if not board.chess960:
                assert position.parse_move(move_text(move)) == move


@pytest.mark.parametrize(
    ("fen", "texts", "from_", "to", "flag"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ("e1g1", "e1h1", "E1G1"), "e1", "h1", CASTLING),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ("e1c1", "e1a1"), "e1", "a1", CASTLING),
        # The step to c1 and castling could both be written b1c1: the step is meant,
        ("4k3/8/8/8/8/8/8/RK6 w A - 0 1", ("b1c1",), "b1", "c1", NORMAL),
        ("4k3/8/8/8/8/8/8/RK6 w A - 0 1", ("b1a1",), "b1", "a1", CASTLING),
        # and with a rook on c1 it is the king taking that rook, though castling with the other one
        # ends on c1.
        ("4k3/8/8/8/8/8/8/RKR5 w CA - 0 1", ("b1c1", "b1g1"), "b1", "c1", CASTLING),
    ],
)
def test_castling_may_be_written_either_way(fen, texts, from_, to, flag):
    assert {parse_fen(fen).parse_move(text) for text in texts} == {encode(from_, to, flag)}


@pytest.mark.parametrize(
    "text",
    ["", "e2", "e2e5", "e7e5", "e2e4q", "0000", "e2e9", "i2i4", "e1g1", "e2 e4", "Nf3", "e2e4 "],
)
def test_illegal_moves_are_refused(text):
    with pytest.raises(ValueError, match="is not a legal move here") as caught:
        parse_fen(START).parse_move(text)
    assert repr(text) in str(caught.value)
