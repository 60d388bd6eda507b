"""The command `zobra ablate`."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena import ablate as ablation
from zobra.arena.command import end_run, errors_as_messages, new_folder, plain_console, play, resumed
from zobra.arena.engine_options import spins
from zobra.arena.engines import read_engine
from zobra.arena.match import MatchState
from zobra.arena.options import GameOptions, OneEngine, with_game_options
from zobra.arena.player import announced_options
from zobra.arena.schedule import GAUNTLET
from zobra.arena.settings import Settings


@with_game_options(tc="nodes=20000", games=400)
def ablate(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    file: Annotated[Path | None, typer.Option("--techniques", help="TOML file: a table [NAME] of options for each.")] = None,
    off: Annotated[
        list[str] | None,
        typer.Option("--off", "-x", help="[NAME:]OPTION=VALUE[,...]", show_default="every option use_… that is on"),
    ] = None,
) -> None:
    """Switch an engine's techniques off one by one, and measure what each loses. An interrupted run can be resumed."""
    console = plain_console()
    with errors_as_messages():
        if engine is not None:
            spec = read_engine(engine, options.option or [])
            announced = announced_options(spec, Settings.stall_seconds)
            parts = ablation.techniques(file, off or [], spins(announced))
            settings = options.settings(ablation.engines(spec, parts, announced), tournament=GAUNTLET)
        else:
            settings = resumed(console, context, options, "an engine")
        folder = options.folder or new_folder("ablation")
        if settings.engines[0].name != ablation.WHOLE:
            raise ValueError(f"{folder} holds a match that is no ablation")
        state = play(console, folder, settings, options)
        if state.error is None:
            _show(console, folder, settings, state, options.playing.concurrency)
        end_run(console, state, folder)


def _show(console: Console, folder: Path, settings: Settings, state: MatchState, concurrency: int) -> None:
    """Measures the benches that are missing, then shows and keeps the figures."""
    benches: dict[str, int | None] = dict(ablation.known_benches(folder / "ablation.json"))
    missing = [] if state.interrupted else [engine for engine in settings.engines if engine.name not in benches]
    with ThreadPoolExecutor(concurrency) as executor:
        benches |= zip((engine.name for engine in missing), executor.map(ablation.bench, missing), strict=True)
    found = ablation.content(settings, state.results, benches)
    ablation.save(folder, found)
    table = Table(*ablation.HEADER)
    for row in ablation.rows(found):
        table.add_row(*row)
    console.print(table)
    console.print(f"kept in {folder}: ablation.json, ablation.md", soft_wrap=True)
