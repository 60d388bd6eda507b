"""The command `zobra match`: engines play each other."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.commands.match_display import match_figures, standings
from zobra.arena.commands.messages import plain_console, wrong_options
from zobra.arena.commands.options import (
    DETAILS,
    ENDINGS,
    ENGINE_HELP,
    ZOBRA,
    GameOptions,
    with_game_options,
)
from zobra.arena.commands.runs import end_run, play, resumed
from zobra.arena.formats.files import check_writable, write_safely
from zobra.arena.model.engines import read_engines
from zobra.arena.model.settings import ROUND_ROBIN, Settings
from zobra.arena.model.statistics import MODELS, NORMALIZED, Sprt
from zobra.arena.model.summary import check_replaceable, summary

MOST_SPRT_GAMES = 40_000  # of a match that ends by itself
# Exit status by the verdict of an SPRT; None: all games were played without one
STATUS = {"H1": 0, "H0": 3, None: 4}

EnginesArgument = typer.Argument(
    metavar="ENGINE",
    help=f"{ENGINE_HELP}. One alone is the opponent of Zobra, which is then the first engine; "
    "without any, --folder is resumed.",
)
SprtOption = typer.Option(
    metavar="ELO0,ELO1",
    help=f"Stop by SPRT, after at most {MOST_SPRT_GAMES} games; ELO0,ELO1,ALPHA,BETA sets "
    "error rates other than 5%.",
)
ModelOption = typer.Option(
    metavar="MODEL",
    help="Elo model of the SPRT: normalized or logistic.",
    show_default=NORMALIZED,
    rich_help_panel=DETAILS,
)
JsonOption = typer.Option("--json", metavar="FILE", help="Also write the result as JSON.")


@with_game_options(tc="10+0.1", games=100)
def match(
    context: typer.Context,
    options: GameOptions,
    engines: Annotated[list[str] | None, EnginesArgument] = None,
    sprt: Annotated[str | None, SprtOption] = None,
    json_file: Annotated[Path | None, JsonOption] = None,
    model: Annotated[str | None, ModelOption] = None,
    tournament: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="round-robin, or gauntlet (the first engine against the others).",
            rich_help_panel=DETAILS,
        ),
    ] = ROUND_ROBIN,
    twosided: Annotated[
        bool,
        typer.Option(
            "--twosided",
            help="Resign only if the winner's scores agree.",
            rich_help_panel=ENDINGS,
        ),
    ] = False,
    move_limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="End the game as a draw after N moves.",
            rich_help_panel=ENDINGS,
        ),
    ] = None,
    syzygy: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of Syzygy tablebases that adjudicate games.",
            rich_help_panel=ENDINGS,
        ),
    ] = None,
    chess960: Annotated[
        bool,
        typer.Option(
            "--chess960",
            help="Play Chess960, or double Chess960 from a book of such positions.",
            rich_help_panel=DETAILS,
        ),
    ] = False,
) -> None:
    """Play engines against each other.

    Example: zobra match new=./new/zobra old=./old/zobra --sprt 0,5 -c 4

    --folder alone resumes an interrupted match; so does the same command with --folder, and a
    larger --games extends it. Elo and the verdict are those of the first engine. With --sprt the
    exit status is 0 if H1 is accepted, 3 for H0, and 4 if the games end without a verdict. It is 5
    if an engine crashed in more than a tenth of its games.
    """
    console = plain_console()
    with wrong_options():
        test = _sprt(sprt, model)
    if json_file is not None:
        check_writable(json_file.resolve())
        check_replaceable(json_file)
    if engines:
        specs = read_engines(engines, options.option or [])
        if len(specs) == 1:
            specs = read_engines([ZOBRA, *engines], options.option or [])
        games = context.get_parameter_source("games")
        if test is not None and games is not None and games.name == "DEFAULT":
            options = replace(options, games=MOST_SPRT_GAMES)
        settings = options.settings(
            specs,
            tournament=tournament,
            chess960=chess960,
            rules=options.rules(
                resign_twosided=twosided,
                move_limit=move_limit,
                syzygy=None if syzygy is None else str(syzygy.resolve()),
            ),
            sprt=test,
        )
    else:
        settings = resumed(context, options, "an opponent of Zobra, or two or more engines")
    folder = options.run_folder("match")
    state = play(console, folder, settings, options, ask=not engines)
    for line in match_figures(state):
        console.print(line, soft_wrap=True)
    if len(settings.engines) > 2:
        console.print(standings(state.results))
    if state.verdict:
        console.print(f"SPRT: {state.verdict} accepted")
    if json_file is not None:
        found = summary(state.journal, state.results, state.total, state.llr, state.verdict)
        write_safely(json_file.resolve(), json.dumps(found, indent=1) + "\n")
    end_run(console, state, folder, "match")
    _end_by_verdict(settings, state.verdict)


def _sprt(text: str | None, model: str | None) -> Sprt | None:
    """Return the test that --sprt and --model describe. Raise ValueError."""
    if model is not None and model not in MODELS:
        raise ValueError(f"--model {model}: must be {' or '.join(MODELS)}")
    if model is not None and text is None:
        raise ValueError(f"--model {model}: needs --sprt")
    if text is None:
        return None
    numbers: list[float] = []
    with suppress(ValueError):
        numbers = [float(part) for part in text.split(",")]
    if not 2 <= len(numbers) <= 4:
        raise ValueError(f"--sprt {text}: must be ELO0,ELO1[,ALPHA[,BETA]]")
    return Sprt(*numbers, model=model or NORMALIZED)  # type: ignore[misc, arg-type]


def _end_by_verdict(settings: Settings, verdict: str | None) -> None:
    """End the command with the exit status of the verdict, if an SPRT was asked for."""
    if settings.sprt is not None and STATUS[verdict] != 0:
        raise typer.Exit(STATUS[verdict])
