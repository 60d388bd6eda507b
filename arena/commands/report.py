"""The command `zobra report`: the page of a match folder, of a PGN file, or of suite results."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena.commands.messages import errors_as_messages
from zobra.arena.formats.files import write_safely
from zobra.arena.model import suite_results
from zobra.arena.pages.match_page import match_page
from zobra.arena.pages.reported_games import read_match, read_pgn
from zobra.arena.pages.suite_page import suite_page


def report(
    run: Annotated[
        Path,
        typer.Argument(
            help="A match folder, a PGN file from any program, or the JSON file of a suite."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page.", show_default="beside the run")
    ] = None,
) -> None:
    """Write a self-contained HTML page about a match, a PGN file or a suite."""
    page_path = output or (run / "report.html" if run.is_dir() else run.with_suffix(".html"))
    with errors_as_messages():
        write_safely(page_path, page := report_page(run))
    typer.echo(f"{page_path} ({len(page.encode()) // 1024} KiB)")


def report_page(run: Path) -> str:
    """The page for a match folder, a PGN file, or a JSON file of suite results.

    Raises OSError, or ValueError for all else.
    """
    if run.is_dir():
        return match_page(read_match(run))
    if ".pgn" in (suffix.lower() for suffix in run.suffixes):
        return match_page(read_pgn(run))
    return suite_page(suite_results.load(run))
