"""`zobra bench`: the speed and the signature of the engine."""

import signal
from typing import Annotated

import typer

Depth = Annotated[
    int, typer.Argument(min=1, max=64, help="Plies. Only the default gives the signature.")
]


def bench(depth: Depth = 10) -> None:
    """Search fixed positions.

    The last line has the signature: the number of nodes.
    """
    from zobra.search.engine import Engine

    # Python would act on Ctrl-C only when the kernel returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Engine(on_message=typer.echo).bench(depth, typer.echo).wait()
