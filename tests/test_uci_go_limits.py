"""`go` lines as limits."""

import pytest

from zobra.search.limits import ClockTimes, Limits
from zobra.uci.commands import Go, parse
from zobra.uci.go_limits import SHORT_SEARCH, limits_of


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("go", Limits()),
        ("go infinite", Limits(infinite=True)),
        ("go infinite wtime 100", Limits(infinite=True)),
        ("go ponder wtime 100 btime 100", Limits(clock=ClockTimes(100, 100), ponder=True)),
        ("go ponder", Limits(ponder=True)),
        ("go ponder movetime x", Limits(ponder=True, movetime=SHORT_SEARCH)),
        ("go ponder infinite wtime 9", Limits(infinite=True)),
        ("go depth 7 nodes 8 movetime 9 mate 2", Limits(depth=7, nodes=8, movetime=9, mate=2)),
        ("go depth 0", Limits(depth=1)),
        ("go nodes -3", Limits(nodes=1)),
        ("go movetime 0", Limits(movetime=1)),
        ("go wtime -50 btime 20 winc 3 binc -1", Limits(clock=ClockTimes(-50, 20, 3, 0))),
        ("go wtime 70", Limits(clock=ClockTimes(70, 70))),
        ("go btime 70 movestogo 5", Limits(clock=ClockTimes(70, 70, moves_to_go=5))),
        ("go wtime 9 btime 8 movestogo 0", Limits(clock=ClockTimes(9, 8))),
        ("go movetime", Limits(movetime=SHORT_SEARCH)),
        ("go wtime winc x", Limits(movetime=SHORT_SEARCH)),
        ("go wtime btime 500", Limits(clock=ClockTimes(500, 500))),
        ("go winc 10 binc 10", Limits(movetime=SHORT_SEARCH)),
        ("go movestogo 5", Limits(movetime=SHORT_SEARCH)),
        ("go movestogo 5 nodes 9", Limits(nodes=9)),
        ("go winc 10 ponder", Limits(ponder=True, movetime=SHORT_SEARCH)),
        ("go depth infinite", Limits(infinite=True)),
    ],
)
def test_limits(line, limits):
    command = parse(line)
    assert isinstance(command, Go)
    assert limits_of(command) == limits


def test_searchmoves_are_handed_on():
    assert limits_of(Go()).searchmoves is None
    assert limits_of(Go(), (12, 34)).searchmoves == (12, 34)
