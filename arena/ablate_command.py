"""The command `zobra ablate`."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena import ablate as ablation
from zobra.arena.announced import spins
from zobra.arena.command import (
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
from zobra.arena.engines import read_engine
from zobra.arena.journal import Journal, write_safely
from zobra.arena.match import Outcome
from zobra.arena.options import Book, Concurrency, Draw, EngineOptions, Folder, OneEngine, Plies, Resign, Seed, TimeControlText
from zobra.arena.schedule import GAUNTLET
from zobra.arena.settings import Settings
from zobra.arena.tune_parameters import announced_options


def ablate(
    context: typer.Context,
    engine: OneEngine = None,
    file: Annotated[Path | None, typer.Option("--techniques", help="TOML file: a table [NAME] of options for each.")] = None,
    off: Annotated[
        list[str] | None, typer.Option("--off", "-x", help="[NAME:]OPTION=VALUE[,...] (default: every use_… that is on).")
    ] = None,
    tc: TimeControlText = "nodes=20000",
    games: Annotated[int, typer.Option("--games", "-n", min=2, help="Games for each technique (even).")] = 400,
    book: Book = None,
    plies: Plies = None,
    seed: Seed = None,
    concurrency: Concurrency = 1,
    option: EngineOptions = None,
    draw: Draw = None,
    resign: Resign = None,
    into: Annotated[Path | None, typer.Option(help="Markdown file that gets the table between its ablation marks.")] = None,
    folder: Folder = None,
) -> None:
    """Switches an engine's techniques off one by one, and finds what each is worth; interrupted runs go on."""
    console = plain_console()
    with mistakes_named():
        if into is not None:
            ablation.around_table(into)  # is there a place for it?
        if engine is not None:
            spec = read_engine(engine, option or [])
            announced = announced_options(spec, Settings.stall_seconds)
            parts = ablation.techniques(file, off or [], spins(announced))
            engines, rules = ablation.engines(spec, parts, announced), rules_of(draw, resign)
            settings = settings_of(
                engines, tc, games, folder, seed=seed, book=book, plies=plies, rules=rules, tournament=GAUNTLET
            )
        elif folder is not None:
            check_nothing_decided(context, "concurrency", "into")
            settings = Journal.settings_in(folder)
            ablation.check(settings, folder)
        else:
            raise ValueError("name an engine, or with --folder a run to go on with")
        folder = folder or new_folder("ablation")
        outcome = play(console, folder, settings, concurrency)
        _conclude(console, folder, settings, outcome, concurrency, into)
    leave_if_interrupted(console, outcome.interrupted, folder)


def _conclude(
    console: Console, folder: Path, settings: Settings, outcome: Outcome, concurrency: int, into: Path | None
) -> None:
    """Finds the benches that are missing, then shows and keeps the figures."""
    path = folder / "ablation.json"
    benches = ablation.known_benches(path)
    missing = [] if outcome.interrupted else [engine for engine in settings.engines if engine.name not in benches]
    with ThreadPoolExecutor(concurrency) as executor:
        benches |= zip((engine.name for engine in missing), executor.map(ablation.bench, missing), strict=True)
    found = ablation.worths(settings, outcome.results, benches)
    markdown = ablation.markdown(settings, found, benches)
    write_safely(path, json.dumps(ablation.content(settings, found, benches), indent=1).encode())
    write_safely(folder / "ablation.md", markdown.encode())
    if into is not None and not outcome.interrupted:
        ablation.insert(into, markdown)
    table = Table("technique", "switched off by", "worth in Elo", "games", "bench without")
    for row in ablation.rows(found):
        table.add_row(*row)
    console.print(table)
    print_faults(console, outcome.results)
    console.print(f"{outcome.results.games} of {outcome.total} games in {folder}: ablation.json, ablation.md")
