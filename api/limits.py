"""Conversion of python-chess limits to the engine's."""

import dataclasses

import chess
from chess.engine import Limit

from zobra.search.limits import ClockTimes, Limits

LARGEST = 2**53  # limit: milliseconds, plies, nodes or moves


def read_limits(limit: Limit | None, searchmoves: tuple[int, ...] | None) -> Limits:
    """Return the engine's limits; None is an infinite search. Raise ValueError for a bad limit.

    If only one side's clock is given, it stands for both. Time that has run out counts as 1 ms.
    """
    if searchmoves == ():
        raise ValueError("root_moves is empty")
    if limit is None:
        return Limits(infinite=True, searchmoves=searchmoves)
    for number in (limit.depth, limit.nodes, limit.mate):
        if number is not None and not 1 <= number <= LARGEST:
            raise ValueError(f"a limit is a number from 1 to 2**53: {limit}")
    return Limits(
        depth=limit.depth,
        nodes=limit.nodes,
        movetime=_time_left(limit.time),
        mate=limit.mate,
        clock=_clock(limit),
        searchmoves=searchmoves,
    )


def check_limited(limit: Limit) -> None:
    """Raise ValueError if a search with this limit would never end."""
    given = (limit.time, limit.depth, limit.nodes, limit.mate, limit.white_clock, limit.black_clock)
    if all(number is None for number in given):
        raise ValueError(
            f"a search needs a limit: time, depth, nodes, mate or a clock, not {limit}"
        )


def limit_after(limit: Limit, turn: chess.Color, seconds: float) -> Limit:
    """Return the limit for the next move of `turn`, which spent `seconds` on its last one.

    Both clocks gain their increments, because both sides have moved.
    """
    white = limit.white_clock
    black = limit.black_clock
    to_go = limit.remaining_moves
    if white is not None:
        white += (limit.white_inc or 0) - (seconds if turn == chess.WHITE else 0)
    if black is not None:
        black += (limit.black_inc or 0) - (seconds if turn == chess.BLACK else 0)
    if to_go:
        to_go -= 1
    return dataclasses.replace(limit, white_clock=white, black_clock=black, remaining_moves=to_go)


def _clock(limit: Limit) -> ClockTimes | None:
    white = _time_left(limit.white_clock)
    black = _time_left(limit.black_clock)
    if white is None and black is None:
        return None
    return ClockTimes(
        white_time=black if white is None else white,
        black_time=white if black is None else black,
        white_increment=max(0, _milliseconds(limit.white_inc or 0)),
        black_increment=max(0, _milliseconds(limit.black_inc or 0)),
        moves_to_go=limit.remaining_moves if (limit.remaining_moves or 0) > 0 else None,
    )


def _time_left(seconds: float | None) -> int | None:
    return None if seconds is None else max(1, _milliseconds(seconds))


def _milliseconds(seconds: float) -> int:
    if not abs(1000 * seconds) <= LARGEST:  # infinite, or no number
        raise ValueError(
            f"a time must be a number of seconds, not {seconds}; for no limit, leave it out"
        )
    return round(1000 * seconds)
