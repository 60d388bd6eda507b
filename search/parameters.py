"""Every number that steers the search, declared once: its name, default, bounds, and the step a tuner would try.

Suffixes: BASE and SLOPE make a straight line over depth, MARGIN is in centipawns, DEPTH in plies, DIVISOR divides.
The kernels read them from a record inside the worker, so they can change without a new compilation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Parameter(NamedTuple):
    """One tunable number."""

    name: str
    default: int
    low: int
    high: int
    step: int


PARAMETERS = (
    Parameter("use_table", 1, 0, 1, 1),  # 0 searches as if nothing were ever stored: what is the table worth?
    Parameter("aspiration_depth", 5, 1, 20, 1),
    Parameter("aspiration_margin", 20, 5, 100, 5),
    Parameter("reverse_futility_depth", 7, 0, 12, 1),
    Parameter("reverse_futility_margin", 80, 30, 200, 10),
    Parameter("null_move_depth", 3, 1, 8, 1),
    Parameter("null_move_base", 3, 1, 6, 1),
    Parameter("null_move_divisor", 4, 2, 8, 1),
    Parameter("null_move_margin", 200, 50, 500, 25),
    Parameter("null_move_margin_plies", 3, 0, 6, 1),
    Parameter("reduction_depth", 3, 1, 6, 1),
    Parameter("reduction_moves", 3, 1, 10, 1),
    Parameter("reduction_base", 60, 0, 200, 10),  # hundredths of a ply
    Parameter("reduction_divisor", 220, 100, 400, 20),  # hundredths
    Parameter("late_move_depth", 4, 0, 10, 1),
    Parameter("late_move_base", 4, 1, 20, 1),
    Parameter("quiescence_margin", 150, 50, 400, 25),
    Parameter("history_limit", 16_384, 1_024, 32_000, 1_024),
    Parameter("history_slope", 32, 4, 200, 4),
)

PARAMETER_RECORD = np.dtype([(parameter.name, "i8") for parameter in PARAMETERS], align=True)


def default_parameters() -> dict[str, int]:
    """{name: default} of every parameter."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}
