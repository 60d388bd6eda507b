"""What a `go` line asks, as limits for the search. Pure."""

from __future__ import annotations

from zobra.search.limits import ClockTimes, Limits
from zobra.uci.commands import Go

AT_LEAST_ONE = ("depth", "nodes", "movetime", "mate")
NO_CLOCK = ("winc", "binc", "movestogo")  # of no use without wtime or btime
SHORT_SEARCH = 50  # milliseconds, for a line whose limits could not be read or are of no use


def limits_of(command: Go, searchmoves: tuple[int, ...] | None = None) -> Limits:
    """The limits; numbers below the smallest sensible one count as that, and clocks are passed on as they are.

    A line that wanted a limit and named no number that is one asks for a short search: with none at all it would never end.
    """
    numbers = {name: max(1, command.numbers[name]) for name in AT_LEAST_ONE if name in command.numbers}
    clock = None if command.infinite else _clock(command.numbers)
    is_limited = bool(command.unreadable) or any(word in command.numbers for word in NO_CLOCK)
    if is_limited and not numbers and clock is None and not command.infinite:
        numbers["movetime"] = SHORT_SEARCH
    return Limits(
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        movetime=numbers.get("movetime"),
        mate=numbers.get("mate"),
        clock=clock,
        infinite=command.infinite,
        ponder=command.ponder and not command.infinite,
        searchmoves=searchmoves,
    )


def _clock(numbers: dict[str, int]) -> ClockTimes | None:
    """The clocks, None without any; a side whose clock was not sent has the other's."""
    if "wtime" not in numbers and "btime" not in numbers:
        return None
    to_go = numbers.get("movestogo", 0)
    return ClockTimes(
        white_time=numbers.get("wtime", numbers.get("btime")),
        black_time=numbers.get("btime", numbers.get("wtime")),
        white_increment=max(0, numbers.get("winc", 0)),
        black_increment=max(0, numbers.get("binc", 0)),
        moves_to_go=to_go if to_go > 0 else None,
    )
