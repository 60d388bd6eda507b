"""`zobra perft`: count the leaves of the tree of legal moves, and how fast. The engine is imported when the command runs."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def perft(
    depth: Annotated[int, typer.Argument(min=0, help="Plies.")],
    fen: Annotated[str | None, typer.Argument(help="Position (in quotes); the starting position if absent.")] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also the leaves below each first move.")] = False,
    chess960: Annotated[bool, typer.Option("--chess960", help="Write castling as king takes rook.")] = False,
) -> None:
    """Count the leaves of the tree of legal moves."""
    from zobra.engine import perft as counting
    from zobra.engine.fen import START, FenError, parse_fen
    from zobra.engine.move import move_text

    if depth > counting.MAX_DEPTH:
        raise typer.BadParameter(f"depth is at most {counting.MAX_DEPTH}, not {depth}")
    try:
        position = parse_fen(START if fen is None else fen)
    except FenError as error:
        raise typer.BadParameter(str(error)) from None
    console = Console(highlight=False)
    counting.perft.load()  # before the clock runs
    begin = time.perf_counter()
    if divide and depth:
        total = 0
        for move, leaves in counting.divide(position, depth):
            console.print(f"{move_text(move, chess960)}: {leaves}")
            total += leaves
    else:
        total = counting.count_leaves(position, depth)
    seconds = time.perf_counter() - begin
    table = Table("depth", "nodes", "seconds", "Mnps")
    table.add_row(str(depth), str(total), f"{seconds:.3f}", f"{total / seconds / 1e6:.1f}")
    console.print(table)
