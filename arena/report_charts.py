"""The charts of a page, as data: charts.js draws them with uPlot. Colours are names of CSS variables."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

GREEN = "series-3"
COLOURS = [f"series-{number}" for number in range(1, 7)]

Chart = dict[str, Any]


def chart(x: Sequence[float], series: list[Chart], xlabel: str, ylabel: str, **more: Any) -> Chart:
    """Lines over common x values. Each of the series has label, colour and y, and where it has a band low and high; all
    values are numbers or None. Further keys: levels (dashed lines), range (of y), log (x axis), steps (instead of lines)."""
    return {"x": list(x), "series": series, "xlabel": xlabel, "ylabel": ylabel, "levels": [], **more}


def steps_over_time(series: Sequence[tuple[str, str, Sequence[float]]], total: int, xlabel: str) -> Chart | None:
    """How many of `total` were reached by when: one rising line per series (label, colour, times); None without times."""
    reached_at = {max(time, 1.0) for _, _, times in series for time in times}
    moments = sorted({1.0, *reached_at, max(reached_at, default=1.0) * 1.2})  # lines begin at 1 and do not end with a step
    lines: list[Chart] = []
    for label, colour, times in series:
        reached = sorted(max(time, 1.0) for time in times)
        lines.append({"label": label, "colour": colour, "y": [bisect_right(reached, moment) for moment in moments]})
    ylabel = f"solved (of {total})"
    return chart(moments, lines, xlabel, ylabel, levels=[total], log=True, steps=True) if reached_at else None


def bands_by_move(series: Sequence[tuple[str, str, dict[int, list[float]]]], middle: float, ylabel: str) -> Chart | None:
    """Medians by move number, with a band that holds the `middle` share of the values.

    Each series has a label, a colour and its values by move number. Numbers that few games reached are left out; None
    where nothing is left.
    """
    found = {}
    for label, _, values in series:
        enough = max(3, max(map(len, values.values()), default=0) // 50)
        shares = [50 - middle * 50, 50, 50 + middle * 50]
        found[label] = {n: np.percentile(v, shares).round(3).tolist() for n, v in values.items() if len(v) >= enough}
    numbers = sorted(set().union(*found.values()))
    lines = [
        {"label": label, "colour": colour}
        | {key: [found[label].get(n, [None] * 3)[at] for n in numbers] for at, key in enumerate(("low", "y", "high"))}
        for label, colour, _ in series
        if found[label]
    ]
    return chart(numbers, lines, "move", ylabel) if numbers else None
