"""The command `zobra ladder`: the rating of an engine among engines with known ratings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import GameOptions, with_game_options
from zobra.arena.commands.runs import end_run, play
from zobra.arena.model.engines import read_engine
from zobra.arena.model.ladder import (
    CALIBRATION,
    SHIPPED,
    Ratings,
    Rung,
    fit,
    read_calibration,
    read_rungs,
    recalibrated,
    save_calibration,
    save_ratings,
)
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET, ROUND_ROBIN
from zobra.arena.runner.processors import spare

ListOption = typer.Option("--list", help="TOML file of the rungs.", show_default="the shipped list")
CalibrateOption = typer.Option(
    "--calibrate", help="Let the rungs play each other, and keep their ratings."
)
# Fairy-Max cannot be given positions, so that the ladder's own openings are moves from the start
# position
_PLIES = 6


@with_game_options(tc="10+0.1", games=40)
def ladder(
    options: GameOptions,
    engine: Annotated[str, typer.Argument(help="[NAME=]COMMAND or a TOML file.")] = "zobra",
    lowest: Annotated[int, typer.Option(help="Leave out rungs below this rating.")] = 0,
    highest: Annotated[int, typer.Option(help="Leave out rungs above this rating.")] = 9999,
    rungs_file: Annotated[Path, ListOption] = SHIPPED,
    calibrate: Annotated[bool, CalibrateOption] = False,
    published: Annotated[
        bool, typer.Option("--published", help="Ignore an earlier calibration.")
    ] = False,
) -> None:
    """Find an engine's rating among engines with known ratings, with as many games at a time as
    processors are idle.
    """
    console, calibration, rungs = plain_console(), None, []
    for rung in read_rungs(rungs_file):
        try:
            rung.engine.program()
            rungs.append(rung)
        except ValueError as error:
            console.print(f"left out: {error}")
    known = None if published or calibrate else read_calibration(CALIBRATION)
    if known is not None and known[0] != options.tc:
        console.print(
            f"ratings as published: the calibration in {CALIBRATION} is for {known[0]}",
            soft_wrap=True,
        )
    elif known is not None:
        calibration = known[1]
        console.print(f"ratings as calibrated at {options.tc}, {CALIBRATION}", soft_wrap=True)
        rungs = recalibrated(rungs, calibration)
    rungs = [rung for rung in rungs if lowest <= rung.rating <= highest]
    if len(rungs) < 1 + calibrate:
        raise ValueError(
            f"{rungs_file}: {len(rungs)} of {1 + calibrate} needed rungs installed between "
            f"{lowest} and {highest}"
        )
    folder, engines = options.run_folder("ladder"), [rung.engine for rung in rungs]
    if not calibrate:
        engines.insert(0, read_engine(engine, options.option or []))
    settings = options.settings(
        engines, walk=_PLIES, tournament=ROUND_ROBIN if calibrate else GAUNTLET
    )
    if options.concurrency is None:
        options = replace(
            options, concurrency=max(1, spare() // max(engine.threads for engine in engines))
        )
    state = play(console, folder, settings, options)
    ratings = fit(state.results, rungs, calibration)
    save_ratings(ratings, rungs, folder)
    console.print(ratings_table(ratings, state.results, rungs))
    if calibrate and not (state.interrupted or state.error):
        save_calibration(ratings, options.tc, CALIBRATION)
        console.print(f"kept in {CALIBRATION}")
    end_run(console, state, folder)


def ratings_table(ratings: Ratings, results: Results, rungs: Sequence[Rung]) -> Table:
    """All engines with their ratings and scores, the best first."""
    before = {rung.engine.name: rung.rating for rung in rungs}
    table = Table("engine", "rating", "± 95 %", "games", "score", "before")
    for name in sorted(ratings.names, key=lambda name: -ratings[name].rating):
        games, (rating, margin) = sum(results.trinomial(name)), ratings[name]
        score, known = f"{results.points(name) / games:.1%}" if games else "-", before.get(name)
        table.add_row(
            name,
            f"{rating:.0f}",
            f"{margin:.0f}",
            str(games),
            score,
            "" if known is None else f"{known:.0f}",
        )
    return table
