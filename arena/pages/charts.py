"""Charts of a page: data, which charts.js draws with uPlot; colours are names of CSS variables."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

COLOURS = [f"series-{number}" for number in range(1, 7)]
Chart = dict[str, Any]
GREEN = COLOURS[2]


def chart(x: Sequence[float], series: list[Chart], xlabel: str, ylabel: str, **more: Any) -> Chart:
    """Lines over common x values.

    Each of the series has label, colour and y, and where it has a band low and high; all values are
    numbers or None. Further keys: levels (dashed lines), range (of y), log (x axis), steps (instead
    of lines).
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
    """How many of `total` were reached by when: one rising line per series (label, colour, times);
    None without times.
    """
    times = {label: sorted(max(time, 1.0) for time in reached) for label, _, reached in series}
    reached_at = {time for reached in times.values() for time in reached}
    if not reached_at:
        return None
    moments = sorted(
        {1.0, *reached_at, max(reached_at) * 1.2}
    )  # lines begin at 1 and do not end with a step
    lines: list[Chart] = [
        {
            "label": label,
            "colour": colour,
            "y": [bisect_right(times[label], moment) for moment in moments],
        }
        for label, colour, _ in series
    ]
    return chart(
        moments, lines, xlabel, f"solved (of {total})", levels=[total], log=True, steps=True
    )


def bands_by_move(
    values: Iterable[tuple[str, int, float | None]],
    colours: dict[str, str],
    middle: float,
    ylabel: str,
) -> Chart | None:
    """Medians by move number of (label, number, value), with a band that holds the `middle`
    percent. `colours` are those of the labels that are shown. Numbers that few games reached are
    left out; None where nothing is left.
    """
    found: dict[str, dict[int, list[float]]] = {label: defaultdict(list) for label in colours}
    for label, number, value in values:
        if label in found and value is not None:
            found[label][number].append(value)
    lines, shares = {}, [50 - middle / 2, 50, 50 + middle / 2]
    for label, by_number in found.items():
        enough = max(3, max(map(len, by_number.values()), default=0) // 50)
        lines[label] = {
            n: np.percentile(v, shares).round(3).tolist()
            for n, v in by_number.items()
            if len(v) >= enough
        }
    numbers = sorted(set().union(*lines.values()))
    series = [
        {"label": label, "colour": colours[label]}
        | {
            key: [line.get(n, [None] * 3)[at] for n in numbers]
            for at, key in enumerate(("low", "y", "high"))
        }
        for label, line in lines.items()
        if line
    ]
    return chart(numbers, series, "move", ylabel) if numbers else None
