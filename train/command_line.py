"""The commands `zobra train …`. Each imports what it needs only when it runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    import numpy as np

    from zobra.train.pipeline import Pipeline


class _Commands(TyperGroup):
    """Commands that end with a message after a user's error (status 1) or Ctrl-C (status 130)."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, BrokenPipeError):
            raise  # typer ends quietly if the reader of the output has gone
        except KeyboardInterrupt as error:
            from zobra.arena.commands.messages import INTERRUPTED

            typer.echo(f"zobra train: {str(error) or 'interrupted'}", err=True)
            raise typer.Exit(INTERRUPTED) from error
        except (ValueError, RuntimeError, OSError) as error:
            from zobra.arena.commands.messages import end_with_error

            end_with_error("train", error, status=1)


def existing_file(path: Path) -> Path:
    """Return the path of a file. If it cannot be read, end the command with a message."""
    try:
        path.open("rb").close()
    except OSError as error:
        from zobra.arena.commands.messages import end_with_error

        end_with_error("train", error)
    return path


# Any, because Typer fails with Python 3.10 at a callback whose argument is list[Path].
def existing_files(paths: Any) -> list[Path]:
    """Return the paths of files. If one cannot be read, end the command with a message."""
    return [existing_file(path) for path in paths]


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    help="Make an evaluation network by self-play.",
)

RecipeName = Annotated[
    str,
    typer.Argument(metavar="RECIPE", help="A recipe of Zobra's, such as quick, or a TOML file."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        "-f",
        metavar="FOLDER",
        help="Folder of games and networks.",
        show_default="selfplay in the user's data folder",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        "-c",
        min=1,
        metavar="N",
        help="Number of threads.",
        show_default="one for each processor",
    ),
]


Trees = Annotated[
    Path | None,
    typer.Option(
        "--trees",
        metavar="FILE",
        help="Positions labelled by label-trees; the header states the network's error on them.",
    ),
]


def _folder(folder: Path | None) -> Path:
    """Return the folder of games and networks as an absolute path, which a match stores."""
    from platformdirs import user_data_path

    if folder is None:
        folder = user_data_path("zobra", appauthor=False) / "selfplay"
    return folder.resolve()


def _pipeline(
    recipe: str, folder: Path | None, concurrency: int | None, trees: Path | None = None
) -> "Pipeline":
    from rich.console import Console

    from zobra.arena.runner import processors
    from zobra.train.pipeline import Pipeline
    from zobra.train.recipe import read_recipe
    from zobra.train.tree_error import read_labelled

    workers = concurrency or processors.count()
    labelled = None if trees is None else read_labelled(trees)
    return Pipeline(read_recipe(recipe), _folder(folder), Console(), workers, labelled)


@app.command("all")
def all_steps(
    recipe: RecipeName,
    folder: Folder = None,
    concurrency: Concurrency = None,
    trees: Trees = None,
) -> None:
    """Run all steps of a recipe: data, check, network with verify, gate."""
    _pipeline(recipe, folder, concurrency, trees).run()


@app.command()
def data(recipe: RecipeName, folder: Folder = None, concurrency: Concurrency = None) -> None:
    """Play the games of a recipe. The same command resumes an interrupted run."""
    _pipeline(recipe, folder, concurrency).play()


@app.command()
def check(recipe: RecipeName, folder: Folder = None) -> None:
    """Check the games of a recipe: legality, scores, duplicates, balance."""
    _pipeline(recipe, folder, None).check()


@app.command()
def network(
    recipe: RecipeName,
    folder: Folder = None,
    concurrency: Concurrency = None,
    trees: Trees = None,
) -> None:
    """Train a network on the games of a recipe, and verify it."""
    pipeline = _pipeline(recipe, folder, concurrency, trees)
    pipeline.train()
    pipeline.verify()


@app.command()
def verify(recipe: RecipeName, folder: Folder = None) -> None:
    """Verify the network of a recipe, and measure its speed."""
    _pipeline(recipe, folder, None).verify()


@app.command()
def gate(recipe: RecipeName, folder: Folder = None, concurrency: Concurrency = None) -> None:
    """Test a network by an SPRT against the one that played its games."""
    _pipeline(recipe, folder, concurrency).gate()


def _own_positions(
    recipe: str, folder: Path | None, largest_score: int
) -> "tuple[np.ndarray, dict[str, Any]]":
    """Return the positions of a recipe's own games, and facts about them."""
    from dataclasses import replace

    from zobra.train.games import load_positions, read_sets, read_settings

    pipeline = _pipeline(recipe, folder, 1)
    own = pipeline.sets[0]
    paths = read_sets([own])
    settings = read_settings(own)
    wanted = replace(pipeline.recipe.filter, largest_score=largest_score)
    positions, games = load_positions(paths, wanted)
    if not len(positions):
        raise ValueError("these games have no position that passes the filter")
    facts = {
        "recipe": pipeline.recipe.name,
        "set": settings,
        "games": games,
        "positions": len(positions),
    }
    return positions, facts


