"""The command `zobra ladder`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena import ladder as ladders
from zobra.arena.command import end_run, errors_as_messages, new_folder, plain_console, play
from zobra.arena.engines import read_engine, threads
from zobra.arena.ladder import Ratings, Rung
from zobra.arena.options import GameOptions, with_game_options
from zobra.arena.processors import spare
from zobra.arena.results import Results
from zobra.arena.schedule import GAUNTLET, ROUND_ROBIN

# Fairy-Max cannot be given positions, so that the ladder's own openings are moves from the start position
_PLIES = 6


@with_game_options(tc="10+0.1", games=40)
def ladder(
    options: GameOptions,
    engine: Annotated[str, typer.Argument(help="[NAME=]COMMAND or a TOML file.")] = "zobra",
    lowest: Annotated[int, typer.Option(help="Leave out rungs below this rating.")] = 0,
    highest: Annotated[int, typer.Option(help="Leave out rungs above this rating.")] = 9999,
    rungs_file: Annotated[
        Path, typer.Option("--list", help="TOML file of the rungs.", show_default="the shipped list")
    ] = ladders.SHIPPED,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Let the rungs play each other, and keep their ratings.")
    ] = False,
    published: Annotated[bool, typer.Option("--published", help="Ignore an earlier calibration.")] = False,
) -> None:
    """Find an engine's rating among engines with known ratings, with as many games at a time as processors are idle."""
    console = plain_console()
    with errors_as_messages():
        rungs, calibration = _rungs(console, rungs_file, lowest, highest, None if published or calibrate else options.tc)
        if calibrate and len(rungs) < 2:
            raise ValueError(f"{rungs_file}: a calibration needs two rungs that play each other, and {len(rungs)} is left")
        folder = options.folder or new_folder("ladder")
        engines = [rung.engine for rung in rungs]
        if not calibrate:
            engines.insert(0, read_engine(engine, options.option or []))
        settings = options.settings(engines, walk=_PLIES, tournament=ROUND_ROBIN if calibrate else GAUNTLET)
        if options.concurrency is None:
            options = replace(options, concurrency=max(1, spare() // max(map(threads, engines))))
        state = play(console, folder, settings, options)
        ratings = ladders.fit(state.results, rungs, calibration)
        console.print(_table(ratings, state.results, rungs))
        ladders.save_ratings(ratings, rungs, folder)
        if calibrate and not (state.interrupted or state.error):
            ladders.save_calibration(ratings, options.tc, ladders.calibration_file())
            console.print(f"kept in {ladders.calibration_file()}")
        end_run(console, state, folder)


def _rungs(
    console: Console, path: Path, lowest: int, highest: int, time_control: str | None
) -> tuple[list[Rung], Ratings | None]:
    """The rungs to play, and an earlier calibration at this time control (None: not wanted), if there is one."""
    rungs, missing = ladders.installed(ladders.read_rungs(path))
    for problem in missing:
        console.print(f"left out: {problem}")
    calibration = _calibration(console, time_control)
    if calibration is not None:
        rungs = ladders.recalibrated(rungs, calibration, f"calibrated at {time_control}")
    rungs = [rung for rung in rungs if lowest <= rung.rating <= highest]
    if not rungs:
        raise ValueError(f"{path}: no installed rung between {lowest} and {highest}")
    return rungs, calibration


def _calibration(console: Console, time_control: str | None) -> Ratings | None:
    """An earlier calibration, if it was at this time control. Prints whether it is used."""
    file = ladders.calibration_file()
    known = None if time_control is None else ladders.read_calibration(file)
    if known is None:
        return None
    found_at, calibration = known
    if found_at != time_control:
        console.print(f"ratings as published: the calibration in {file} is for {found_at}", soft_wrap=True)
        return None
    console.print(f"ratings as calibrated at {found_at}, {file}", soft_wrap=True)
    return calibration


def _table(ratings: Ratings, results: Results, rungs: list[Rung]) -> Table:
    """All engines by their fitted ratings, with the ratings before."""
    known = {rung.engine.name: rung for rung in rungs}
    table = Table("engine", "rating", "± 95 %", "games", "score", "before")
    for name in sorted(ratings.names, key=lambda name: -ratings[name].rating):
        games, rung, found = sum(results.trinomial(name)), known.get(name), ratings[name]
        table.add_row(
            name, f"{found.rating:.0f}", f"{found.margin:.0f}", str(games),
            f"{results.points(name) / games:.1%}" if games else "-", f"{rung.rating:.0f}" if rung else "",
        )  # fmt: skip
    return table
