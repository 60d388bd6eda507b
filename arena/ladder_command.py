"""The command `zobra ladder`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from zobra.arena import ladder as ladders
from zobra.arena.command import GameOptions, end_run, new_folder, plain_console, play, with_game_options
from zobra.arena.engines import read_engine
from zobra.arena.ladder import Ratings, Rung
from zobra.arena.processors import spare
from zobra.arena.results import Results
from zobra.arena.settings import GAUNTLET, ROUND_ROBIN

# Fairy-Max cannot be given positions, so that the ladder's own openings are moves from the start position
_PLIES = 6
ListOption = typer.Option("--list", help="TOML file of the rungs.", show_default="the shipped list")


@with_game_options(tc="10+0.1", games=40)
def ladder(
    options: GameOptions,
    engine: Annotated[str, typer.Argument(help="[NAME=]COMMAND or a TOML file.")] = "zobra",
    lowest: Annotated[int, typer.Option(help="Leave out rungs below this rating.")] = 0,
    highest: Annotated[int, typer.Option(help="Leave out rungs above this rating.")] = 9999,
    rungs_file: Annotated[Path, ListOption] = ladders.SHIPPED,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Let the rungs play each other, and keep their ratings.")
    ] = False,
    published: Annotated[bool, typer.Option("--published", help="Ignore an earlier calibration.")] = False,
) -> None:
    """Find an engine's rating among engines with known ratings, with as many games at a time as processors are idle."""
    console, file, calibration = plain_console(), ladders.calibration_file(), None
    rungs, missing = ladders.installed(ladders.read_rungs(rungs_file))
    for problem in missing:
        console.print(f"left out: {problem}")
    known = None if published or calibrate else ladders.read_calibration(file)
    if known is not None and known[0] != options.tc:
        console.print(f"ratings as published: the calibration in {file} is for {known[0]}", soft_wrap=True)
    elif known is not None:
        calibration = known[1]
        console.print(f"ratings as calibrated at {options.tc}, {file}", soft_wrap=True)
        rungs = ladders.recalibrated(rungs, calibration, f"calibrated at {options.tc}")
    rungs = [rung for rung in rungs if lowest <= rung.rating <= highest]
    if not rungs:
        raise ValueError(f"{rungs_file}: no installed rung between {lowest} and {highest}")
    if calibrate and len(rungs) < 2:
        raise ValueError(f"{rungs_file}: a calibration needs two rungs that play each other, and {len(rungs)} is left")
    folder = options.folder or new_folder("ladder")
    engines = [rung.engine for rung in rungs]
    if not calibrate:
        engines.insert(0, read_engine(engine, options.option or []))
    settings = options.settings(engines, walk=_PLIES, tournament=ROUND_ROBIN if calibrate else GAUNTLET)
    if options.concurrency is None:
        options = replace(options, concurrency=max(1, spare() // max(engine.threads for engine in engines)))
    state = play(console, folder, settings, options)
    ratings = ladders.fit(state.results, rungs, calibration)
    console.print(_table(ratings, state.results, rungs))
    ladders.save_ratings(ratings, rungs, folder)
    if calibrate and not (state.interrupted or state.error):
        ladders.save_calibration(ratings, options.tc, file)
        console.print(f"kept in {file}")
    end_run(console, state, folder)


def _table(ratings: Ratings, results: Results, rungs: list[Rung]) -> Table:
    """All engines by their fitted ratings, with the ratings before."""
    before = {rung.engine.name: f"{rung.rating:.0f}" for rung in rungs}
    table = Table("engine", "rating", "± 95 %", "games", "score", "before")
    for name in sorted(ratings.names, key=lambda name: -ratings[name].rating):
        games, found = sum(results.trinomial(name)), ratings[name]
        score = f"{results.points(name) / games:.1%}" if games else "-"
        table.add_row(name, f"{found.rating:.0f}", f"{found.margin:.0f}", str(games), score, before.get(name, ""))
    return table
