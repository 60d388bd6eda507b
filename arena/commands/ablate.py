"""The command `zobra ablate`: the Elo that each technique of an engine contributes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import TUNABLE_ZOBRA, GameOptions, OneEngine, with_game_options
from zobra.arena.commands.runs import confirm, end_run, fixed_options, play, resumed
from zobra.arena.model.ablation import (
    HEADER,
    WHOLE,
    content,
    kept_benches,
    rows,
    save,
    techniques,
)
from zobra.arena.model.engines import as_announced, read_engine, spins
from zobra.arena.model.settings import GAUNTLET, Settings
from zobra.arena.runner.engine_bench import bench
from zobra.arena.runner.player import announced_options

TechniquesOption = typer.Option(
    "--techniques",
    metavar="FILE",
    help="TOML file with a table [NAME] of options for each technique.",
    show_default="Zobra's own techniques that the engine has, and its options use_… that are on",
)
OffOption = typer.Option(
    "--off",
    "-x",
    metavar="TECHNIQUE",
    help="Options that switch off a technique: [NAME:]OPTION=VALUE[,OPTION=VALUE...].",
)


@with_game_options(tc="nodes=20000", games=400)
def ablate(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    file: Annotated[Path | None, TechniquesOption] = None,
    off: Annotated[list[str] | None, OffOption] = None,
) -> None:
    """Measure what an engine loses without each of its techniques.

    The whole engine plays against itself with one technique at a time switched off. --folder alone
    resumes an interrupted run; so does the same command with --folder.
    """
    console = plain_console()
    is_resumed = engine is None and options.has_run and not fixed_options(context)
    if is_resumed:
        settings = resumed(context, options, "an engine")
    else:
        spec = read_engine(engine or TUNABLE_ZOBRA, options.option or [])
        announced = announced_options(spec, options.stall)
        parts = {WHOLE: dict[str, Any]()} | techniques(file, off or [], spins(announced))
        engines = []
        for name, part in parts.items():
            values = as_announced(spec.options | part, announced)
            engines.append(replace(spec, name=name, options=values))
        settings = options.settings(engines, tournament=GAUNTLET)
    folder = options.run_folder("ablate")
    if settings.engines[0].name != WHOLE:
        raise ValueError(f"{folder} holds a match, not an ablation")
    was_finished = is_resumed and not _missing_games(folder, settings)
    state = play(console, folder, settings, options, ask=is_resumed)
    if state.error is None:
        benches = kept_benches(folder)  # those that are known are not searched again
        missing = []
        for each in settings.engines:
            if benches.get(each.name) is None and not state.interrupted:
                missing.append(each)
        if missing and is_resumed and was_finished and not options.trust:
            confirm(console, settings)  # no game has asked yet
        with ThreadPoolExecutor(options.pool_options.concurrency) as executor:
            for each, nodes in zip(missing, executor.map(bench, missing), strict=True):
                benches[each.name] = nodes
        found = content(settings, state.results, benches)
        save(folder, found)
        table = Table(*HEADER)
        for row in rows(found):
            table.add_row(*row)
        console.print(table)
        console.print(f"kept in {folder}: ablation.json, ablation.md", soft_wrap=True)
    end_run(console, state, folder, "ablate")


def _missing_games(folder: Path, settings: Settings) -> int:
    """Return how many games of a run are not in its journal."""
    journal = folder / "journal.jsonl"
    played = journal.read_bytes().count(b"\n") if journal.exists() else 0
    return 2 * settings.rounds * (len(settings.engines) - 1) - played
