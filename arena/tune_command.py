"""The command `zobra tune`."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from zobra.arena.announced import spins
from zobra.arena.command import (
    check_book,
    check_nothing_decided,
    leave_if_interrupted,
    mistakes_named,
    new_folder,
    plain_console,
    print_faults,
    rules_of,
    settings_of,
)
from zobra.arena.engines import read_engine
from zobra.arena.journal import Journal
from zobra.arena.match import check_engines
from zobra.arena.openings import Opening
from zobra.arena.options import Book, Concurrency, Draw, EngineOptions, Folder, OneEngine, Plies, Resign, Seed, TimeControlText
from zobra.arena.settings import Settings
from zobra.arena.spsa import Gains
from zobra.arena.tune import SIDES, Plan, Tuning
from zobra.arena.tune_display import TuneDisplay, values_table
from zobra.arena.tune_parameters import announced_options, as_toml, tunables


def tune(
    context: typer.Context,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, typer.Option("--parameters", help="TOML file, as `zobra parameters` prints it.")] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", help="An option of the engine: NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]."),
    ] = None,
    tc: TimeControlText = "5+0.05",
    games: Annotated[int, typer.Option("--games", "-n", min=2, help="Games in all (even).")] = 10_000,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games an iteration.")] = 1,
    alpha: Annotated[float, typer.Option(min=0.0, help="How fast learning fades.")] = 0.602,
    gamma: Annotated[float, typer.Option(min=0.0, help="How fast shaking fades.")] = 0.101,
    stability: Annotated[float, typer.Option(min=0.0, help="Share of the iterations that damps the first.")] = 0.1,
    book: Book = None,
    plies: Plies = None,
    seed: Seed = None,
    concurrency: Concurrency = 1,
    option: EngineOptions = None,
    draw: Draw = None,
    resign: Resign = None,
    folder: Folder = None,
) -> None:
    """Tunes an engine's whole-number options by SPSA over games against itself; interrupted runs go on."""
    console = plain_console()
    with mistakes_named():
        if engine is not None:
            spec = read_engine(engine, option or [])
            sides = [replace(spec, name=name) for name in SIDES]
            rules = rules_of(draw, resign)
            settings = settings_of(sides, tc, games, folder, seed=seed, book=book, plies=plies, rules=rules)
            if settings.rounds % pairs:
                raise ValueError(f"--games {games}: not a multiple of the {2 * pairs} games of an iteration")
            chosen = tunables(parameters, parameter or [], spins(announced_options(spec, settings.stall_seconds)))
            plan = Plan(tuple(chosen), Gains(settings.rounds // pairs, alpha, gamma, stability), pairs)
        elif folder is not None:
            check_nothing_decided(context, "concurrency")
            settings, plan = Journal.settings_in(folder), Plan.read(folder)
        else:
            raise ValueError("name an engine, or with --folder a run to go on with")
        check_book(settings)
        check_engines(settings, _all_openings(settings))
        folder = folder or new_folder("tune")
        interrupted = _run(console, folder, settings, plan, concurrency)
    leave_if_interrupted(console, interrupted, folder)


def _all_openings(settings: Settings) -> list[Opening]:
    """Raises ValueError for a line of the book that is none, which would otherwise end the run when its turn comes."""
    opening = settings.openings()
    return [opening(number) for number in range(settings.rounds if settings.book else 1)]


def _run(console: Console, folder: Path, settings: Settings, plan: Plan, concurrency: int) -> bool:
    """Plays the run, and shows and keeps the values. Whether it was interrupted."""
    plan.keep(folder)
    with closing(Journal.open(folder, settings)) as journal:
        tuning = Tuning(journal, plan, concurrency)
        with TuneDisplay(console, folder / "values.svg") as display:
            interrupted = tuning.run(display)
    tuned = as_toml(plan.tunables, tuning.values)
    (folder / "tuned.toml").write_text(tuned, encoding="utf-8")
    console.print(values_table(tuning))
    print_faults(console, tuning.results)
    for name, value in tuning.values.items():
        console.print(f"{name} = {round(value)}")
    if not display.draw(tuning):
        console.print("no plot, as matplotlib is missing")
    console.print(f"{tuning.results.games} of {plan.games} games in {folder}: tuned.toml, values.csv, values.svg")
    return interrupted
