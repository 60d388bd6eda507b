"""The commands `zobra train …`. Each imports what it needs when it runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    import numpy as np

    from zobra.train.pipeline import Pipeline


class _Commands(TyperGroup):
    """An error that a user can cause ends a command with a sentence and status 1, Ctrl-C with a
    sentence and status 130.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, BrokenPipeError):
            raise  # where the reader of the output has gone, typer ends quietly
        except (ValueError, RuntimeError, OSError, KeyboardInterrupt) as error:
            from zobra.arena.commands.messages import INTERRUPTED

            typer.echo(f"zobra train: {str(error) or 'interrupted'}", err=True)
            raise typer.Exit(INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1) from error


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="Make an evaluation network by self-play.\n\nThe steps are games, training and tests.",
)

Folder = Annotated[
    Path | None,
    typer.Option("--folder", "-f", help="Folder of games and networks (default: user data)."),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        "-c",
        min=1,
        metavar="N",
        help="Threads at work at the same time (default: one for each processor).",
    ),
]
RecipeName = Annotated[str, typer.Argument(metavar="RECIPE", help="quick, main, … or a TOML file.")]
Blend = Annotated[
    float,
    typer.Option(
        min=0.0, max=1.0, help="Share of the result in the target; the rest is the score."
    ),
]
LargestScore = Annotated[
    int, typer.Option(min=1, help="Centipawns: positions with larger scores are left out.")
]
Output = Annotated[
    Path | None,
    typer.Option(help="File to write (default: the file that the engine reads).", dir_okay=False),
]
STEPS = {  # by command: the methods of Pipeline, and the help
    "all": (
        ("run",),
        "Make a network from nothing: data, check, train, quantise, verify, bench, match.",
    ),
    "data": (("play",), "Play the games of a recipe. The same command resumes an interrupted run."),
    "check": (("check",), "Check the games of a recipe: legality, scores, duplicates, balance."),
    "network": (("train", "verify"), "Train a network on the games of a recipe, and verify it."),
    "verify": (("verify",), "Verify the network of a recipe, and measure its speed."),
    "gate": (("gate",), "Play a match of a network against the engine that played its games."),
}


def _root(folder: Path | None) -> Path:
    from platformdirs import user_data_path

    return (
        folder or user_data_path("zobra", appauthor=False) / "selfplay"
    ).resolve()  # a match stores its paths


def _pipeline(recipe: str, folder: Path | None, workers: int) -> "Pipeline":
    from rich.console import Console

    from zobra.train.pipeline import Pipeline
    from zobra.train.recipe import read_recipe

    return Pipeline(read_recipe(recipe), _root(folder), Console(), workers)


for name, (_, text) in STEPS.items():

    @app.command(name, help=text)
    def step(
        context: typer.Context,
        recipe: RecipeName,
        folder: Folder = None,
        concurrency: Concurrency = None,
    ) -> None:
        """Carry out the steps of the command that was called."""
        pipeline = _pipeline(recipe, folder, concurrency or os.cpu_count() or 1)
        for method in STEPS[str(context.command.name)][0]:
            getattr(pipeline, method)()


def _positions(
    recipe: str, folder: Path | None, largest_score: int
) -> "tuple[np.ndarray, dict[str, object]]":
    """The positions of a recipe's own games, and facts for the file made of them."""
    from zobra.train.games import load_positions, read_sets

    pipeline = _pipeline(recipe, folder, 1)
    rules = {**pipeline.recipe.filter, "largest_score": largest_score}
    positions, games = load_positions(read_sets(pipeline.sets[:1]), rules)
    if not len(positions):
        raise ValueError("these games have no position that passes the filter")
    return positions, {"recipe": pipeline.recipe.name, "games": games, "positions": len(positions)}


