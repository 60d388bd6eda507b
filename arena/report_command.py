"""The command `zobra report`."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena import report_match, report_suite, suite_results
from zobra.arena.command import mistakes_named


def report(
    run: Annotated[Path, typer.Argument(help="A match folder, or the JSON file of a suite.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page (default: beside the run).")] = None,
) -> None:
    """Writes a self-contained HTML page about a match or a suite."""
    page_path = output or (run / "report.html" if run.is_dir() else run.with_suffix(".html"))
    with mistakes_named():
        page = report_page(run)
        page_path.write_text(page, encoding="utf-8")
    typer.echo(f"{page_path} ({len(page.encode()) // 1024} KiB)")


def report_page(run: Path) -> str:
    """The page for a match folder (with run.json) or a JSON file of suite results.

    Raises OSError when a file cannot be read, ValueError when it is neither, MissingMatplotlib without matplotlib.
    """
    return report_match.page(run) if run.is_dir() else report_suite.page(suite_results.load(run))
