"""What the arena's commands share: errors as messages, resuming, playing, and the end of an interrupted run."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from zobra.arena.adjudication import open_tablebase
from zobra.arena.display import MatchDisplay, counted, faults
from zobra.arena.files import check_writable, printable
from zobra.arena.interrupts import interruptible
from zobra.arena.journal import Journal
from zobra.arena.match import MatchRunner, MatchState, check_engines, expected_seconds, scheduled
from zobra.arena.openings import Opening
from zobra.arena.options import FREE, GameOptions
from zobra.arena.processors import machine
from zobra.arena.settings import Settings, digest
from zobra.arena.tune import PLAN

_LONGEST_MESSAGE = 1000
INTERRUPTED = 130  # the exit status after Ctrl-C, as shells have it


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turns errors that a user can correct into messages of the command line; after Ctrl-C the command ends with status 130."""
    try:
        with interruptible():
            yield
    except typer.Exit:
        raise
    except OSError as error:
        text = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        raise typer.BadParameter(printable(text, _LONGEST_MESSAGE)) from error
    except (ValueError, RuntimeError) as error:
        raise typer.BadParameter(printable(str(error), _LONGEST_MESSAGE)) from error
    except KeyboardInterrupt:
        typer.echo("interrupted; nothing new was kept")
        raise typer.Exit(INTERRUPTED) from None


def plain_console() -> Console:
    """A console that shows names and paths as they are; what the output's encoding lacks becomes a question mark."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, highlight=False, emoji=False)


def new_folder(kind: str) -> Path:
    """Where a run is kept if no folder is named."""
    return Path(f"{kind}-{datetime.now():%Y%m%d-%H%M%S}")


def resumed(console: Console, context: typer.Context, options: GameOptions, needed: str) -> Settings:
    """The settings of the run in --folder, whose commands are shown; a terminal is asked before they start, unless --trust.

    Raises ValueError without a folder, saying what is `needed` instead, and for options that only a new run takes; OSError.
    """
    if options.folder is None:
        raise ValueError(f"name {needed}, or with --folder a run to resume")
    sources = {name: context.get_parameter_source(name) for name in context.params if name not in FREE}
    named = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    given = [parameter.opts[0] for parameter in context.command.params if parameter.name in named]
    if given:
        raise ValueError(f"{', '.join(given)}: the folder says that already; name the engines too to compare them with it")
    settings = Journal.settings_in(options.folder)
    if not options.trust:
        for engine in settings.engines:
            place = f" in {engine.directory}" if engine.directory else ""
            console.print(f"{engine.name}: {printable(shlex.join(engine.command) + place)}", soft_wrap=True)
        if sys.stdin.isatty() and not typer.confirm("Start these commands?", default=True):
            raise ValueError("not resumed")
    return settings


def play(console: Console, folder: Path, settings: Settings, options: GameOptions) -> MatchState:
    """Plays or resumes the match in a folder. Raises ValueError, OSError or RuntimeError."""
    if (folder / PLAN).exists():
        raise ValueError(f"{folder} holds a run of tuning: `zobra tune --folder {folder}` resumes it")
    with console.status("drawing the openings"):
        schedule = scheduled(settings)
    conditions = check_run(console, settings, [pairing.opening for pairing in schedule], options)
    with console.status("reading the games so far"):
        journal = Journal.open(folder, settings, conditions)
    with closing(journal):
        runner = MatchRunner(journal, schedule, options.playing)
        with MatchDisplay(console, settings) as display:
            return runner.run(display)


def check_run(console: Console, settings: Settings, openings: Sequence[Opening], options: GameOptions) -> dict[str, Any]:
    """Checks book, tables, log and engines before a folder is made, and says how long the games will take.

    Returns the conditions for run.json: what the engines call themselves, machine and command line.

    Raises ValueError, OSError or RuntimeError.
    """
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")
    open_tablebase(settings.rules.syzygy)
    if options.log is not None:
        check_writable(options.log)
    if settings.book and len(set(openings)) < settings.rounds:
        found = f"{counted(len(set(openings)), 'opening')} for {counted(settings.rounds, 'pair')} of games"
        console.print(f"{settings.book}: {found}, so that openings repeat", soft_wrap=True)
    concurrency = options.playing.concurrency
    move_seconds, versions = check_engines(settings, openings)
    seconds = expected_seconds(settings, move_seconds, concurrency)
    about = timedelta(seconds=max(1, round(seconds)))
    console.print(f"the whole run takes about {about} (h:mm:ss), {counted(concurrency, 'game')} at a time", soft_wrap=True)
    return {"versions": versions, "machine": machine(), "command_line": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])}


def end_run(console: Console, state: MatchState, folder: Path) -> None:
    """Ends the command of a run that was interrupted or failed, after saying what is kept and how to resume."""
    for line in [*faults(state.results), f"{state.results.games} of {counted(state.total, 'game')} in {folder}"]:
        console.print(line, soft_wrap=True)
    if state.error is not None:
        raise state.error
    if state.interrupted:
        console.print(f"interrupted; resume with `--folder {folder}`", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