@app.command()
def wdl(
    recipe: RecipeName,
    folder: Folder = None,
    largest_score: LargestScore = 1_000,
    output: Output = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only compare the model in use with the games.")
    ] = False,
) -> None:
    """Fit the win-draw-loss model to a recipe's games, and print the shares that it predicts and
    that the games had.
    """
    from zobra.search.wdl import FILE, fitted
    from zobra.train.wdl_fit import compare_wdl, fit_wdl

    positions, facts = _positions(recipe, folder, largest_score)
    model = fitted() if check else fit_wdl(positions, facts, output or FILE)
    typer.echo(model)
    for line in compare_wdl(model, positions):
        typer.echo(line)


@app.command("import")
def import_games(
    files: Annotated[
        list[Path], typer.Argument(help="PGN files, also compressed.", exists=True, dir_okay=False)
    ],
    name: Annotated[
        str, typer.Option("--set", help="Name of the new set in the folder.")
    ] = "imported",
    folder: Folder = None,
) -> None:
    """Import PGN games with a score in each move's comment as training games, and check them."""
    from rich.console import Console

    from zobra.train.games import check_data, shards
    from zobra.train.generate import import_files

    target = _root(folder) / name
    games, refused, unreadable = import_files(files, target)
    for problem in unreadable:
        typer.echo(problem, err=True)
    for reason, count in refused.most_common():
        typer.echo(f"{count} games refused: {reason}", err=True)
    typer.echo(f"{games:,} games imported into {target}" if games else "no games imported")
    if not games:
        raise typer.Exit(1 if refused else 2)
    report = check_data(shards(target), {}, games)
    Console().print(report.table())
    for fault in report.faults():
        typer.echo(f"note: {fault}", err=True)
    if unreadable:
        raise typer.Exit(1)


@app.command()
def trees(
    file: Annotated[
        Path, typer.Argument(help="Labelled positions (label-trees).", exists=True, dir_okay=False)
    ],
    networks: Annotated[
        list[Path] | None, typer.Argument(help="Networks (default: the built-in one).")
    ] = None,
) -> None:
    """Measure the error of networks on labelled positions of search trees."""
    from zobra.engine.network_file import BUILT_IN, read_network
    from zobra.train.tree_error import compare, read_labelled

    named = [(str(path), read_network(path)) for path in networks or [BUILT_IN]]
    for line in compare(named, read_labelled(file)):
        typer.echo(line)


@app.command()
def label_trees(
    games: Annotated[Path, typer.Argument(metavar="SET", help="A folder of training games.")],
    file: Annotated[Path, typer.Argument(help="The file to write.", dir_okay=False)],
    engine: Annotated[str, typer.Option(help="Command of the UCI engine.")] = "stockfish",
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for each position.")] = 20_000,
    positions: Annotated[int, typer.Option(min=1, help="Positions to label.")] = 6_000,
    seed: Annotated[int, typer.Option(help="Another seed gives other positions.")] = 0,
) -> None:
    """Label positions of search trees by another engine, to measure networks and never to train
    them.
    """
    import shlex

    from rich.progress import track

    from zobra.train.games import read_sets, write_atomically
    from zobra.train.tree_error import label
    from zobra.train.tree_positions import sample_trees

    command = shlex.split(engine)
    sampled = sample_trees(read_sets([games]), seed)
    labelled = label(sampled, positions, command, nodes)
    lines = [f"fen\tcentipawns of {Path(command[0]).name} at {nodes} nodes"]
    lines += [f"{fen}\t{value}" for fen, value in track(labelled, "label", total=positions)]
    write_atomically(file, ("\n".join(lines) + "\n").encode())
    typer.echo(f"{file}: {len(lines) - 1:,} positions")


@app.command()
def view(
    shard: Annotated[Path, typer.Argument(help="A file of games.", exists=True, dir_okay=False)],
    number: Annotated[
        int | None, typer.Argument(help="The game's number (default: all games).")
    ] = None,
) -> None:
    """Print training games as PGN with their scores."""
    from zobra.train.games import as_pgn, read_positions

    games = [game for game, _ in read_positions(shard, {}) if number in (None, game.number)]
    if not games:
        raise typer.BadParameter(
            f"{shard} has no games" if number is None else f"{shard} has no game {number}"
        )
    for game in games:
        typer.echo(as_pgn(game) + "\n")
