"""What a match shows: games, figures and standings."""

import time

from rich.table import Table
from rich.text import Text

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.formats.text import finite
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.model.statistics import estimate
from zobra.arena.runner.match import Match

_INTERVAL = 20  # without a terminal: figures after so many games


class MatchDisplay(LivePanel):
    """Shows a match, as its observer (see Match.play)."""

    def begin(self, match: Match) -> None:
        """A match begins or is resumed."""
        self._begun, self._before, self._last = time.monotonic(), match.results.games, ""
        self.count_from(match.results.games, match.total)
        self._refresh(match)

    def started(self, pairing: Pairing) -> None:
        """A game begins."""
        if not self.live:
            self.console.print(
                f"game {pairing.index + 1}: {pairing.white} – {pairing.black}", soft_wrap=True
            )

    def finished(self, record: GameRecord, match: Match) -> None:
        """A game has ended."""
        self._last = (
            f"game {record.index + 1}: {record.white} – {record.black} {record.result} "
            f"({record.ending_text})"
        )
        self.count(match.results.games)
        if self.live:
            self._refresh(match)
        else:
            show_figures = match.results.games % _INTERVAL == 0
            for line in [
                self._last,
                *(figures(match.results, match.settings, match.llr) if show_figures else []),
            ]:
                self.console.print(line, soft_wrap=True)

    def _refresh(self, match: Match) -> None:
        pace = (match.results.games - self._before) * 60 / max(1e-9, time.monotonic() - self._begun)
        lines = [
            *figures(match.results, match.settings, match.llr),
            f"{pace:.1f} games a minute",
            self._last,
        ]
        self.show(*(Text(line, overflow="ellipsis", no_wrap=True) for line in lines))


def figures(results: Results, settings: Settings, llr: float | None) -> list[str]:
    """The figures of two engines, as match runners print them; more engines have a table
    instead.
    """
    if len(results.names) != 2 or not results.games:
        return []
    first, second = results.names
    (losses, draws, wins), points = results.trinomial(first), results.points(first)
    found = estimate(results.best_counts(first))
    values = (
        found.elo,
        found.elo_margin,
        found.normalized_elo,
        found.normalized_margin,
        found.decisive_ratio,
    )
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
        lines.append(
            f"LLR: {finite(llr, '.2f')} ({finite(share, '.1%')}) ({lower:.2f}, {upper:.2f}) "
            f"{settings.sprt.text}"
        )
    return lines


def standings(results: Results) -> Table:
    """All engines, the best first."""
    table = Table("", "engine", "Elo", "±", "games", "score", "draws", "pairs 0–2")
    found = {
        name: estimate(results.best_counts(name))
        for name in results.names
        if any(results.trinomial(name))
    }
    for rank, name in enumerate(sorted(found, key=lambda name: -found[name].score), start=1):
        counts, elo = (
            results.trinomial(name),
            [finite(found[name].elo, "+.1f"), finite(found[name].elo_margin, ".1f")],
        )
        shares = f"{results.points(name) / sum(counts):.1%}", f"{counts[1] / sum(counts):.1%}"
        table.add_row(
            str(rank), name, *elo, str(sum(counts)), *shares, str(results.pentanomial(name))
        )
    return table
