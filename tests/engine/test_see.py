"""Static exchange evaluation against a full swap on python-chess boards."""

import itertools

import chess
import pytest

from tests.support.search_kernels import call
from tests.support.search_oracles import exchange_value, move_numbers, random_boards
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.engine.see import see_at_least

THRESHOLDS = {-2000, -951, -500, -320, -220, -100, -1, 0, 1, 100, 500, 950, 20_000}


def reached(position: Position, number: int, threshold: int) -> bool:
    given = {"position": position.record, "constants": CONSTANTS_RECORD}
    return bool(call(see_at_least, move=number, threshold=threshold, **given))


@pytest.mark.parametrize("chess960", [False, True])
def test_random_positions(chess960):
    checked = 0
    for board in itertools.islice(random_boards(1 + chess960, 14, 140, chess960), 0, None, 6):
        position = Position.from_board(board)
        for number, move in move_numbers(position, board).items():
            checked += 1
            value = exchange_value(board, move)
            for threshold in THRESHOLDS | {value - 1, value, value + 1}:
                found = reached(position, number, threshold)
                assert found == (value >= threshold), f"{board.fen()} {move} {threshold} {value}"
    assert checked > 4_000


@pytest.mark.parametrize(
    ("fen", "move", "value"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),  # nothing protects it
        ("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),  # a pawn takes back
        # The second rook looks through the first, and queens behind rooks do.
        ("4k3/8/4p3/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500 + 100),
        ("3qk3/3r4/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", 100 - 500),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),  # taken in passing
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),  # and taken back
        # Through the square of the captured pawn it is taken back, or protected.
        ("4k3/8/8/3pP3/8/8/3r4/5K2 w - d6 0 1", "e5d6", 0),
        ("3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", 850),
        ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", -100),
        ("1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n", 500 + 220 - 320),
        ("8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", 100 - 500),  # the king takes what is alone
        ("8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100),  # and leaves what is protected
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", 500),  # the king takes first
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", 0),
        ("4k3/8/2p5/8/8/1N6/8/4K3 w - - 0 1", "b3c5", 0),  # a quiet move to a safe square
        ("4k3/8/1p6/8/8/1N6/8/4K3 w - - 0 1", "b3c5", -320),  # a quiet move into a pawn
    ],
)
def test_known_exchanges(fen, move, value):
    board = chess.Board(fen)
    position = Position.from_board(board)
    number = position.parse_move(move)
    assert exchange_value(board, chess.Move.from_uci(move)) == value
    assert reached(position, number, value)
    assert not reached(position, number, value + 1)
