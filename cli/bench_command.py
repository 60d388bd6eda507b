"""`zobra bench`: the speed and the signature of the engine."""

import signal
from typing import Annotated

import typer

from zobra.search.bench_conditions import FORM, LARGEST, Conditions, read_conditions


def bench(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar=FORM,
            help=f"FILE: FEN or EPD lines, or default. KIND of limit: {', '.join(LARGEST)}.",
        ),
    ] = None,
) -> None:
    """Search fixed positions.

    The last line has the number of nodes and the speed. With the default arguments, and only with
    them, the number of nodes is the signature of the engine. A first bench warms the engine up. The
    load of the machine is printed to standard error.

    Example: zobra bench 16 1 13 default depth
    """
    from zobra.arena.commands.messages import end_with_error
    from zobra.arena.runner.processors import load_text
    from zobra.search.bench import read_positions
    from zobra.search.engine import Engine

    try:
        conditions = read_conditions(words or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    try:
        read_positions(conditions.file)
    except ValueError as error:
        end_with_error("bench", error)

    # Python would act on Ctrl-C only when the kernel returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    engine = Engine(on_message=lambda text: typer.echo(text, err=True))
    engine.load().wait()
    if context.obj:
        engine.set_option("EvalFile", context.obj)
    typer.echo(load_text(), err=True)
    engine.bench(_warm_up(conditions), lambda line: None).wait()
    try:
        engine.bench(conditions, typer.echo).wait()
    except MemoryError:  # its message is printed
        raise typer.Exit(1) from None


def _warm_up(conditions: Conditions) -> Conditions:
    """Return the conditions of the warm-up: the default positions, no deeper than the bench."""
    usual = Conditions()
    if conditions.kind != "depth":
        return usual
    return usual._replace(limit=min(usual.limit, conditions.limit))
