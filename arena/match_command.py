"""The command `zobra match`."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena import statistics
from zobra.arena.command import end_run, errors_as_messages, new_folder, plain_console, play, resumed
from zobra.arena.display import figures, standings
from zobra.arena.engines import read_engines, with_distinct_names, with_options
from zobra.arena.options import GameOptions, absolute, with_game_options
from zobra.arena.schedule import ROUND_ROBIN

GAMES, SPRT_GAMES = 100, 40_000  # an SPRT ends by itself


@with_game_options(tc="10+0.1", games=GAMES)
def match(
    context: typer.Context,
    options: GameOptions,
    engines: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENGINE ENGINE ...", help="[NAME=]COMMAND or a TOML file; none to resume --folder."),
    ] = None,
    tournament: Annotated[str, typer.Option(help="round-robin, or gauntlet (the first against the others).")] = ROUND_ROBIN,
    sprt: Annotated[
        str | None, typer.Option(metavar="ELO0,ELO1[,ALPHA[,BETA]]", help="Stop by SPRT, after 40000 games at most.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Elo model of the SPRT: normalized or logistic.", show_default="normalized")
    ] = None,
    twosided: Annotated[bool, typer.Option(help="Resign only when the winner's scores agree.")] = False,
    move_limit: Annotated[int | None, typer.Option(min=1, help="Draw after so many moves.")] = None,
    syzygy: Annotated[Path | None, typer.Option(help="Folder of Syzygy tables that end games.")] = None,
    chess960: Annotated[bool, typer.Option("--chess960", help="Chess960 (also with FENs of double Chess960).")] = False,
    margin: Annotated[int, typer.Option(min=0, help="Milliseconds a move may be late.")] = 0,
    stall: Annotated[float, typer.Option(min=1, help="Seconds without an answer, or a move if no clock runs.")] = 60,
) -> None:
    """Play engines against each other, with SPRT if asked. An interrupted match can be resumed."""
    console = plain_console()
    with errors_as_messages():
        if model is not None and (sprt is None or model not in statistics.MODELS):
            raise ValueError(f"--model {model}: needs --sprt, and is {' or '.join(statistics.MODELS)}")
        if engines:
            specs = [spec for text in engines for spec in read_engines(text)]
            specs = with_options(with_distinct_names(specs), options.option or [])
            if len(specs) < 2:
                raise ValueError("a match needs two engines")
            games = context.get_parameter_source("games")
            if sprt and games is not None and games.name == "DEFAULT":
                options = options.with_games(SPRT_GAMES)
            settings = options.settings(
                specs, tournament=tournament, chess960=chess960, margin_ms=margin, stall_seconds=stall,
                rules=options.rules(resign_twosided=twosided, move_limit=move_limit, syzygy=absolute(syzygy)),
                sprt=_sprt(sprt, model or statistics.NORMALIZED),
            )  # fmt: skip
        else:
            settings = resumed(console, context, options, "two engines")
        folder = options.folder or new_folder("match")
        state = play(console, folder, settings, options)
        for line in figures(state.results, settings, state.llr):
            console.print(line, soft_wrap=True)
        if len(settings.engines) > 2:
            console.print(standings(state.results))
        if state.verdict:
            console.print(f"SPRT: {state.verdict} accepted")
        end_run(console, state, folder)


def _sprt(text: str | None, model: str) -> statistics.Sprt | None:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
        if not 2 <= len(numbers) <= 4:
            raise ValueError
    except ValueError:
        raise ValueError(f"--sprt {text}: not ELO0,ELO1[,ALPHA[,BETA]]") from None
    named = dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False))
    return statistics.Sprt(**named, model=model)  # type: ignore[arg-type]
