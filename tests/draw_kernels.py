"""Doors from Python to the search's notion of a draw, for the tests alone."""

from __future__ import annotations

import numpy as np

from zobra.engine.kernels import BOOL, INT, WORD, entry
from zobra.engine.layouts import POSITION_TYPE, TABLES_TYPE
from zobra.engine.material import is_insufficient_material
from zobra.search.node import is_draw, make_move
from zobra.search.worker import WORKER_TYPE


@entry(BOOL, POSITION_TYPE)
def is_insufficient(position):
    """`is_insufficient_material` as it is."""
    return is_insufficient_material(position)


@entry(BOOL, WORKER_TYPE, TABLES_TYPE, INT, WORD)
def step_and_judge(worker, tables, ply, move):
    """Make a move from `ply`: is the position after it a draw to the search?"""
    make_move(worker, tables, ply, move)
    return is_draw(worker, tables, np.int64(ply + 1))
