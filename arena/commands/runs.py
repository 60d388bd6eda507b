"""What commands that play games do alike: check, play, resume, and end a run."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import typer
from rich.console import Console

from zobra.arena.commands.match_display import MatchDisplay
from zobra.arena.commands.messages import INTERRUPTED, command_line, print_problems
from zobra.arena.commands.options import GameOptions
from zobra.arena.formats.files import check_writable
from zobra.arena.formats.text import counted, printable
from zobra.arena.model.adjudication import open_tablebase
from zobra.arena.model.journal import Journal, RunConditions
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Settings, digest, encounters
from zobra.arena.model.tune_plan import TUNE_PLAN
from zobra.arena.runner.match import Match, check_engines
from zobra.arena.runner.processors import machine

_FREE = (
    "folder",
    "concurrency",
    "pin",
    "log",
    "trust",
)  # options that do not decide which games are played


def resumed(
    console: Console, context: typer.Context, options: GameOptions, needed: str
) -> Settings:
    """The settings of the run in --folder, whose commands are shown; a terminal is asked before
    they start, unless --trust. Raises ValueError without a folder, saying what is `needed` instead,
    and for options that only a new run takes; OSError.
    """
    if options.folder is None:
        raise ValueError(f"name {needed}, or with --folder a run to resume")
    sources = {
        name: context.get_parameter_source(name) for name in context.params if name not in _FREE
    }
    named = [
        name
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]
    if given := [
        parameter.opts[0] for parameter in context.command.params if parameter.name in named
    ]:
        raise ValueError(
            f"{', '.join(given)}: the folder says that already; name the engines too to compare "
            "them with it"
        )
    settings = Journal.settings_in(options.folder)
    if not options.trust:
        for engine in settings.engines:
            place = f" in {engine.directory}" if engine.directory else ""
            console.print(
                f"{engine.name}: {printable(shlex.join(engine.command) + place)}", soft_wrap=True
            )
        if sys.stdin.isatty() and not typer.confirm("Start these commands?", default=True):
            raise ValueError("not resumed")
    return settings


def play(console: Console, folder: Path, settings: Settings, options: GameOptions) -> Match:
    """Plays or resumes the match in a folder. Raises ValueError, OSError or RuntimeError."""
    if (folder / TUNE_PLAN).exists():
        raise ValueError(
            f"{folder} holds a run of tuning: `zobra tune --folder {folder}` resumes it"
        )
    with console.status("drawing the openings"):
        source = settings.openings()
        schedule = settings.schedule(source)
    print_problems(console, source.problems)
    conditions = check_run(console, settings, [pairing.opening for pairing in schedule], options)
    with console.status("reading the games so far"):
        journal = Journal(folder, settings, conditions)
    with closing(journal):
        match = Match(journal, schedule)
        with MatchDisplay(console, "games") as display:
            match.play(options.playing, display)
    return match


def check_run(
    console: Console, settings: Settings, openings: Sequence[Opening], options: GameOptions
) -> RunConditions:
    """Checks book, tables, log and engines before a folder is made, and says how long the games
    will take. Returns the conditions for run.json. Raises ValueError, OSError or RuntimeError.
    """
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")
    open_tablebase(settings.rules.syzygy)
    if options.log is not None:
        check_writable(options.log)
    if settings.book and len(set(openings)) < settings.rounds:
        found = (
            f"{counted(len(set(openings)), 'opening')} for "
            f"{counted(settings.rounds, 'pair')} of games"
        )
        console.print(f"{settings.book}: {found}, so that openings repeat", soft_wrap=True)
    concurrency = options.playing.concurrency
    move_seconds, versions = check_engines(settings, openings)
    side = {
        name: control.side_seconds(move_seconds[name])
        for name, control in settings.controls.items()
    }
    met = encounters(list(side), settings.tournament)
    seconds = (
        2 * settings.rounds * sum(side[first] + side[second] for first, second in met) / concurrency
    )
    about = timedelta(seconds=max(1, round(seconds)))  # if games have the usual length
    console.print(
        f"the whole run takes about {about} (h:mm:ss), {counted(concurrency, 'game')} at a time",
        soft_wrap=True,
    )
    return RunConditions(versions, machine(), command_line(), concurrency=concurrency)


def end_run(console: Console, run: Match, folder: Path) -> None:
    """Ends the command of a run that was interrupted or failed, after saying what is kept and how
    to resume.
    """
    for (name, reason), number in sorted(run.results.faults.items()):
        console.print(f"{name} lost {counted(number, 'game')} by {reason}", soft_wrap=True)
    console.print(
        f"{run.results.games} of {counted(run.total, 'game')} in {folder}", soft_wrap=True
    )
    if run.error is not None:
        raise run.error
    if run.interrupted:
        console.print(f"interrupted; resume with `--folder {folder}`", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