@app.command()
def wdl(
    recipe: RecipeName,
    folder: Folder = None,
    largest_score: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Leave out positions with larger scores, in internal units."
        ),
    ] = 1_000,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to write the model to.",
            show_default="RECIPE.wdl.json in FOLDER",
            dir_okay=False,
        ),
    ] = None,
    only_check: Annotated[
        bool, typer.Option("--check", help="Only compare the model in use with the games.")
    ] = False,
) -> None:
    """Fit the win-draw-loss model to a recipe's games, and compare it with them."""
    from zobra.search.wdl import fitted
    from zobra.train.wdl_fit import compare_wdl, fit_wdl

    positions, facts = _own_positions(recipe, folder, largest_score)
    if only_check:
        model = fitted()
        typer.echo(model)
    else:
        file = output or _folder(folder) / f"{facts['recipe']}.wdl.json"
        model = fit_wdl(positions, facts, file)
        typer.echo(f"{file}: {model}")
    for line in compare_wdl(model, positions):
        typer.echo(line)


@app.command("import")
def import_games(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PGN", help="PGN files, plain or compressed.", callback=existing_files
        ),
    ],
    name: Annotated[
        str, typer.Option("--set", metavar="NAME", help="Name of the new set in the folder.")
    ] = "imported",
    folder: Folder = None,
) -> None:
    """Import PGN games with a score in each move's comment as training games, and check them."""
    from rich.console import Console

    from zobra.arena.formats.text import counted
    from zobra.train.check import check_data
    from zobra.train.games import shards
    from zobra.train.import_pgn import import_files
    from zobra.train.recipe import Filter

    target = _folder(folder) / name
    found = import_files(files, target)
    for problem in found.unreadable:
        typer.echo(problem, err=True)
    for reason, count in found.refused.most_common():
        typer.echo(f"{counted(count, 'game')} refused: {reason}", err=True)
    if not found.games:
        typer.echo("no games imported")
        raise typer.Exit(1 if found.refused else 2)

    typer.echo(f"{counted(found.games, 'game')} imported into {target}")
    report = check_data(shards(target), Filter(), found.games)
    Console().print(report.table())
    for fault in report.faults():
        typer.echo(f"note: {fault}", err=True)
    if found.unreadable:
        raise typer.Exit(1)


@app.command()
def trees(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Positions labelled by label-trees.",
            callback=existing_file,
        ),
    ],
    networks: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="NETWORK", help="Network files.", show_default="the built-in network"
        ),
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
    games: Annotated[Path, typer.Argument(metavar="GAMES", help="A folder of training games.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The file to write the labelled positions to.", dir_okay=False
        ),
    ],
    engine: Annotated[
        str, typer.Option(metavar="COMMAND", help="Command of the UCI engine that labels.")
    ] = "stockfish",
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Nodes per position.")] = 20_000,
    positions: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of positions to label.")
    ] = 6_000,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed; another one gives other positions.")
    ] = 0,
) -> None:
    """Label positions of search trees by another engine, to measure networks with them.

    After Ctrl-C the positions labelled so far are kept, unless FILE existed before.
    """
    from rich.progress import track

    from zobra.arena.model.engines import read_engine
    from zobra.train.games import read_sets
    from zobra.train.tree_error import check_output, label, write_labelled
    from zobra.train.tree_positions import sample_trees

    check_output(file)
    spec = read_engine(engine)
    labelled = label(sample_trees(read_sets([games]), seed), positions, spec, nodes)
    heading = f"centipawns of {spec.name} at {nodes} nodes"
    count = write_labelled(file, heading, track(labelled, "label", total=positions))
    typer.echo(f"{file}: {count:,} positions")


@app.command()
def view(
    shard: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A file of training games.", callback=existing_file),
    ],
    number: Annotated[
        int | None,
        typer.Argument(
            metavar="NUMBER", help="Number of the game to print.", show_default="all games"
        ),
    ] = None,
) -> None:
    """Print training games as PGN with their scores."""
    from zobra.train.games import as_pgn, read_positions
    from zobra.train.recipe import Filter

    games = [game for game, _ in read_positions(shard, Filter()) if number in (None, game.number)]
    if not games:
        raise typer.BadParameter(f"{shard} has no game {number}")
    for game in games:
        typer.echo(as_pgn(game) + "\n")
