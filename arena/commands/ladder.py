"""The command `zobra ladder`: the rating of an engine among engines with known ratings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import ENGINE_HELP, ZOBRA, GameOptions, with_game_options
from zobra.arena.commands.runs import end_run, play
from zobra.arena.model.engines import read_engine
from zobra.arena.model.ladder import (
    CALIBRATION,
    SHIPPED,
    Ratings,
    Rung,
    fit,
    nearest_first,
    read_calibration,
    read_rungs,
    recalibrated,
    save_calibration,
    save_ratings,
)
from zobra.arena.model.results import Results
from zobra.arena.model.settings import GAUNTLET, ROUND_ROBIN
from zobra.arena.runner.processors import spare

ListOption = typer.Option(
    "--list", metavar="FILE", help="TOML file with the rungs.", show_default="the shipped list"
)
CalibrateOption = typer.Option(
    "--calibrate", help="Let the rungs play each other, and store their ratings."
)
# Fairy-Max cannot be given positions, so that the ladder's own openings are moves from the start
# position
_PLIES = 6


@with_game_options(tc="10+0.1", games=40)
def ladder(
    options: GameOptions,
    engine: Annotated[str, typer.Argument(metavar="ENGINE", help=f"{ENGINE_HELP}.")] = ZOBRA,
    lowest: Annotated[
        int, typer.Option(metavar="ELO", help="Leave out rungs below this rating.")
    ] = 0,
    highest: Annotated[
        int, typer.Option(metavar="ELO", help="Leave out rungs above this rating.")
    ] = 9999,
    rungs_file: Annotated[Path, ListOption] = SHIPPED,
    calibrate: Annotated[bool, CalibrateOption] = False,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Use the published ratings even if there is a calibration."
        ),
    ] = False,
) -> None:
    """Rate an engine by games against engines with known ratings.

    In each round it plays all installed rungs, first the one that is probably nearest in strength.
    Without a book games begin with 6 random plies. The default of -c is the number of idle
    processors divided by the threads of an engine. The same command with --folder resumes an
    interrupted run.
    """
    console = plain_console()
    if calibrate and (options.option or engine != ZOBRA):
        raise typer.BadParameter("--calibrate plays the rungs only: it takes no ENGINE and no -o")
    rungs = _installed_rungs(console, rungs_file)
    calibration = None
    if not published and not calibrate:
        calibration = _known_calibration(console, options.tc)
    if calibration is not None:
        rungs = recalibrated(rungs, calibration)
    rungs = [rung for rung in rungs if lowest <= rung.rating <= highest]
    needed = 2 if calibrate else 1
    if len(rungs) < needed:
        raise ValueError(
            f"{rungs_file}: {len(rungs)} of {needed} needed rungs installed between "
            f"{lowest} and {highest}"
        )
    folder = options.run_folder("ladder")
    if calibrate:
        engines = [rung.engine for rung in rungs]
    else:
        rated = read_engine(engine, options.option or [])
        rungs = nearest_first(rungs, rated)
        engines = [rated, *(rung.engine for rung in rungs)]
    tournament = ROUND_ROBIN if calibrate else GAUNTLET
    settings = options.settings(engines, walk=_PLIES, tournament=tournament)
    if options.concurrency is None:
        threads = max(engine.threads for engine in engines)
        options = replace(options, concurrency=max(1, spare() // threads))
    state = play(console, folder, settings, options)
    ratings = fit(state.results, rungs, calibration)
    save_ratings(ratings, rungs, folder)
    console.print(ratings_table(ratings, state.results, rungs))
    if calibrate and state.is_over and not state.results.crashing():
        known = read_calibration(CALIBRATION)
        save_calibration(ratings, options.tc, CALIBRATION)
        console.print(f"kept in {CALIBRATION}", soft_wrap=True)
        if known is not None and known[0] != options.tc:
            console.print(f"this replaces the calibration at {known[0]}")
    end_run(console, state, folder)


def _installed_rungs(console: Console, path: Path) -> list[Rung]:
    """Return the rungs whose programs are installed, and print the names of the others."""
    rungs = []
    for rung in read_rungs(path):
        try:
            rung.engine.program()
        except ValueError as error:
            console.print(f"left out: {error}")
        else:
            rungs.append(rung)
    return rungs


def _known_calibration(console: Console, time_control: str) -> Ratings | None:
    """Return the ratings calibrated at this time control, and print which ratings are used."""
    known = read_calibration(CALIBRATION)
    if known is None:
        return None
    calibrated_at, ratings = known
    if calibrated_at == time_control:
        console.print(
            f"using the ratings calibrated at {time_control} ({CALIBRATION})", soft_wrap=True
        )
        return ratings
    console.print(
        f"using the published ratings: the calibration in {CALIBRATION} is for {calibrated_at}",
        soft_wrap=True,
    )
    return None


def ratings_table(ratings: Ratings, results: Results, rungs: Sequence[Rung]) -> Table:
    """Return all engines with their ratings and scores, the best first."""
    before = {rung.engine.name: f"{rung.rating:.0f}" for rung in rungs}
    table = Table("engine", "rating", "± 95%", "games", "score", "before")
    for name in sorted(ratings.names, key=lambda name: -ratings[name].rating):
        games = sum(results.trinomial(name))
        rating, margin = ratings[name]
        table.add_row(
            name,
            f"{rating:.0f}",
            f"{margin:.0f}",
            str(games),
            f"{results.points(name) / games:.1%}" if games else "-",
            before.get(name, ""),
        )
    return table
