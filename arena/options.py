"""Options that several commands share, each declared once."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.openings import MOST_RANDOM_PLIES

TimeControlText = Annotated[str, typer.Option("--tc", help='"10+0.1", "40/60", "movetime=100" (ms), "nodes=5000", "depth=8".')]
Book = Annotated[Path | None, typer.Option("--openings", help="EPD, PGN or Polyglot (.bin) book.")]
Plies = Annotated[
    int | None,
    typer.Option(min=0, help=f"Plies from a PGN or Polyglot book, or at random (at most {MOST_RANDOM_PLIES}) without one."),
]
Seed = Annotated[int | None, typer.Option(help="For the order of the openings and all else that is drawn.")]
Concurrency = Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Games at a time.")]
EngineOptions = Annotated[list[str] | None, typer.Option("--option", "-o", help="[ENGINE:]NAME=VALUE.")]
Draw = Annotated[str | None, typer.Option(metavar="FROM,MOVES,CP", help="Draw from move FROM after MOVES within CP.")]
Resign = Annotated[str | None, typer.Option(metavar="MOVES,CP", help="Resign after MOVES at -CP or worse.")]
Folder = Annotated[Path | None, typer.Option(help="Where it is all kept; the same folder again goes on with it.")]
OneEngine = Annotated[
    str | None, typer.Argument(metavar="ENGINE", help="[NAME=]COMMAND or a TOML file; none with --folder to go on.")
]
