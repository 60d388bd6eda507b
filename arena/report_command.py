"""The command `zobra report`."""

from pathlib import Path
from typing import Annotated

import typer

from zobra.arena import report_match, report_suite, suite_results
from zobra.arena.report_plots import MissingMatplotlib


def report(
    run: Annotated[Path, typer.Argument(help="A match folder, or the JSON file of a suite.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page (default: beside the run).")] = None,
) -> None:
    """Writes a self-contained HTML page about a match or a suite."""
    page_path = output or (run / "report.html" if run.is_dir() else run.with_suffix(".html"))
    try:
        page = report_page(run)
    except OSError as error:
        raise typer.BadParameter(f"{error.filename or run}: {error.strerror}") from error
    except (ValueError, MissingMatplotlib) as error:
        raise typer.BadParameter(str(error)) from error
    try:
        page_path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"cannot write {page_path}: {error.strerror}") from error
    typer.echo(f"{page_path} ({len(page.encode()) // 1024} KiB)")


def report_page(run: Path) -> str:
    """The page for a match folder (with run.json) or a JSON file of suite results.

    Raises OSError when a file cannot be read, ValueError when it is neither, MissingMatplotlib without matplotlib.
    """
    return report_match.page(run) if run.is_dir() else report_suite.page(suite_results.load(run))
