"""`zobra perft`: count the leaves of the tree of legal moves, and measure the speed."""

import signal
import time
from typing import Annotated

import typer


def perft(
    depth: Annotated[int, typer.Argument(min=0, help="Plies.")],
    fen: Annotated[
        list[str] | None, typer.Argument(help="FEN, in quotes or not. Default: the start position.")
    ] = None,
    divide: Annotated[
        bool,
        typer.Option("--divide", help="Also print the number of leaves below each first move."),
    ] = False,
    chess960: Annotated[
        bool, typer.Option("--chess960", help="Write castling as king takes rook.")
    ] = False,
) -> None:
    """Count the leaves of the tree of legal moves."""
    from zobra.engine import perft as counting
    from zobra.engine.fen import START, parse_fen
    from zobra.engine.move import move_text

    if depth > counting.MAX_DEPTH:
        raise typer.BadParameter(f"depth must be at most {counting.MAX_DEPTH}, not {depth}")
    try:
        position = parse_fen(" ".join(fen) if fen and fen != ["startpos"] else START)
    except ValueError as error:
        from zobra.arena.commands.messages import end_with_error

        end_with_error("perft", error)
    # Python would act on Ctrl-C only when the kernel returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    counting.perft.load()  # before the clock runs
    begin = time.perf_counter()
    total = 0
    if divide and depth:
        for move, leaves in counting.divide(position, depth):
            typer.echo(f"{move_text(move, chess960)}: {leaves}")
            total += leaves
    else:
        total = counting.count_leaves(position, depth)
    seconds = time.perf_counter() - begin
    typer.echo(
        f"\ndepth {depth}, {seconds:.3f} seconds, {total / seconds / 1e6:.1f} million leaves "
        "per second"
    )
    typer.echo(f"Nodes searched: {total}")
