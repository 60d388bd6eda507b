"""The command `zobra tune`."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from zobra.arena.command import check_run, end_run, errors_as_messages, new_folder, plain_console, resumed
from zobra.arena.engine_options import spins
from zobra.arena.engines import read_engine
from zobra.arena.files import write_safely
from zobra.arena.journal import Journal
from zobra.arena.match import MatchState
from zobra.arena.options import GameOptions, OneEngine, with_game_options
from zobra.arena.player import announced_options
from zobra.arena.settings import Settings
from zobra.arena.spsa import Gains
from zobra.arena.tune import SIDES, Plan, Tuning
from zobra.arena.tune_display import TuneDisplay, values_table
from zobra.arena.tune_parameters import as_toml, tunables


@with_game_options(tc="5+0.05", games=10_000)
def tune(
    context: typer.Context,
    options: GameOptions,
    engine: OneEngine = None,
    parameters: Annotated[Path | None, typer.Option("--parameters", help="TOML file, as `zobra parameters` prints it.")] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", "-p", help="An option of the engine: NAME or NAME=DEFAULT,LOW,HIGH[,C_END[,R_END]]."),
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games an iteration.")] = 1,
    alpha: Annotated[float, typer.Option(min=0.0, help="Exponent by which the learning rate decays.")] = Gains.alpha,
    gamma: Annotated[float, typer.Option(min=0.0, help="Exponent by which the perturbation decays.")] = Gains.gamma,
    stability: Annotated[float, typer.Option(min=0.0, help="Share of the iterations that damps the first.")] = Gains.stability,
) -> None:
    """Tune an engine's whole-number options by SPSA over games against itself. An interrupted run can be resumed."""
    console = plain_console()
    with errors_as_messages():
        if engine is not None:
            spec = read_engine(engine, options.option or [])
            settings = options.settings([replace(spec, name=name) for name in SIDES])
            if settings.rounds % pairs:
                raise ValueError(f"--games {options.games}: not a multiple of the {2 * pairs} games of an iteration")
            chosen = tunables(parameters, parameter or [], spins(announced_options(spec, settings.stall_seconds)))
            plan = Plan(tuple(chosen), Gains(settings.rounds // pairs, alpha, gamma, stability), pairs)
        else:
            settings = resumed(console, context, options, "an engine")
            plan = Plan.read(options.folder or Path())
        # a bad line of the book is found now, not when its turn comes
        opening = settings.openings()
        openings = [opening(number) for number in range(settings.rounds if settings.book else 1)]
        check_run(console, settings, openings, options)
        folder = options.folder or new_folder("tune")
        end_run(console, _run(console, folder, settings, plan, options), folder)


def _run(console: Console, folder: Path, settings: Settings, plan: Plan, options: GameOptions) -> MatchState:
    """Plays the run, and shows and keeps the values."""
    plan.keep(folder)
    with closing(Journal.open(folder, settings)) as journal:
        tuning = Tuning(journal, plan, options.playing)
        state = MatchState(tuning.results, plan.games)
        with TuneDisplay(console, folder / "values.svg") as display:
            try:
                state.interrupted = tuning.run(display)
            except OSError as error:
                state.error = error
    console.print(values_table(tuning))
    for name, value in tuning.values.items():
        console.print(f"{name} = {round(value)}")
    if state.error is None:
        write_safely(folder / "tuned.toml", as_toml(plan.tunables, tuning.values))
        if not display.draw(tuning):
            console.print("no plot, as matplotlib is missing")
        console.print(f"kept in {folder}: tuned.toml, values.csv, values.svg", soft_wrap=True)
    return state
