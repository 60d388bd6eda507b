"""The command `zobra match`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from zobra.arena import statistics
from zobra.arena.command import (
    absolute,
    check_nothing_decided,
    leave_if_interrupted,
    mistakes_named,
    new_folder,
    plain_console,
    play,
    print_faults,
    rules_of,
    settings_of,
)
from zobra.arena.display import figures, standings
from zobra.arena.engines import read_engines, with_distinct_names, with_options
from zobra.arena.journal import Journal
from zobra.arena.match import Outcome
from zobra.arena.openings import RANDOM
from zobra.arena.options import Book, Concurrency, Draw, EngineOptions, Folder, Plies, Resign, Seed, TimeControlText
from zobra.arena.schedule import ROUND_ROBIN
from zobra.arena.settings import Settings

_GAMES, _SPRT_GAMES = 100, 40_000  # for each two engines, if nothing is said; an SPRT ends when it knows


def match(
    context: typer.Context,
    engines: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENGINE ENGINE [...]", help="[NAME=]COMMAND or a TOML file; none with --folder to go on."),
    ] = None,
    tc: TimeControlText = "10+0.1",
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=2, help="Games for each two engines that meet (even).")
    ] = None,
    book: Book = None,
    order: Annotated[str, typer.Option(help="Order of the openings: sequential or random.")] = RANDOM,
    plies: Plies = None,
    seed: Seed = None,
    concurrency: Concurrency = 1,
    option: EngineOptions = None,
    tournament: Annotated[str, typer.Option(help="round-robin, or gauntlet (the first against the others).")] = ROUND_ROBIN,
    sprt: Annotated[str | None, typer.Option(help="Stop by SPRT: ELO0,ELO1[,ALPHA[,BETA]].")] = None,
    model: Annotated[str, typer.Option(help="Elo model of the SPRT: normalized or logistic.")] = statistics.NORMALIZED,
    draw: Draw = None,
    resign: Resign = None,
    twosided: Annotated[bool, typer.Option(help="Resign only when the winner agrees.")] = False,
    move_limit: Annotated[int | None, typer.Option(min=1, help="Draw after so many moves.")] = None,
    syzygy: Annotated[Path | None, typer.Option(help="Folder of Syzygy tables that end games.")] = None,
    chess960: Annotated[bool, typer.Option("--chess960", help="Chess960 (also with FENs of double Chess960).")] = False,
    margin: Annotated[int, typer.Option(min=0, help="Milliseconds a move may be late.")] = 0,
    stall: Annotated[float, typer.Option(min=1, help="Seconds without an answer, or a move if no clock runs.")] = 60,
    folder: Folder = None,
    pin: Annotated[bool, typer.Option(help="Give each game its own processors, where possible.")] = True,
) -> None:
    """Plays engines against each other, with SPRT if asked; interrupted matches go on."""
    console = plain_console()
    with mistakes_named():
        if engines:
            specs = with_options(with_distinct_names([spec for text in engines for spec in read_engines(text)]), option or [])
            if len(specs) < 2:
                raise ValueError("a match needs two engines")
            settings = settings_of(
                specs, tc, games or (_SPRT_GAMES if sprt else _GAMES), folder, seed=seed, book=book, plies=plies, order=order,
                rules=rules_of(draw, resign, resign_twosided=twosided, move_limit=move_limit, syzygy=absolute(syzygy)),
                tournament=tournament, chess960=chess960, margin_ms=margin, stall_seconds=stall, sprt=_sprt(sprt, model),
            )  # fmt: skip
        elif folder is not None:
            check_nothing_decided(context, "concurrency", "pin")
            settings = Journal.settings_in(folder)
        else:
            raise ValueError("name two engines, or with --folder a match to go on with")
        folder = folder or new_folder("match")
        outcome = play(console, folder, settings, concurrency, pin)
    show(console, outcome, settings, folder)
    leave_if_interrupted(console, outcome.interrupted, folder)


def show(console: Console, outcome: Outcome, settings: Settings, folder: Path) -> None:
    """The result of a match."""
    for line in figures(outcome.results, settings, outcome.llr):
        console.print(line, soft_wrap=True)
    print_faults(console, outcome.results)
    if len(settings.engines) > 2:
        console.print(standings(outcome.results))
    if outcome.verdict:
        console.print(f"SPRT: {outcome.verdict} accepted")
    console.print(f"{outcome.results.games} of {outcome.total} games in {folder}", soft_wrap=True)


def _sprt(text: str | None, model: str) -> statistics.Sprt | None:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
        if not 2 <= len(numbers) <= 4:
            raise ValueError
    except ValueError:
        raise ValueError(f"--sprt {text}: not ELO0,ELO1[,ALPHA[,BETA]]") from None
    named = dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False))
    return statistics.Sprt(**named, model=model)  # type: ignore[arg-type]
