"""The command `zobra ablate`: what an engine loses without each of its techniques."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import GameOptions, OneEngine, with_game_options
from zobra.arena.commands.runs import end_run, play, resumed
from zobra.arena.formats.files import read_json, typed
from zobra.arena.model.ablation import HEADER, WHOLE, content, rows, save, techniques
from zobra.arena.model.engines import as_announced, read_engine, spins
from zobra.arena.model.settings import GAUNTLET, Settings
from zobra.arena.runner.engine_bench import bench
from zobra.arena.runner.player import announced_options

TechniquesOption = typer.Option(
    "--techniques", help="TOML file: a table [NAME] of options for each."
)
OffOption = typer.Option(
    "--off", "-x", help="[NAME:]OPTION=VALUE[,...]", show_default="every option use_… that is on"
)


@with_game_options(tc="nodes=20000", games=400)
def ablate(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    file: Annotated[Path | None, TechniquesOption] = None,
    off: Annotated[list[str] | None, OffOption] = None,
) -> None:
    """Switch an engine's techniques off one by one, and measure what each loses.

    An interrupted run can be resumed.
    """
    console = plain_console()
    if engine is not None:
        spec = read_engine(engine, options.option or [])
        announced = announced_options(spec, Settings.stall_seconds)
        parts = {WHOLE: dict[str, Any]()} | techniques(file, off or [], spins(announced))
        engines = [
            replace(spec, name=n, options=as_announced(spec.options | part, announced))
            for n, part in parts.items()
        ]
        settings = options.settings(engines, tournament=GAUNTLET)
    else:
        settings = resumed(console, context, options, "an engine")
    folder = options.run_folder("ablation")
    if settings.engines[0].name != WHOLE:
        raise ValueError(f"{folder} holds a match that is no ablation")
    state = play(console, folder, settings, options)
    if state.error is None:
        path, benches = folder / "ablation.json", dict[str, int | None]()
        if path.exists():  # benches that are known are not searched again
            kept = read_json(
                path,
                "an ablation",
                lambda values: [values | {"name": WHOLE}, *values["techniques"]],
            )
            benches = {entry["name"]: typed(int | None, entry["bench"], "bench") for entry in kept}
        missing = [
            engine
            for engine in settings.engines
            if benches.get(engine.name) is None and not state.interrupted
        ]
        with ThreadPoolExecutor(options.playing.concurrency) as executor:
            benches |= zip(
                (engine.name for engine in missing), executor.map(bench, missing), strict=True
            )
        found = content(settings, state.results, benches)
        save(folder, found)
        table = Table(*HEADER)
        for row in rows(found):
            table.add_row(*row)
        console.print(table)
        console.print(f"kept in {folder}: ablation.json, ablation.md", soft_wrap=True)
    end_run(console, state, folder)
