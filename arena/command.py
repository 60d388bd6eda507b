"""What the commands that play games share: mistakes told in words, their common settings, playing, and going on later."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from zobra.arena.adjudication import Rules
from zobra.arena.display import MatchDisplay
from zobra.arena.journal import Journal
from zobra.arena.match import Match, Outcome, check_engines, scheduled
from zobra.arena.player import EngineFailure
from zobra.arena.settings import Settings, digest


@contextmanager
def mistakes_named() -> Iterator[None]:
    """What a user can put right becomes a message of the command line."""
    try:
        yield
    except OSError as error:
        raise typer.BadParameter(f"{error.filename}: {error.strerror}") from error
    except EngineFailure as failure:
        raise typer.BadParameter(failure.detail or failure.reason) from failure
    except (ValueError, RuntimeError) as error:
        raise typer.BadParameter(str(error)) from error


def pairs_of(games: int) -> int:
    """Pairs in so many games. Raises ValueError for an odd number."""
    if games % 2:
        raise ValueError(f"--games {games}: must be even, as every opening is played with both colours")
    return games // 2


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


def book_settings(book: Path | None, plies: int | None, walk: int | None = None) -> dict[str, Any]:
    """The settings that name a book, or else openings of so many random plies (`walk` by default). Raises OSError."""
    plies = walk if book is None and plies is None else plies
    return {"book": absolute(book), "book_digest": digest(book) if book else None, "plies": plies}


def check_book(settings: Settings) -> None:
    """Raises ValueError when the book is no longer the one that the settings name, OSError when it is gone."""
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")


def rules_of(draw: str | None, resign: str | None, **more: Any) -> Rules:
    """The rules that --draw and --resign state. Raises ValueError."""
    return Rules(numbers(draw, 3, "--draw"), numbers(resign, 2, "--resign"), **more)


def absolute(path: Path | None) -> str | None:
    """The path as a run keeps it, whatever folder goes on with it."""
    return None if path is None else str(path.resolve())


def new_folder(kind: str) -> Path:
    """Where a run is kept if nothing else is said."""
    return Path(f"{kind}-{datetime.now():%Y%m%d-%H%M%S}")


def play(
    console: Console, folder: Path, settings: Settings | None, concurrency: int, pin: bool = True
) -> tuple[Outcome, Settings]:
    """Plays or goes on with the match in a folder. Raises ValueError, OSError, EngineFailure or RuntimeError."""
    known = settings or Journal.settings_in(folder)
    check_book(known)
    # what cannot be played leaves no folder behind
    schedule = scheduled(known)
    check_engines(known, schedule)
    journal = Journal.open(folder, settings)
    try:
        settings = journal.settings
        running = Match(journal, schedule, concurrency, pin=pin)
        with MatchDisplay(console, settings) as display:
            return running.run(display), settings
    finally:
        journal.close()


def leave_if_interrupted(console: Console, interrupted: bool, folder: Path) -> None:
    """Says how to go on, and ends the command with the status of an interruption."""
    if interrupted:
        console.print(f"interrupted; the same command with `--folder {folder}` goes on")
        raise typer.Exit(130)
