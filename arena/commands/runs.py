"""What all commands that play games share: checking, playing, resuming and ending a run."""

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from zobra.arena.commands.match_display import MatchDisplay
from zobra.arena.commands.messages import CRASHED, INTERRUPTED, command_line, print_problems
from zobra.arena.commands.options import GameOptions
from zobra.arena.formats.files import check_writable
from zobra.arena.formats.text import counted, listed, printable
from zobra.arena.model.adjudication import open_tablebase
from zobra.arena.model.journal import Journal, RunConditions
from zobra.arena.model.openings import Opening
from zobra.arena.model.settings import Settings, digest, encounters
from zobra.arena.model.tune_plan import TUNE_PLAN
from zobra.arena.runner.match import Match, check_engines
from zobra.arena.runner.processors import count, idle, load_text, machine

_AND = " and "  # between the versions of an engine in a run that --force has resumed
# Options of a run that is resumed: more games, and what does not decide how they are played
_FREE = ("games", "folder", "concurrency", "pin", "log", "trust", "force", "interval", "json_file")


def fixed_options(context: typer.Context) -> list[str]:
    """Return the options on the command line that decide how games are played."""
    found = []
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        is_given = source is not None and source.name == "COMMANDLINE"
        if is_given and parameter.name not in _FREE:
            found.append(parameter.opts[0])
    return found


def resumed(context: typer.Context, options: GameOptions, needed: str) -> Settings:
    """Return the settings of the run in --folder, with more games if --games asks for them.

    Raise typer.BadParameter if no folder is given, with a message that says what is `needed`
    instead, or if options are given that only a new run takes. Raise ValueError if the folder has
    no run, and OSError if it cannot be read.
    """
    if options.folder is None:
        raise typer.BadParameter(f"give {needed}, or a run to resume with --folder")
    fixed = fixed_options(context)
    if not (options.folder / "run.json").exists():
        raise ValueError(
            f"{options.folder}: there is no run to resume; to start one, give {needed}"
        )
    settings = Journal.settings_in(options.folder)
    if fixed:
        raise typer.BadParameter(
            f"{', '.join(fixed)}: a resumed run has these settings in its folder; leave them "
            "out, or also give the engines to have all settings compared"
        )
    games = context.get_parameter_source("games")
    if games is not None and games.name == "COMMANDLINE":
        settings = replace(settings, rounds=options.rounds)
    return settings


def confirm(console: Console, settings: Settings) -> None:
    """Show the commands that a folder names, and on a terminal ask before they are started.

    All of each command is shown, with its folder and options. If the answer is no, the command
    ends.
    """
    for engine in settings.engines:
        parts = [shlex.join(engine.command)]
        if engine.directory:
            parts.append(f"in {engine.directory}")
        parts += [f"with {name}={value}" for name, value in engine.options.items()]
        text = ", ".join(parts)
        described = printable(text, longest=10 * len(text))  # nothing is left out
        console.print(f"{engine.name}: {described}", soft_wrap=True)
    if not sys.stdin.isatty():
        return
    try:
        is_agreed = typer.confirm("Start these commands?", default=True)
    except typer.Abort:  # Ctrl-C
        console.print("\ninterrupted; nothing was started")
        raise typer.Exit(INTERRUPTED) from None
    if not is_agreed:
        console.print("not resumed")
        raise typer.Exit(1)


def play(
    console: Console, folder: Path, settings: Settings, options: GameOptions, ask: bool = False
) -> Match:
    """Play, resume or extend the match in a folder.

    If `ask`, show the commands of a resumed match and ask before they are started. Raise
    ValueError, OSError or RuntimeError.
    """
    if (folder / TUNE_PLAN).exists():
        raise ValueError(f"{folder} holds a tuning run: `zobra tune --folder {folder}` resumes it")
    if (folder / "run.json").exists():
        settings = settings.extending(Journal.settings_in(folder))
    check_book(settings)
    with console.status("drawing the openings"):
        source = settings.openings()
        schedule = settings.schedule(source)
    print_problems(console, source.problems)
    return carry_out(
        console,
        folder,
        settings,
        options,
        openings=[pairing.opening for pairing in schedule],
        begin=lambda journal: Match(journal, schedule),
        display=partial(MatchDisplay, interval=options.interval),
        ask=ask,
    )


def carry_out(
    console: Console,
    folder: Path,
    settings: Settings,
    options: GameOptions,
    *,
    openings: Sequence[Opening],
    begin: Callable[[Journal], Any],
    display: Callable[[Console, str], Any],
    ask: bool,
    before: Callable[[], None] = lambda: None,
) -> Any:
    """Play the remaining games of the run in a folder, and return the run.

    A new run is checked, and `before` is called, before anything is written. A finished run starts
    no engine. Raise ValueError, OSError or RuntimeError.
    """
    is_new = not (folder / "run.json").exists()
    if is_new:
        conditions = check_run(console, settings, openings, options)
        before()
        journal = Journal(folder, settings, conditions)
    else:
        before()
        with console.status("reading the games so far"):
            journal = Journal(folder, settings)
    with closing(journal):
        run = begin(journal)
        if not is_new:
            run.after_pair()
            if run.is_over:
                how = "all games are played" if run.verdict is None else f"{run.verdict} accepted"
                console.print(f"{folder} is finished: {how}", soft_wrap=True)
                return run
            if ask and not options.trust:
                confirm(console, settings)
            found = check_run(console, settings, openings, options)
            versions = _versions(journal, found.versions, options.force)
            journal.set_conditions(replace(journal.conditions, versions=versions))
        with display(console, "games") as shown:
            run.play(options.pool_options, shown)
    return run


