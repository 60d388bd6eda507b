"""Reports: one self-contained HTML page for a match folder or for a file of suite results."""

from pathlib import Path

from zobra.arena import report_match, report_suite, suite_results


def report_page(run: Path) -> str:
    """The page for a match folder (with run.json) or a JSON file of suite results.

    Raises OSError when a file cannot be read, ValueError when it is neither, MissingMatplotlib without matplotlib.
    """
    return report_match.page(run) if run.is_dir() else report_suite.page(suite_results.load(run))
