"""The display of a match: games, figures and standings."""

import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.formats.text import finite
from zobra.arena.model.engines import Resources, resources_text
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.model.statistics import Estimate, estimate, sweep_bound
from zobra.arena.runner.match import Match

# Without a terminal
_INTERVAL = 20  # games between two prints of the figures
_FIRST = 4  # games after which the time left is first printed


class MatchDisplay(LivePanel):
    """Shows a match; it is the observer that `Match.play` takes.

    Without a terminal it prints each game, or with an `interval` only figures after so many games.
    """

    def __init__(self, console: Console, what: str, interval: int | None = None) -> None:
        super().__init__(console, what)
        self._prints_games = interval is None
        self._interval = interval or _INTERVAL

    def begin(self, match: Match) -> None:
        """Show the start of a match, or how far a resumed one is."""
        self._last = ""
        self._first = match.results.games + _FIRST
        self.count_from(match.results.games, match.total)
        self._refresh(match)

    def started(self, pairing: Pairing) -> None:
        """Print the start of a game, unless there is a live panel."""
        if not self.live and self._prints_games:
            self.console.print(
                f"game {pairing.index + 1}: {pairing.white} – {pairing.black}", soft_wrap=True
            )

    def finished(self, record: GameRecord, match: Match) -> None:
        """Show a finished game and the new figures."""
        self._last = (
            f"game {record.index + 1}: {record.white} – {record.black} {record.result} "
            f"({record.ending_text})"
        )
        games = match.results.games
        self.count(games)
        if self.live:
            self._refresh(match)
            return
        if self._prints_games:
            self.console.print(self._last, soft_wrap=True)
        if match.is_over:  # the command itself prints the last figures
            return
        if games % self._interval == 0:
            for line in match_figures(match):
                self.console.print(line, soft_wrap=True)
            if not self._prints_games and len(match.results.names) > 2:
                self.console.print(standings(match.results))
        if games % self._interval == 0 or (games == self._first and self._prints_games):
            self.console.print(self.time_left(), soft_wrap=True)

    def _refresh(self, match: Match) -> None:
        below: list[RenderableType] = []
        for line in match_figures(match):
            below.append(_one_line(line))
        if len(match.results.names) > 2 and match.results.games:
            below.append(standings(match.results))
        below.append(_one_line(f"{60 * self.pace:.1f} games per minute"))
        below.append(_one_line(self._last))
        self.show(*below)


def _one_line(text: str) -> Text:
    return Text(text, overflow="ellipsis", no_wrap=True)


def match_figures(match: Match) -> list[str]:
    """Return the result lines of a match; see `figures`."""
    resources = list(match.journal.conditions.resources.values())
    return figures(match.results, match.settings, match.llr, resources)


def figures(
    results: Results, settings: Settings, llr: float | None, resources: Sequence[Resources] = ()
) -> list[str]:
    """Return the result lines of a match of two engines, as match runners print them.

    For more than two engines there are none: `standings` has a table.
    """
    if len(results.names) != 2 or not results.games:
        return []
    first, second = results.names
    conditions = [settings.time_control, resources_text(resources)]
    if settings.book:
        conditions.append(Path(settings.book).name)
    conditions = [condition for condition in conditions if condition]
    losses, draws, wins = results.trinomial(first)
    points = results.points(first)
    counts = results.best_counts(first)
    found = estimate(counts)
    ratio = finite(found.decisive_ratio, ".2f")
    lines = [
        f"{first} vs {second} ({', '.join(conditions)}):",
        f"Elo: {_elo_text(found, counts, results.games)}, "
        f"nElo: {_with_margin(found.normalized_elo, found.normalized_margin)}",
        f"LOS: {found.superiority:.2%}, DrawRatio: {found.draw_ratio:.2%}, PairsRatio: {ratio}",
        f"Games: {results.games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, "
        f"Points: {points:.1f} ({points / results.games:.2%})",
        f"Ptnml(0-2): {results.pentanomial(first)}",
    ]
    if settings.sprt is not None and llr is not None:
        lower, upper = settings.sprt.limits
        share = llr / upper if llr > 0 else -llr / lower
        lines.append(
            f"LLR: {finite(llr, '.2f')} ({finite(share, '.1%')}) ({lower:.2f}, {upper:.2f}) "
            f"{settings.sprt.text}"
        )
    return lines


def _elo_text(found: Estimate, counts: Sequence[int], games: int) -> str:
    """Return the Elo difference with its margin, or its bound after a clean sweep of some games.

    The margin is unknown if all pairs are alike, or if so few games leave every score possible.
    """
    bound = sweep_bound(games)
    if math.isinf(found.elo) and bound > 0:
        return f"> {bound:.2f} (all won)" if found.elo > 0 else f"< {-bound:.2f} (all lost)"
    if math.isinf(found.elo):
        return "unknown (too few games)"
    if math.isfinite(found.elo_margin):
        return _with_margin(found.elo, found.elo_margin)
    is_alike = max(counts) == sum(counts) > 1
    reason = "all pairs alike" if is_alike else "too few games"
    return f"{found.elo:.2f} +/- unknown ({reason})"


def _with_margin(value: float, margin: float) -> str:
    """Return a finite value with its margin, or "unknown"."""
    return f"{value:.2f} +/- {margin:.2f}" if math.isfinite(value) else "unknown"


def standings(results: Results) -> Table:
    """Return the table of all engines, best first."""
    table = Table("", "engine", "Elo", "±", "games", "score", "draws", "pairs 0–2")
    found = {}
    for name in results.names:
        if any(results.trinomial(name)):
            found[name] = estimate(results.best_counts(name))
    ranked = sorted(found, key=lambda name: found[name].score, reverse=True)
    for rank, name in enumerate(ranked, start=1):
        counts = results.trinomial(name)
        games = sum(counts)
        table.add_row(
            str(rank),
            name,
            finite(found[name].elo, "+.1f"),
            finite(found[name].elo_margin, ".1f"),
            str(games),
            f"{results.points(name) / games:.1%}",
            f"{counts[1] / games:.1%}",
            str(results.pentanomial(name)),
        )
    return table
