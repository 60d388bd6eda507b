"""The handle on a record: what is found in a position, and the way to python-chess and back."""

import chess

from tests.support import naive
from tests.support.playouts import playouts
from zobra.engine.fen import parse_fen
from zobra.engine.layouts import ACCUMULATOR, CONSTANTS, NETWORK, POSITION
from zobra.engine.position import CONSTANTS_RECORD, Position

IN_PASSING = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"


def test_checks_and_pins_match_python_chess():
    checks = 0
    pins = 0
    for board, position in playouts(24, 40):
        pinned = {
            square
            for square in chess.SquareSet(board.occupied_co[board.turn])
            if board.is_pinned(board.turn, square)
        }
        this = position.record
        assert int(this["checkers"]) == board.checkers_mask(), board.fen()
        assert naive.squares(this["pinned"]) == pinned, board.fen()
        checks += position.in_check
        pins += bool(pinned)
    assert checks > 60
    assert pins > 150


def test_conversion_to_python_chess_and_back():
    for board, position in playouts(8, 60):
        read = parse_fen(board.fen())
        assert Position.from_board(board).record.tobytes() == read.record.tobytes()
        assert position.to_board(board.chess960).fen() == board.fen()
        pieces = {
            square: 2 * (piece.piece_type - 1) + (not piece.color)
            for square, piece in board.piece_map().items()
        }
        assert position.pieces() == pieces


def test_rights_without_use_are_dropped():
    board = chess.Board(IN_PASSING)
    assert int(Position.from_board(board).record["en_passant"]) == chess.E3
    board.remove_piece_at(chess.D4)
    board.remove_piece_at(chess.H1)
    this = Position.from_board(board).record
    assert int(this["en_passant"]) == 0
    assert naive.squares(this["castling"]) == {chess.A1, chess.A8, chess.H8}


def test_a_move_does_not_change_the_position_before_it():
    position = parse_fen(IN_PASSING)
    assert not position.white_to_move()
    assert not position.in_check
    assert position.record["side"] == 1
    before = position.array.tobytes()
    for move in [*position.legal_moves(), 0]:
        assert position.after(move).array.tobytes() != before
    assert position.array.tobytes() == before


def test_large_fields_begin_at_cache_lines():
    """Vectors that lie in two cache lines are read more slowly."""
    assert CONSTANTS_RECORD.__array_interface__["data"][0] % 64 == 0
    for dtype in (CONSTANTS, NETWORK, ACCUMULATOR, POSITION):
        assert dtype.alignment == 8 and dtype.itemsize % 64 == 0
        assert not any(at % 64 for part, at, *_ in dtype.fields.values() if part.itemsize >= 64)
