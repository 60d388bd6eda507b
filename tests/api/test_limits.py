"""The limits of python-chess as the engine's."""

import chess
import pytest
from chess.engine import Limit

from zobra.api.limits import limit_after

CLOCKS = Limit(white_clock=60, black_clock=50, white_inc=1, black_inc=2, remaining_moves=12)


@pytest.mark.parametrize(
    ("turn", "white", "black"), [(chess.WHITE, 57.5, 52), (chess.BLACK, 61, 48.5)]
)
def test_a_move_takes_its_time_off_the_clock_of_its_side(turn, white, black):
    after = limit_after(CLOCKS, turn, 3.5)
    assert (after.white_clock, after.black_clock, after.remaining_moves) == (white, black, 11)


def test_a_limit_without_a_clock_stays_as_it_is():
    assert limit_after(Limit(nodes=5), chess.BLACK, 3.5) == Limit(nodes=5)
