"""The command `zobra report`: the page of a match folder, of PGN files, or of suite results."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.commands.messages import errors_as_messages, plain_console, print_problems
from zobra.arena.formats.files import write_safely
from zobra.arena.model import suite_results
from zobra.arena.pages.match_page import match_page
from zobra.arena.pages.reported_games import read_match, read_pgn
from zobra.arena.pages.suite_page import suite_page
from zobra.arena.pages.templates import check_replaceable, signed, source_name


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="A match folder, PGN files from any program, folders of them, or the JSON file "
            "of a suite.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="The page.",
            show_default="beside the run; of several files games.html",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is not this page.")
    ] = False,
) -> None:
    """Write a page about a match, PGN files or a suite.

    The page is one HTML file, which needs nothing else.
    """
    page_path = output or _usual_page(runs)
    console = plain_console()
    left_out = 0
    with errors_as_messages("report"):
        if not force:
            check_replaceable(page_path, "report", source_name(runs))
        if len(runs) == 1 and not _is_pgn(runs[0]):
            page = report_page(runs[0])
        else:
            for run in runs:
                if not _is_pgn(run):
                    raise ValueError(f"{run}: no PGN, and only PGN files have a page together")
            games = read_pgn(*runs)
            page = match_page(games)
            print_problems(console, games.problems)
            left_out = games.left_out
        write_safely(page_path, signed(page, "report", source_name(runs)))
    console.print(f"{page_path} ({len(page) // 1024} KiB)", soft_wrap=True)
    if left_out:
        raise typer.Exit(1)


def _usual_page(runs: list[Path]) -> Path:
    """Return where the page goes if nothing is said."""
    first = runs[0]
    if len(runs) > 1:
        return first.with_name("games.html")
    return first / "report.html" if first.is_dir() else first.with_suffix(".html")


def report_page(run: Path) -> str:
    """Return the page for a match folder, a PGN file, or a JSON file of suite results.

    Raise OSError, or ValueError for a damaged file or one of another kind.
    """
    if _is_match(run):
        return match_page(read_match(run))
    if _is_pgn(run):
        return match_page(read_pgn(run))
    return suite_page(suite_results.load(run))


def _is_match(path: Path) -> bool:
    return (path / "run.json").exists()


def _is_pgn(path: Path) -> bool:
    """Return True for a PGN file or a folder of them. Raise ValueError for what is no run."""
    if _is_match(path):
        return False
    if path.is_dir() or ".pgn" in (suffix.lower() for suffix in path.suffixes):
        return True
    if path.exists() and path.suffix.lower() != ".json":
        raise ValueError(
            f"{path}: neither a match folder, PGN (*.pgn) nor the results of a suite (*.json)"
        )
    return False
