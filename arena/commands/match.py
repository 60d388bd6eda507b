"""The command `zobra match`: engines play each other."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.commands.match_display import figures, standings
from zobra.arena.commands.messages import plain_console
from zobra.arena.commands.options import ENGINE_HELP, GameOptions, with_game_options
from zobra.arena.commands.runs import end_run, play, resumed
from zobra.arena.model.engines import read_engines
from zobra.arena.model.settings import ROUND_ROBIN
from zobra.arena.model.statistics import MODELS, NORMALIZED, Sprt

EnginesArgument = typer.Argument(metavar="ENGINE ENGINE ...", help=ENGINE_HELP)
SprtOption = typer.Option(
    metavar="ELO0,ELO1[,ALPHA[,BETA]]", help="Stop by SPRT, after 40000 games at most."
)
ModelOption = typer.Option(
    help="Elo model of the SPRT: normalized or logistic.", show_default=NORMALIZED
)


@with_game_options(tc="10+0.1", games=100)
def match(
    context: typer.Context,
    options: GameOptions,
    engines: Annotated[list[str] | None, EnginesArgument] = None,
    tournament: Annotated[
        str, typer.Option(help="round-robin, or gauntlet (the first against the others).")
    ] = ROUND_ROBIN,
    sprt: Annotated[str | None, SprtOption] = None,
    model: Annotated[str | None, ModelOption] = None,
    twosided: Annotated[
        bool, typer.Option(help="Resign only when the winner's scores agree.")
    ] = False,
    move_limit: Annotated[int | None, typer.Option(min=1, help="Draw after so many moves.")] = None,
    syzygy: Annotated[
        Path | None, typer.Option(help="Folder of Syzygy tables that end games.")
    ] = None,
    chess960: Annotated[
        bool, typer.Option("--chess960", help="Chess960 (also with FENs of double Chess960).")
    ] = False,
    margin: Annotated[int, typer.Option(min=0, help="Milliseconds a move may be late.")] = 0,
    stall: Annotated[
        float, typer.Option(min=1, help="Seconds without an answer, or a move if no clock runs.")
    ] = 60,
) -> None:
    """Play engines against each other, with SPRT if asked. An interrupted match can be resumed."""
    console = plain_console()
    if model is not None and (sprt is None or model not in MODELS):
        raise ValueError(f"--model {model}: needs --sprt, and is {' or '.join(MODELS)}")
    numbers: list[float] = []
    with suppress(ValueError):
        numbers = [float(part) for part in (sprt or "").split(",")]
    if sprt is not None and not 2 <= len(numbers) <= 4:
        raise ValueError(f"--sprt {sprt}: not ELO0,ELO1[,ALPHA[,BETA]]")
    if engines:
        specs = read_engines(engines, options.option or [])
        if len(specs) < 2:
            raise ValueError("a match needs two engines")
        games = context.get_parameter_source("games")
        if sprt and games is not None and games.name == "DEFAULT":
            options = replace(options, games=40_000)  # it ends by itself
        settings = options.settings(
            specs,
            tournament=tournament,
            chess960=chess960,
            margin_ms=margin,
            stall_seconds=stall,
            rules=options.rules(
                resign_twosided=twosided,
                move_limit=move_limit,
                syzygy=syzygy and str(syzygy.resolve()),
            ),
            sprt=Sprt(*numbers, model=model or NORMALIZED) if sprt else None,  # type: ignore[misc, arg-type]
        )
    else:
        settings = resumed(console, context, options, "two engines")
    folder = options.run_folder("match")
    state = play(console, folder, settings, options)
    for line in figures(state.results, settings, state.llr):
        console.print(line, soft_wrap=True)
    if len(settings.engines) > 2:
        console.print(standings(state.results))
    if state.verdict:
        console.print(f"SPRT: {state.verdict} accepted")
    end_run(console, state, folder)
