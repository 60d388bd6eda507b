"""Zobra from Python, in this process.

Search boards of python-chess, evaluate many of them at once, and generate moves in your own
kernels.

docs/python.md shows each. What is named here keeps its meaning from version to version; everything
else may change.
"""

from zobra.api.analysis import Analysis
from zobra.api.board import evaluate, perft, position
from zobra.api.engine import Engine, EngineError
from zobra.engine.attacks import find_checks
from zobra.engine.fen import parse_fen
from zobra.engine.generator import ALL, NOISY, QUIET, generate
from zobra.engine.kernels import INT, VOID, WORD, entry, kernel, record
from zobra.engine.layouts import CONSTANTS_TYPE, MOVE_LIST, POSITION
from zobra.engine.make import make
from zobra.engine.move import move_text
from zobra.engine.position import CONSTANTS_RECORD as CONSTANTS
from zobra.engine.position import Position

__all__ = [
    "ALL",
    "CONSTANTS",
    "CONSTANTS_TYPE",
    "INT",
    "MOVE_LIST",
    "NOISY",
    "POSITION",
    "QUIET",
    "VOID",
    "WORD",
    "Analysis",
    "Engine",
    "EngineError",
    "Position",
    "entry",
    "evaluate",
    "find_checks",
    "generate",
    "kernel",
    "make",
    "move_text",
    "parse_fen",
    "perft",
    "position",
    "record",
]
