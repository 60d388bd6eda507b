"""Plots as inline SVG. Their colours are CSS variables of the page, so that they follow its light or dark scheme."""

import io
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

# stands for a CSS variable in what matplotlib writes; any colours do, as long as nothing else uses them
VARIABLES = {
    "#010203": "var(--ink)",
    "#040506": "var(--grid)",
    "#a00001": "var(--series-1)",
    "#a00002": "var(--series-2)",
    "#a00003": "var(--series-3)",
    "#a00004": "var(--series-4)",
    "#a00005": "var(--series-5)",
    "#a00006": "var(--series-6)",
}
INK, GRID, *SERIES = VARIABLES
GREEN = SERIES[2]
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may hold dollar signs
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 1.7,
    "path.simplify_threshold": 0.5,
}


class MissingMatplotlib(RuntimeError):
    """Reports need matplotlib, which playing chess does not."""

    def __init__(self) -> None:
        super().__init__("reports need matplotlib: pip install matplotlib")


def plot(draw: Callable[..., None], *, name: str, label: str, height: float = 3.0, rows: int = 1) -> Markup:
    """Draws on matplotlib axes, `rows` of them under each other, and returns two <svg> elements: for wide and narrow screens.

    `name` keeps element ids apart between the plots of a page, `label` describes the plot to readers who cannot see it.
    """
    wide, narrow = _drawn(draw, name, (8.6, height), rows), _drawn(draw, f"{name}-narrow", (4.2, 0.9 * height), rows)
    return Markup(_inline(wide, label, "wide") + _inline(narrow, label, "narrow"))


def _drawn(draw: Callable[..., None], name: str, size: tuple[float, float], rows: int) -> str:
    """An SVG document; `size` in inches."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingMatplotlib from error
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure = Figure(figsize=size, layout="constrained")
        draw(*figure.subplots(rows, sharex=True, squeeze=False)[:, 0])
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata=dict.fromkeys(["Date", "Creator", "Format", "Type"]))
    return buffer.getvalue()


def _inline(document: str, label: str, kind: str) -> str:
    """The <svg> element of a document, its fixed size, unused ids and fonts taken out, its colours made variables."""
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    head, _, body = svg.partition(">")
    head = re.sub(r' (width|height|version|xmlns(:\w+)?)="[^"]*"', "", head)
    svg = head.replace("<svg", f'<svg class="{kind}" role="img" aria-label="{label}"', 1) + ">" + body
    svg = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    return re.sub(r"\n\s*", "\n", svg)


def steps_over_time(series: Sequence[tuple[str, str, Sequence[float]]], total: int, unit: str) -> Callable[..., None]:
    """How many of `total` were reached by when: one rising step line per series (name, colour of SERIES, times)."""

    def draw(axes: Any) -> None:
        latest = max((max(times) for _, _, times in series if times), default=1.0)
        for name, colour, times in series:
            moments = sorted(max(time, 1.0) for time in times)
            counts = [*range(1, len(moments) + 1), len(moments)]
            axes.step([*moments, latest], counts, where="post", color=colour, label=name)
        axes.axhline(total, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set(xlabel=unit, ylabel=f"solved (of {total})")
        axes.set_ylim(bottom=0)
        axes.legend(loc="lower right")

    return draw


def strength_over_games(
    games: Sequence[int], intervals: Sequence[tuple[float, float, float]], llrs: Sequence[float], limits: tuple[float, ...]
) -> Callable[..., None]:
    """Elo with the ends of its interval over the games; below it the log-likelihood ratio when there are limits for it."""

    def draw(axes: Any, below: Any = None) -> None:
        elo, low, high = zip(*intervals, strict=True)
        axes.fill_between(games, low, high, color=SERIES[0], alpha=0.18, linewidth=0)
        axes.plot(games, elo, color=SERIES[0])
        axes.axhline(0, color=INK, linewidth=0.8)
        # the first games' intervals would squeeze the rest of the plot
        settled = [end for point in intervals[len(intervals) // 8 :] for end in point if math.isfinite(end)]
        axes.set_ylim(min([-1.0, *settled]) - 5, max([1.0, *settled]) + 5)
        axes.set_ylabel("Elo")
        if below is not None:
            below.plot(games, llrs, color=SERIES[1])
            for limit in limits:
                below.axhline(limit, color=INK, linewidth=0.8, linestyle="--")
            below.set_ylabel("LLR")
        (below or axes).set_xlabel("games")

    return draw


def bands_by_move(series: Sequence[tuple[str, str, dict[int, list[float]]]], middle: float, unit: str) -> Callable[..., None]:
    """Medians by move number, with a band that holds the `middle` share of the values.

    Each series has a name, a colour of SERIES, and its values by move number; numbers that few games reached are left out.
    """

    def draw(axes: Any) -> None:
        import numpy as np

        for name, colour, values in series:
            enough = max(3, max((len(v) for v in values.values()), default=0) // 50)
            numbers = sorted(number for number, found in values.items() if len(found) >= enough)
            if not numbers:
                continue
            shares = [50 - middle * 50, 50, 50 + middle * 50]
            low, median, high = np.array([np.percentile(values[number], shares) for number in numbers]).T
            axes.fill_between(numbers, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(numbers, median, color=colour, label=name)
        axes.set(xlabel="move", ylabel=unit)
        if axes.lines:
            axes.legend()

    return draw
