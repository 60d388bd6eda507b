"""The commands `zobra train …`; what each needs is imported when it is run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import numpy as np

    from zobra.train.pipeline import Chain

app = typer.Typer(no_args_is_help=True, help="Makes the evaluation network: games of self-play, training, proof.")

Folder = Annotated[Path | None, typer.Option("--folder", "-f", help="Where games and networks are kept (default: user data).")]
Workers = Annotated[int, typer.Option("--workers", "-w", min=1, help="Threads.")]
RecipeName = Annotated[str, typer.Argument(metavar="RECIPE", help="quick, gen1, … or a TOML file.")]
CORES = os.cpu_count() or 1


def register(application: typer.Typer) -> None:
    """Adds `train` with its commands."""
    application.add_typer(app, name="train")


@contextmanager
def _told() -> Iterator[None]:
    """Whatever a user can cause ends in one sentence."""
    from zobra.engine.network import NetworkError
    from zobra.train.games import DataError
    from zobra.train.pipeline import Unfit
    from zobra.train.recipe import RecipeError

    try:
        yield
    except (DataError, NetworkError, RecipeError, Unfit) as error:
        typer.echo(f"zobra train: {error}", err=True)
        raise typer.Exit(1) from error
    except BrokenPipeError:
        raise  # whoever read the output has had enough, which typer knows how to end
    except OSError as error:
        typer.echo(f"zobra train: {error}", err=True)
        raise typer.Exit(1) from error


def _root(folder: Path | None) -> Path:
    from zobra.train.games import default_folder

    return (folder or default_folder()).resolve()  # as a match keeps what it was called with


def _chain(recipe: str, folder: Path | None, workers: int) -> Chain:
    from rich.console import Console

    from zobra.train.pipeline import Chain
    from zobra.train.recipe import read_recipe

    return Chain(read_recipe(recipe), _root(folder), Console(), workers)


@app.command("all")
def all_steps(recipe: RecipeName, folder: Folder = None, workers: Workers = CORES) -> None:
    """From nothing to a network: data, check, train, quantise, verify, bench, and a match against what played its games."""
    with _told():
        _chain(recipe, folder, workers).run()


@app.command()
def data(
    recipe: RecipeName,
    folder: Folder = None,
    workers: Workers = CORES,
) -> None:
    """Play the games of a recipe; interrupted, the same command goes on."""
    with _told():
        _chain(recipe, folder, workers).play()


@app.command()
def check(recipe: RecipeName, folder: Folder = None) -> None:
    """Are the games of a recipe fit to learn from?"""
    with _told():
        _chain(recipe, folder, 1).check()


@app.command()
def network(recipe: RecipeName, folder: Folder = None, workers: Workers = CORES) -> None:
    """Train a network on the games that are there, and verify it."""
    with _told():
        chain = _chain(recipe, folder, workers)
        chain.train()
        chain.verify()


@app.command()
def gate(recipe: RecipeName, folder: Folder = None, workers: Workers = CORES) -> None:
    """Measure a recipe's network: its speed, and a match against what played its games."""
    with _told():
        chain = _chain(recipe, folder, workers)
        chain.bench()
        chain.gate()


Blend = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="Share of the game's result in the target; the rest is the search's score.")
]
Output = Annotated[Path | None, typer.Option(help="Where to write it (default: where the engine reads it).", dir_okay=False)]
LARGEST = "Centipawns: positions farther from balance tell nothing of the slope, and are left out."


def _positions(recipe: str, folder: Path | None, largest_score: int) -> tuple[np.ndarray, dict[str, object]]:
    """The positions of a recipe's own games, and what is to be said of them."""
    from zobra.train.games import read_sets
    from zobra.train.pipeline import Unfit
    from zobra.train.positions import load_positions

    chain = _chain(recipe, folder, 1)
    rules = {**chain.recipe.filter, "largest_score": largest_score}
    positions, games = load_positions(read_sets(chain.sets[:1]), rules)
    if not len(positions):
        raise Unfit("there are no positions to fit to")
    return positions, {"recipe": chain.recipe.name, "games": games, "positions": len(positions)}


@app.command()
def chances(
    recipe: RecipeName,
    folder: Folder = None,
    largest_score: Annotated[int, typer.Option(min=1, help=LARGEST)] = 1_000,
    output: Output = None,
) -> None:
    """Fit what a score is worth in wins, draws and losses to a recipe's games."""
    with _told():
        from zobra.search.wdl import FILE
        from zobra.train.win_draw_loss import fit_positions

        positions, facts = _positions(recipe, folder, largest_score)
        typer.echo(fit_positions(positions, facts, output or FILE))


@app.command()
def pieces(
    recipe: RecipeName,
    folder: Folder = None,
    largest_score: Annotated[int, typer.Option(min=1, help=LARGEST)] = 1_500,
    blend: Blend = 1.0,
    output: Output = None,
) -> None:
    """Fit the piece-square values, by which the first games are played, to a recipe's games."""
    with _told():
        from zobra.engine.piece_square import WEIGHTS_FILE
        from zobra.train.piece_square import fit_positions

        positions, facts = _positions(recipe, folder, largest_score)
        typer.echo(fit_positions(positions, facts, blend, output or WEIGHTS_FILE))


@app.command()
def view(
    shard: Annotated[Path, typer.Argument(help="A file of games.", exists=True, dir_okay=False)],
    number: Annotated[int | None, typer.Argument(help="The game's number (default: all of the file).")] = None,
) -> None:
    """Show games of self-play as PGN, with the scores."""
    from zobra.train.games import read_shard
    from zobra.train.view import as_pgn

    with _told():
        games = [game for game in read_shard(shard) if number in (None, game.number)]
        if not games:
            raise typer.BadParameter(f"{shard} has no games" if number is None else f"{shard} has no game {number}")
        for game in games:
            typer.echo(as_pgn(game) + "\n")
