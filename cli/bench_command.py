"""`zobra bench`: the speed and the signature of the engine.

Besides a depth it takes what scripts of testers send to engines, in the order that Stockfish made
usual: megabytes, threads, limit, file of positions or `default`, and kind of limit.
"""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from zobra.search.options import MAX_THREADS

if TYPE_CHECKING:
    from zobra.search.limits import Limits

SIGNATURE_DEPTH = 10
MEGABYTES = 16
KINDS = ("depth", "nodes", "movetime")
MOST_PLIES = 64
FORM = "DEPTH | MB THREADS [LIMIT [FILE [KIND]]]"


class Conditions(NamedTuple):
    """What a bench searches, and how. Only the defaults give the signature."""

    megabytes: int = MEGABYTES
    threads: int = 1
    limit: int = SIGNATURE_DEPTH
    file: str = "default"
    kind: str = "depth"


def bench(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar=FORM,
            help=f"FILE: FEN or EPD lines, or default. KIND of limit: {', '.join(KINDS)} (ms).",
        ),
    ] = None,
) -> None:
    """Search fixed positions.

    The last line has the speed, and the signature of the engine: the number of nodes, which only
    the defaults give. The engine is warmed up before. The load of the machine is printed to
    standard error.

    Example: zobra bench 16 1 13 default depth
    """
    conditions = read_conditions(words or [])
    from zobra.arena.runner.processors import load_text
    from zobra.search.bench import POSITIONS
    from zobra.search.engine import Engine

    positions = list(POSITIONS)
    if conditions.file != "default":
        positions = _read_positions(conditions.file)
    # Python would act on Ctrl-C only when the kernel returns
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    engine = Engine(on_message=lambda text: typer.echo(text, err=True))
    engine.load().wait()
    typer.echo(load_text(), err=True)
    warm_up = SIGNATURE_DEPTH
    if conditions.kind == "depth":
        warm_up = min(SIGNATURE_DEPTH, conditions.limit)
    engine.bench(warm_up, lambda line: None).wait()
    for line in run(conditions, positions, context.obj or ""):
        typer.echo(line)


def read_conditions(words: list[str]) -> Conditions:
    """Return the conditions that the words of a command line state. Raise typer.BadParameter."""
    if not words:
        return Conditions()
    if len(words) == 1:
        return Conditions(limit=_number(words[0], "depth", MOST_PLIES))
    if len(words) > len(Conditions._fields):
        raise typer.BadParameter(f"bench takes {FORM}")
    given = dict(zip(Conditions._fields, words, strict=False))
    kind = given.get("kind", "depth").lower()
    if kind not in KINDS:
        raise typer.BadParameter(f"the kind of limit is {', '.join(KINDS)}, not {kind!r}")
    largest = MOST_PLIES if kind == "depth" else 1 << 40
    return Conditions(
        megabytes=_number(given["megabytes"], "megabytes", 1 << 20),
        threads=_number(given["threads"], "threads", MAX_THREADS),
        limit=_number(given.get("limit", str(SIGNATURE_DEPTH)), kind, largest),
        file=given.get("file", "default"),
        kind=kind,
    )


def _number(text: str, name: str, largest: int) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= largest:
        raise typer.BadParameter(f"{name} is a number from 1 to {largest}, not {text!r}")
    return int(text)


def _read_positions(name: str) -> list[str]:
    """Return the FENs of a file of FEN or EPD lines. Raise typer.BadParameter."""
    from zobra.arena.formats.epd import read_epd, record_lines
    from zobra.arena.formats.files import read_text

    positions = []
    try:
        for number, line in record_lines(read_text(Path(name))):
            try:
                positions.append(read_epd(line).board.fen())
            except ValueError as error:
                raise ValueError(f"{name}:{number}: {error}") from None
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    if not positions:
        raise typer.BadParameter(f"{name}: there is no position in it")
    return positions


def run(conditions: Conditions, positions: list[str], network: str) -> Iterator[str]:
    """Search every position, by a network file or the built-in network.

    Yield the lines of `zobra.search.bench.search_positions`.
    """
    from zobra.engine.network_file import read_network
    from zobra.search.bench import search_positions
    from zobra.search.searcher import Searcher

    searcher = Searcher(conditions.megabytes)
    searcher.threads = conditions.threads
    if network:
        searcher.use_network(read_network(Path(network)))
    return search_positions(searcher, positions, _limits(conditions))


def _limits(conditions: Conditions) -> "Limits":
    from zobra.search.limits import Limits

    if conditions.kind == "nodes":
        return Limits(nodes=conditions.limit)
    if conditions.kind == "movetime":
        return Limits(movetime=conditions.limit)
    return Limits(depth=conditions.limit)
