"""What a run shows: a live panel on a terminal, plain lines elsewhere; and the figures of a match."""

import math
import time
from contextlib import ExitStack

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from zobra.arena.game_record import GameRecord
from zobra.arena.match import Match, Results
from zobra.arena.settings import Pairing, Settings
from zobra.arena.statistics import estimate

_INTERVAL = 20  # without a terminal: figures after so many games


def counted(number: int, thing: str) -> str:
    """ "1 game", "2 games"."""
    return f"{number} {thing}" + "s" * (number != 1)


def finite(value: float, form: str) -> str:
    """A number in this format, or "-" where it is infinite or unknown."""
    return format(value, form) if math.isfinite(value) else "-"


class LivePanel(ExitStack):
    """A panel with a progress bar at its top, shown on a terminal only. A context manager, as it must be taken down."""

    def __init__(self, console: Console, what: str) -> None:  # what is being counted, or by which engine
        super().__init__()
        self.console, name = console, TextColumn("{task.description}", markup=False)
        times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
        self._progress = Progress(name, BarColumn(), MofNCompleteColumn(), *times, console=console)
        self._task = self._progress.add_task(what, total=None)
        live = Live(console=console, refresh_per_second=4, transient=True)
        self.live = self.enter_context(live) if console.is_terminal else None

    def count_from(self, done: int, total: int, thing: str = "game") -> None:
        """Begins, or resumes after what is done already."""
        self._progress.reset(self._task, total=total, completed=done)
        if done:
            self.console.print(f"resuming after {done} of {counted(total, thing)}")
        self.show()

    def count(self, done: float) -> None:
        """Sets how much is done."""
        self._progress.update(self._task, completed=done)

    def show(self, *below: RenderableType) -> None:
        """Shows the bar with something below it, where there is a terminal."""
        if self.live:
            self.live.update(Group(self._progress, *below))


class MatchDisplay(LivePanel):
    """Shows a match, as its observer (see Match.play)."""

    def begin(self, match: Match) -> None:
        self._begun, self._before, self._last = time.monotonic(), match.results.games, ""
        self.count_from(match.results.games, match.total)
        self._refresh(match)

    def started(self, pairing: Pairing) -> None:
        if not self.live:
            self.console.print(f"game {pairing.index + 1}: {pairing.white} – {pairing.black}", soft_wrap=True)

    def finished(self, record: GameRecord, match: Match) -> None:
        self._last = f"game {record.index + 1}: {record.white} – {record.black} {record.result} ({record.ending_text})"
        self.count(match.results.games)
        if self.live:
            self._refresh(match)
        else:
            show_figures = match.results.games % _INTERVAL == 0
            for line in [self._last, *(figures(match.results, match.settings, match.llr) if show_figures else [])]:
                self.console.print(line, soft_wrap=True)

    def _refresh(self, match: Match) -> None:
        pace = (match.results.games - self._before) * 60 / max(1e-9, time.monotonic() - self._begun)
        lines = [*figures(match.results, match.settings, match.llr), f"{pace:.1f} games a minute", self._last]
        self.show(*(Text(line, overflow="ellipsis", no_wrap=True) for line in lines))


def figures(results: Results, settings: Settings, llr: float | None) -> list[str]:
    """The figures of two engines, as match runners print them; more engines have a table instead."""
    if len(results.names) != 2 or not results.games:
        return []
    first, second = results.names
    (losses, draws, wins), points = results.trinomial(first), results.points(first)
    found = estimate(results.best_counts(first))
    values = found.elo, found.elo_margin, found.normalized_elo, found.normalized_margin, found.decisive_ratio
    elo, margin, normalized, normalized_margin, ratio = (finite(value, ".2f") for value in values)
    lines = [
        f"{first} vs {second} ({settings.time_control}):",
        f"Elo: {elo} +/- {margin}, nElo: {normalized} +/- {normalized_margin}",
        f"LOS: {found.superiority:.2%}, DrawRatio: {found.draw_ratio:.2%}, PairsRatio: {ratio}",
        f"Games: {results.games}, Wins: {wins}, Losses: {losses}, Draws: {draws}, "
        f"Points: {points:.1f} ({points / results.games:.2%})",
        f"Ptnml(0-2): {results.pentanomial(first)}",
    ]
    if settings.sprt is not None and llr is not None:
        lower, upper = settings.sprt.limits
        share = llr / upper if llr > 0 else -llr / lower
        lines.append(f"LLR: {finite(llr, '.2f')} ({finite(share, '.1%')}) ({lower:.2f}, {upper:.2f}) {settings.sprt.text}")
    return lines


def standings(results: Results) -> Table:
    """All engines, the best first."""
    table = Table("", "engine", "Elo", "±", "games", "score", "draws", "pairs 0–2")
    found = {name: estimate(results.best_counts(name)) for name in results.names if any(results.trinomial(name))}
    for rank, name in enumerate(sorted(found, key=lambda name: -found[name].score), start=1):
        counts, elo = results.trinomial(name), [finite(found[name].elo, "+.1f"), finite(found[name].elo_margin, ".1f")]
        shares = f"{results.points(name) / sum(counts):.1%}", f"{counts[1] / sum(counts):.1%}"
        table.add_row(str(rank), name, *elo, str(sum(counts)), *shares, str(results.pentanomial(name)))
    return table


def faults(results: Results) -> list[str]:
    """What engines lost by other means than chess."""
    return [f"{name} lost {counted(number, 'game')} by {reason}" for (name, reason), number in sorted(results.faults.items())]
