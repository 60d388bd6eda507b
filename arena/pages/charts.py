"""Charts of a page: data that charts.js draws with uPlot. Colours are names of CSS variables."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

COLOURS = [f"series-{number}" for number in range(1, 7)]
Chart = dict[str, Any]
GREEN = COLOURS[2]


def chart(x: Sequence[float], series: list[Chart], xlabel: str, ylabel: str, **more: Any) -> Chart:
    """Return a line chart with common x values.

    Each series has label, colour and y, and for a band low and high; all values are numbers or
    None. Further keys: levels (dashed lines), range (of y), log (x axis), steps (instead of lines).
    """
    return {
        "x": list(x),
        "series": series,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "levels": [],
        **more,
    }


def steps_over_time(
    series: Sequence[tuple[str, str, Sequence[float]]], total: int, xlabel: str
) -> Chart | None:
    """Return a chart of how many of `total` positions were solved over time, or None without any.

    There is one rising line per series (label, colour, times).
    """
    times = {}
    reached_at: set[float] = set()
    for label, _, reached in series:
        times[label] = sorted(max(time, 1.0) for time in reached)
        reached_at.update(times[label])
    if not reached_at:
        return None

    # Lines begin at 1 and do not end with a step
    moments = sorted({1.0, *reached_at, max(reached_at) * 1.2})
    lines: list[Chart] = []
    for label, colour, _ in series:
        counts = [bisect_right(times[label], moment) for moment in moments]
        lines.append({"label": label, "colour": colour, "y": counts})
    return chart(
        moments, lines, xlabel, f"solved (of {total})", levels=[total], log=True, steps=True
    )


def bands_by_move(
    values: Iterable[tuple[str, int, float | None]],
    colours: dict[str, str],
    middle: float,
    ylabel: str,
) -> Chart | None:
    """Return a chart of medians by move number, or None if nothing is left to show.

    `values` are (label, move number, value). A band covers the `middle` percent of the values.
    `colours` are those of the labels to show. Move numbers that few games reached are left out.
    """
    found: dict[str, dict[int, list[float]]] = {label: defaultdict(list) for label in colours}
    for label, number, value in values:
        if label in found and value is not None:
            found[label][number].append(value)

    lines = {label: _percentiles(by_number, middle) for label, by_number in found.items()}
    numbers = sorted({number for line in lines.values() for number in line})
    if not numbers:
        return None
    series = []
    for label, line in lines.items():
        if line:
            entry: Chart = {"label": label, "colour": colours[label]}
            for place, key in enumerate(("low", "y", "high")):
                entry[key] = [line[n][place] if n in line else None for n in numbers]
            series.append(entry)
    return chart(numbers, series, "move", ylabel)


def _percentiles(by_number: dict[int, list[float]], middle: float) -> dict[int, list[float]]:
    """Return lower bound, median and upper bound for each move number with enough values."""
    shares = [50 - middle / 2, 50, 50 + middle / 2]
    enough = max(3, max(map(len, by_number.values()), default=0) // 50)
    found = {}
    for number, values in by_number.items():
        if len(values) >= enough:
            found[number] = np.percentile(values, shares).round(3).tolist()
    return found
