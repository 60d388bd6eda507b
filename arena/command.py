"""What the commands that play games share: mistakes told in words, their common settings, playing, and going on later."""

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from zobra.arena.adjudication import Rules, open_tablebase
from zobra.arena.display import MatchDisplay, faults
from zobra.arena.engines import EngineSpec
from zobra.arena.journal import Journal
from zobra.arena.match import Match, Outcome, check_engines, scheduled
from zobra.arena.openings import RANDOM, USUAL_PLIES
from zobra.arena.results import Results
from zobra.arena.settings import Settings, digest
from zobra.arena.tune import PLAN


@contextmanager
def mistakes_named() -> Iterator[None]:
    """What a user can put right becomes a message of the command line."""
    try:
        yield
    except OSError as error:
        raise typer.BadParameter(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
    except (ValueError, RuntimeError) as error:
        raise typer.BadParameter(str(error)) from error


def seed_of(seed: int | None, folder: Path | None) -> int:
    """The given seed, else the one of the match that lies in the folder, else a new one."""
    if seed is None and folder is not None and (folder / "run.json").exists():
        return Journal.settings_in(folder).seed
    return random.SystemRandom().randrange(1_000_000) if seed is None else seed


def numbers(text: str | None, count: int, option: str) -> tuple | None:
    """The whole numbers of an option's text. Raises ValueError unless there are so many."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != count or not all(part.strip().isdigit() for part in parts):
        raise ValueError(f"{option} {text}: not {count} whole numbers with commas")
    return tuple(map(int, parts))


def settings_of(
    engines: Sequence[EngineSpec],
    time_control: str,
    games: int,
    folder: Path | None,
    *,
    seed: int | None = None,
    book: Path | None = None,
    plies: int | None = None,
    walk: int = USUAL_PLIES,
    order: str = RANDOM,
    **more: Any,
) -> Settings:
    """The settings of a run as options state them. Raises ValueError or OSError.

    Games without a book begin with `plies` random moves, or with `walk` of them if that is not given.
    """
    if games % 2:
        raise ValueError(f"--games {games}: must be even, as every opening is played with both colours")
    opening: dict[str, Any] = {"book": absolute(book), "book_digest": digest(book) if book else None, "order": order}
    plies = walk if book is None and plies is None else plies
    engines = [engine.anchored() for engine in engines]
    return Settings(tuple(engines), time_control, games // 2, seed=seed_of(seed, folder), plies=plies, **opening, **more)


def check_nothing_decided(context: typer.Context, *free: str) -> None:
    """Raises ValueError for options given to a run that is gone on with by its folder alone, unless they are `free`."""
    sources = {name: context.get_parameter_source(name) for name in context.params if name not in ("folder", *free)}
    said = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    given = [parameter.opts[0] for parameter in context.command.params if parameter.name in said]
    if given:
        raise ValueError(f"{', '.join(given)}: the folder says that already; name the engines too to see whether it agrees")


def check_book(settings: Settings) -> None:
    """Raises ValueError when the book is no longer the one that the settings name, OSError when it is gone."""
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")


def plain_console() -> Console:
    """A console that shows names and paths as they are; what the output's encoding lacks becomes a question mark."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, highlight=False, emoji=False)


def rules_of(draw: str | None, resign: str | None, **more: Any) -> Rules:
    """The rules that --draw and --resign state. Raises ValueError."""
    return Rules(numbers(draw, 3, "--draw"), numbers(resign, 2, "--resign"), **more)


def absolute(path: Path | None) -> str | None:
    """The path as a run keeps it, whatever folder goes on with it."""
    return None if path is None else str(path.resolve())


def new_folder(kind: str) -> Path:
    """Where a run is kept if nothing else is said."""
    return Path(f"{kind}-{datetime.now():%Y%m%d-%H%M%S}")


def play(console: Console, folder: Path, settings: Settings, concurrency: int, pin: bool = True) -> Outcome:
    """Plays or goes on with the match in a folder. Raises ValueError, OSError or RuntimeError."""
    if (folder / PLAN).exists():
        raise ValueError(f"{folder} holds a run of tuning: `zobra tune --folder {folder}` goes on with it")
    check_book(settings)
    open_tablebase(settings.rules.syzygy)  # is there one?
    # what cannot be played leaves no folder behind
    with console.status("drawing the openings"):
        schedule = scheduled(settings)
    check_engines(settings, [pairing.opening for pairing in schedule])
    with console.status("reading the games so far"):
        journal = Journal.open(folder, settings)
    with closing(journal):
        running = Match(journal, schedule, concurrency, pin=pin)
        with MatchDisplay(console, settings) as display:
            return running.run(display)


def print_faults(console: Console, results: Results) -> None:
    """What engines lost by other means than chess."""
    for line in faults(results):
        console.print(line, soft_wrap=True)


def leave_if_interrupted(console: Console, interrupted: bool, folder: Path) -> None:
    """Says how to go on, and ends the command with the status of an interruption."""
    if interrupted:
        console.print(f"interrupted; the same command with `--folder {folder}` goes on", soft_wrap=True)
        raise typer.Exit(130)
