"""`zobra perft`: count the leaves of the tree of legal moves, and how fast."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console

from zobra.engine.fen import START, FenError, parse_fen
from zobra.engine.move import move_text
from zobra.engine.perft import MAX_DEPTH, count_leaves
from zobra.engine.perft import divide as divide_leaves


def perft(
    depth: Annotated[int, typer.Argument(min=1, max=MAX_DEPTH, help="Plies.")],
    fen: Annotated[str, typer.Argument(help="Position; the starting position if absent.")] = START,
    divide: Annotated[bool, typer.Option("--divide", help="Leaves below each first move.")] = False,
    chess960: Annotated[bool, typer.Option("--chess960", help="Write castling as king takes rook.")] = False,
) -> None:
    """Count the leaves of the tree of legal moves."""
    console = Console(highlight=False)
    try:
        position = parse_fen(fen)
    except FenError as error:
        raise typer.BadParameter(str(error)) from None
    begin = time.perf_counter()
    if divide:
        total = 0
        for move, leaves in divide_leaves(position, depth):
            console.print(f"{move_text(move, chess960)}: {leaves}")
            total += leaves
    else:
        total = count_leaves(position, depth)
    seconds = time.perf_counter() - begin
    console.print(f"{total} leaves, {seconds:.3f} s, {total / seconds / 1e6:.1f} million a second")
