"""The limits of a search, and its reports and result: plain values between `uci` and the search."""

from typing import NamedTuple


class ClockTimes(NamedTuple):
    """The clocks of a game in milliseconds; `moves_to_go` is None for sudden death."""

    white_time: int | None = None
    black_time: int | None = None
    white_increment: int = 0
    black_increment: int = 0
    moves_to_go: int | None = None

    def of(self, white: bool) -> tuple[int | None, int]:
        """Return the time (None: unknown) and the increment of a side."""
        if white:
            return self.white_time, self.white_increment
        return self.black_time, self.black_increment


class Limits(NamedTuple):
    """When a search ends: at the first limit that is reached, or when it is stopped.

    An infinite search ends only when it is stopped. `depth` is in plies, `nodes` in positions,
    `movetime` in milliseconds, `mate` in moves. `searchmoves` are the legal root moves to search
    (None: all). With `ponder` the search has no deadline before the `ponderhit`.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    mate: int | None = None
    clock: ClockTimes | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] | None = None


class Report(NamedTuple):
    """A line that a search found at some depth.

    `score` is for the side to move (see engine/scores.py), and EXACT or a bound, as `bound` says
    (tt/entry.py). `hashfull` is in permille; `multipv` is the line's rank, from 1.
    """

    depth: int
    selective_depth: int
    score: int
    bound: int
    nodes: int
    milliseconds: int
    hashfull: int
    pv: tuple[int, ...]
    multipv: int = 1
    tablebase_hits: int = 0


class Statistics(NamedTuple):
    """What all threads of a search did.

    `tt_hits` are successful probes of the transposition table (a node may probe it more than once),
    and `tt_cutoffs` the nodes that it cut off. `cutoffs` are the beta cutoffs of the main search,
    `first_move_cutoffs` those on the first move. `late_moves` may be reduced, and `researches` of
    them failed high and were searched again. `failed_windows` are aspiration windows.
    """

    threads: int
    nodes: int
    tt_hits: int
    tt_cutoffs: int
    cutoffs: int
    first_move_cutoffs: int
    late_moves: int
    researches: int
    failed_windows: int


class Progress(NamedTuple):
    """The progress of a search: its depth, the current root move, and the move's number from 1."""

    depth: int
    move: int
    number: int


class Result(NamedTuple):
    """The move to play and the expected reply; 0 for none (the root has no legal move)."""

    best: int
    ponder: int
