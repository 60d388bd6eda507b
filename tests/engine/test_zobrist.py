"""Zobrist keys: the published numbers, their quality, and each classic mistake shown to be
caught.
"""

import itertools

import chess
import chess.polyglot
import pytest

from tests.support import naive
from tests.support.playouts import playouts
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import CONSTANTS_RECORD

PIECES = CONSTANTS_RECORD["piece_key"]
CASTLING = CONSTANTS_RECORD["castling_key"]
FILES = CONSTANTS_RECORD["en_passant_key"]
SIDE = int(CONSTANTS_RECORD["side_key"])
WHITE_ROOK = 6
WHITE_KING = 10


def key_of(fen: str, *moves: str) -> int:
    position = parse_fen(fen)
    for move in moves:
        position = position.after(position.parse_move(move))
    return position.key


def piece_key(piece: int, square: str) -> int:
    return int(PIECES[piece, chess.parse_square(square)])


def test_equals_polyglot_wherever_the_two_en_passant_rules_agree():
    agreeing = 0
    for board, position in playouts(20, 31):
        if (
            board.ep_square is None
            or board.has_pseudo_legal_en_passant() == board.has_legal_en_passant()
        ):
            assert position.key == chess.polyglot.zobrist_hash(board)
            agreeing += 1
    assert agreeing > 1_000


def test_transpositions_have_one_key():
    assert key_of(START) == 0x463B96181691FC9C  # the published one
    double_pawns_first = key_of(START, "e2e4", "e7e5", "g1f3", "b8c6")
    assert double_pawns_first == key_of(START, "g1f3", "b8c6", "e2e4", "e7e5")
    assert key_of(START, "g1f3", "g8f6", "f3g1", "f6g8") == key_of(START)


def test_castling_states_are_combinations_of_four_numbers():
    for state, other in itertools.product(range(16), repeat=2):
        assert CASTLING[state] ^ CASTLING[other] == CASTLING[state ^ other] ^ CASTLING[0]
    assert CASTLING[0] == 0


# Each classic mistake, made on purpose: the wrong key differs from the key from scratch, and the
# engine's own does not.
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
KNIGHT_STEP = piece_key(2, "g1") ^ piece_key(2, "f3")
ROOK_STEP = piece_key(WHITE_ROOK, "a1") ^ piece_key(WHITE_ROOK, "b1")
CASTLES = piece_key(WHITE_KING, "e1") ^ piece_key(WHITE_KING, "g1") ^ int(CASTLING[1])
ROOK_CASTLES = piece_key(WHITE_ROOK, "h1") ^ piece_key(WHITE_ROOK, "f1")
KING_STEP = piece_key(11, "e8") ^ piece_key(11, "e7")


# Position, move, the wrong update, and what it leaves out or puts in once too often.
@pytest.mark.parametrize(
    ("fen", "move", "update", "missing"),
    [
        pytest.param(START, "g1f3", KNIGHT_STEP, SIDE, id="side not toggled"),
        pytest.param(
            START,
            "g1f3",
            SIDE ^ KNIGHT_STEP ^ piece_key(2, "f3"),
            piece_key(2, "f3"),
            id="piece toggled twice",
        ),
        pytest.param(
            ROOKS,
            "a1b1",
            SIDE ^ ROOK_STEP ^ int(CASTLING[15]),
            int(CASTLING[13]),
            id="new castling state left out",
        ),
        pytest.param(
            ROOKS,
            "a1b1",
            SIDE ^ ROOK_STEP ^ int(CASTLING[13]),
            int(CASTLING[15]),
            id="old castling state left in",
        ),
        pytest.param(
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "e1g1",
            SIDE ^ CASTLES,
            ROOK_CASTLES,
            id="rook forgotten in castling",
        ),
        pytest.param(
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
            "e8e7",
            SIDE ^ KING_STEP,
            int(FILES[4]),
            id="en-passant file left",
        ),
    ],
)
def test_classic_mistakes_are_caught(fen, move, update, missing):
    """The wrong update differs from the key from scratch by exactly what was forgotten.

    The engine's own key is that from scratch.
    """
    position = parse_fen(fen)
    after = position.after(position.parse_move(move))
    scratch = chess.polyglot.zobrist_hash(after.to_board())
    assert after.key == scratch == int(naive.keys(after.array)[0])
    assert position.key ^ update == scratch ^ missing
    assert missing != 0


def test_en_passant_counts_only_when_the_capture_is_legal():
    plain = key_of("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1")
    assert key_of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4") == plain
    legal = key_of("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4")
    assert legal == key_of("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1") ^ int(FILES[4])
    pinned = key_of("8/8/8/8/k2p3Q/8/4P3/4K3 w - - 0 1", "e2e4")
    assert pinned == key_of("8/8/8/8/k2pP2Q/8/8/4K3 b - - 0 1")
