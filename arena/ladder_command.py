"""The command `zobra ladder`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from zobra.arena import ladder as ladders
from zobra.arena.command import (
    leave_if_interrupted,
    mistakes_named,
    new_folder,
    plain_console,
    play,
    print_faults,
    settings_of,
)
from zobra.arena.engines import read_engine
from zobra.arena.ladder import Ratings, Rung
from zobra.arena.options import Book, Concurrency, EngineOptions, Folder, TimeControlText
from zobra.arena.results import Results
from zobra.arena.schedule import GAUNTLET, ROUND_ROBIN

# Fairy-Max cannot be given positions, so that the ladder's own openings are moves from the start position
_PLIES = 6


def ladder(
    engine: Annotated[str, typer.Argument(help="[NAME=]COMMAND or a TOML file.")] = "zobra",
    tc: TimeControlText = "10+0.1",
    games: Annotated[int, typer.Option("--games", "-n", min=2, help="Games against each rung (even).")] = 40,
    lowest: Annotated[int, typer.Option(help="Leave out rungs below this rating.")] = 0,
    highest: Annotated[int, typer.Option(help="Leave out rungs above this rating.")] = 9999,
    rungs_file: Annotated[Path, typer.Option("--list", help="TOML file of the rungs.")] = ladders.SHIPPED,
    book: Book = None,
    option: EngineOptions = None,
    concurrency: Concurrency = 1,
    folder: Folder = None,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Let the rungs play each other, and keep their ratings.")
    ] = False,
    published: Annotated[bool, typer.Option("--published", help="Ignore an earlier calibration.")] = False,
) -> None:
    """Finds an engine's rating among engines with known ratings."""
    console = plain_console()
    with mistakes_named():
        rungs, calibration = _rungs(console, rungs_file, lowest, highest, None if published or calibrate else tc)
        if calibrate and len(rungs) < 2:
            raise ValueError(f"{rungs_file}: a calibration needs two rungs that play each other, and {len(rungs)} is left")
        folder = folder or new_folder("ladder")
        engines = [rung.engine for rung in rungs]
        if not calibrate:
            engines.insert(0, read_engine(engine, option or []))
        tournament = ROUND_ROBIN if calibrate else GAUNTLET
        settings = settings_of(engines, tc, games, folder, book=book, walk=_PLIES, tournament=tournament)
        outcome = play(console, folder, settings, concurrency)
        ratings = ladders.fit(outcome.results, rungs, calibration)
        console.print(_table(ratings, outcome.results, rungs))
        print_faults(console, outcome.results)
        if calibrate and not outcome.interrupted:
            ladders.save_calibration(ratings, tc, ladders.calibration_file())
            console.print(f"kept in {ladders.calibration_file()}")
    leave_if_interrupted(console, outcome.interrupted, folder)


def _rungs(
    console: Console, path: Path, lowest: int, highest: int, time_control: str | None
) -> tuple[list[Rung], Ratings | None]:
    """The rungs to play, and what a calibration at this time control, if there is one and it is wanted, says of them."""
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
    """What an earlier calibration found, if it was at this time control; tells whether it is used."""
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
    """All engines by their fitted ratings, with what was known before."""
    known = {rung.engine.name: rung for rung in rungs}
    table = Table("engine", "rating", "± 95 %", "games", "score", "before")
    for name in sorted(ratings.names, key=lambda name: -ratings[name].rating):
        games, rung, found = sum(results.trinomial(name)), known.get(name), ratings[name]
        table.add_row(
            name, f"{found.rating:.0f}", f"{found.margin:.0f}", str(games),
            f"{results.points(name) / games:.1%}" if games else "-", f"{rung.rating:.0f}" if rung else "",
        )  # fmt: skip
    return table