def _versions(journal: Journal, found: dict[str, str], force: bool) -> dict[str, str]:
    """Return the versions of a run whose engines announce these names now.

    Raise ValueError if they are others than those that the run began with, unless `force`.
    """
    known = journal.conditions.versions
    changed = {}
    for name, own in found.items():
        before = known.get(name, own)
        if own != before and own not in before.split(_AND):
            changed[name] = own
    if changed and not force:
        texts = [f'{name} was "{known[name]}" and is "{own}" now' for name, own in changed.items()]
        raise ValueError(
            f"{journal.folder} has games of another version: {'; '.join(texts)}. Begin a new run "
            "in another --folder, or count the games of both versions as one with --force"
        )
    both = {name: f"{known[name]}{_AND}{own}" for name, own in changed.items()}
    return known | both


def check_book(settings: Settings) -> None:
    """Raise ValueError if the book has changed since the match began, or OSError."""
    if settings.book and digest(Path(settings.book)) != settings.book_digest:
        raise ValueError(f"{settings.book} has changed since the match began")


def check_run(
    console: Console, settings: Settings, openings: Sequence[Opening], options: GameOptions
) -> RunConditions:
    """Check tablebases, log and engines, and print warnings and the expected duration.

    Return the conditions for run.json. Raise ValueError, OSError or RuntimeError.
    """
    open_tablebase(settings.rules.syzygy)
    if options.log is not None:
        check_writable(options.log)
        options.log.open("ab").close()
    different = len(set(openings))
    if settings.book and different < settings.rounds:
        console.print(
            f"{settings.book}: {counted(different, 'opening')} for "
            f"{counted(settings.rounds, 'pair')} of games, so openings will repeat",
            soft_wrap=True,
        )
    if not settings.book and settings.plies:
        text = f"openings: {settings.plies} random plies, often unbalanced"
        if settings.sprt is not None:
            text = f"warning: {text}; an SPRT needs fewer games with a book (--openings)"
        console.print(text, soft_wrap=True)
    concurrency = options.pool_options.concurrency
    if any(control.is_timed for control in settings.controls.values()):
        _warn_of_lack(console, concurrency * max(engine.threads for engine in settings.engines))
    checked = check_engines(settings, openings)
    resources = {name: engine.resources for name, engine in checked.items()}
    if len({each.hash for each in resources.values() if each.hash is not None}) > 1:
        sizes = [f"{name} {each.hash} MB" for name, each in resources.items() if each.hash]
        console.print(
            f"warning: the engines differ in Hash: {listed(sizes)}; `-o Hash=N`, or `options` in "
            "their files, makes them equal",
            soft_wrap=True,
        )
    at_a_time = f"{counted(concurrency, 'game')} at a time"
    seconds = _usual_seconds(settings)
    if seconds is None:  # the first games will tell
        console.print(at_a_time)
    else:
        about = timedelta(seconds=max(1, round(seconds / concurrency)))
        console.print(
            f"the whole run will take about {about} (h:mm:ss), {at_a_time}", soft_wrap=True
        )
    return RunConditions(
        versions={name: engine.version for name, engine in checked.items()},
        resources=resources,
        machine=machine(),
        command_line=command_line(),
        concurrency=concurrency,
    )


def _warn_of_lack(console: Console, wanted: int) -> None:
    """Print a warning if fewer processors are idle than games with clocks want."""
    if wanted > count():
        console.print(
            f"warning: these games need {counted(wanted, 'processor')} (--concurrency times "
            f"threads), and there are {count()}; results with clocks may be distorted",
            soft_wrap=True,
        )
    elif wanted > idle():
        console.print(
            f"warning: the machine is busy: {load_text()}, and these games need "
            f"{counted(wanted, 'processor')}; results with clocks may be distorted",
            soft_wrap=True,
        )


def _usual_seconds(settings: Settings) -> float | None:
    """Return how long all games take one after another, if they have the usual length.

    Return None if an engine has no time limit.
    """
    controls = settings.controls
    if not all(each.is_timed for each in controls.values()):
        return None
    round_seconds = 0.0
    for pair in encounters(list(controls), settings.tournament):
        round_seconds += 2 * sum(controls[name].side_seconds() for name in pair)
    return settings.rounds * round_seconds


def end_run(console: Console, run: Match, folder: Path, command: str = "") -> None:
    """Print what an interrupted or failed run has kept and how to resume it, and end the command.

    It is resumed by `command` with the folder, or without `command` by the same command line with
    the folder.
    """
    for (name, reason), number in sorted(run.results.faults.items()):
        console.print(f"{name} lost {counted(number, 'game')} by {reason}", soft_wrap=True)
    console.print(
        f"{run.results.games} of {counted(run.total, 'game')} in {folder}", soft_wrap=True
    )
    if run.error is not None:
        raise run.error
    if run.interrupted:
        option = f"--folder {shlex.quote(str(folder))}"
        resuming = f"resume with `zobra {command} {option}`"
        if not command:
            resuming = f"the same command with `{option}` resumes"
        console.print(f"interrupted; {resuming}", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
    crashing = run.results.crashing()
    if crashing:
        crashes = run.results.crashes(crashing)
        games = counted(sum(run.results.trinomial(crashing)), "game")
        stopped = "" if run.is_over else "; the run was stopped"
        console.print(
            f"{crashing} crashed in {crashes} of {games}, so this result says little about its "
            f"strength{stopped}",
            soft_wrap=True,
        )
        raise typer.Exit(CRASHED)
