"""The command `zobra report`: the page of a match folder, of PGN files, or of suite results."""

import errno
import os
from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.commands.messages import errors_as_messages, plain_console, print_problems
from zobra.arena.formats.files import write_safely
from zobra.arena.model.suite_results import SuiteResult, load
from zobra.arena.pages.match_page import match_page
from zobra.arena.pages.reported_games import ReportedGames, read_match, read_pgn
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

    The page is one HTML file, which needs nothing else. The exit status is 1 if a game was left
    out, or a part of it.
    """
    console = plain_console()
    with errors_as_messages("report"):
        page_path = output or _usual_page(runs)
        if page_path.resolve() in [run.resolve() for run in runs]:
            raise ValueError(f"{page_path} is one of the inputs: name another file for the page")
        if not force:
            check_replaceable(page_path, "report", source_name(runs))
        found = read_runs(runs)
        if isinstance(found, ReportedGames):
            print_problems(console, found.problems)
        page = page_of(found)
        write_safely(page_path, signed(page, "report", source_name(runs)))
    console.print(f"{page_path} ({len(page) // 1024} KiB)", soft_wrap=True)
    if isinstance(found, ReportedGames) and found.left_out:
        raise typer.Exit(1)


def _usual_page(runs: list[Path]) -> Path:
    """Return where the page goes if nothing is said."""
    first = runs[0]
    if len(runs) > 1:
        return (first if first.is_dir() else first.parent) / "games.html"
    return first / "report.html" if first.is_dir() else first.with_suffix(".html")


def read_runs(runs: list[Path]) -> ReportedGames | SuiteResult:
    """Read a match folder, PGN files or folders of them, or a JSON file of suite results.

    Raise OSError, or ValueError for a damaged file or one of another kind.
    """
    if len(runs) == 1 and _is_match(runs[0]):
        return read_match(runs[0])
    if len(runs) == 1 and not _is_pgn(runs[0]):
        return load(runs[0])
    for run in runs:
        if not run.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(run))
        if not _is_pgn(run):
            raise ValueError(f"{run} is not a PGN file: only PGN files can be combined in one page")
    return read_pgn(*runs)


def page_of(found: ReportedGames | SuiteResult) -> str:
    """Return the page of games or of suite results."""
    return suite_page(found) if isinstance(found, SuiteResult) else match_page(found)


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
