"""A plot of the values of a tuning run."""

import io
import math
from pathlib import Path

import numpy as np

from zobra.arena.formats.files import write_safely
from zobra.arena.runner.tuning import Tuning

_POINTS = 200  # of a course in a drawing


def draw_course(tuning: Tuning, path: Path) -> bool:
    """Plot each value against the games in its own panel, with a grey line at its default.

    Return False if matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    columns = math.isqrt(len(tuning.values))
    rows = math.ceil(len(tuning.values) / columns)
    figure = Figure(figsize=(3.2 * columns, 2 * rows), layout="constrained")

    shown = np.unique(np.linspace(0, len(tuning.course) - 1, _POINTS).round().astype(int))
    courses = np.array(tuning.course)[shown].T
    panels = zip(tuning.plan.tunables, courses, strict=True)
    for place, (entry, course) in enumerate(panels, start=1):
        axes = figure.add_subplot(rows, columns, place, title=entry.name.replace("$", r"\$"))
        axes.plot(shown * tuning.games_each, course)
        axes.axhline(entry.default, color="grey", linewidth=0.8)
    figure.supxlabel("games")

    drawing = io.BytesIO()
    figure.savefig(drawing, format=path.suffix[1:])
    write_safely(path, drawing.getvalue())
    return True
