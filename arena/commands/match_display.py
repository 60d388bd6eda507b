"""What a match shows: games, figures and standings."""

import time
from statistics import median

from rich.table import Table
from rich.text import Text

from zobra.arena.commands.live_panel import LivePanel
from zobra.arena.formats.text import finite
from zobra.arena.model.journal import GameRecord
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.model.statistics import estimate
from zobra.arena.model.suite_results import Outcome, SuitePosition, SuiteResult
from zobra.arena.runner.match import Match, Results

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


def mate_text(moves: int) -> str:
    """ "mate in 3", or "mated in 3" for -3."""
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def asked(position: SuitePosition) -> str:
    """What a position asks for, such as "bm Qg6, mate in 3"."""
    parts = [
        f"{opcode} {position.san(*moves)}"
        for opcode, moves in (("bm", position.best), ("am", position.avoid))
        if moves
    ]
    if position.mate_in is not None:
        parts.append(mate_text(position.mate_in))
    return ", ".join(parts) or ("most points" if position.maximum_points else "")


def outcome_text(position: SuitePosition, outcome: Outcome | None) -> str:
    """An outcome in one line: the move, its points, and the effort of the first stable solution or
    what is missing.
    """
    if outcome is None:
        return ""
    move = position.san(outcome.move) + (f", {outcome.points} points" if position.points else "")
    if (since := outcome.solution) is None:
        return f"✗ {move}: {outcome.why}"
    return f"✓ {move}, {since.time_ms} ms, {since.nodes:,} nodes, depth {since.depth}"


def summary_rows(result: SuiteResult) -> list[list[str]]:
    """The comparison of the engines over the positions that they searched: a heading, then one cell
    per engine.
    """
    headings = [
        "solved",
        "points",
        "median time to solution",
        "search time",
        "nodes per second",
        "not searched",
    ]
    columns = []
    for engine in result.engines:
        pairs = zip(result.positions, engine.outcomes, strict=True)
        possible = sum(
            position.maximum_points for position, outcome in pairs if outcome is not None
        )
        efforts, times = [outcome.effort for outcome in engine.answered], engine.solution_times()
        spent, nodes = sum(e.time_ms for e in efforts), sum(e.nodes for e in efforts if e.time_ms)
        parts = (engine.solved, len(engine.answered)), (engine.points, possible)
        shares = [
            f"{part} of {whole} ({part / whole:.1%})" if whole else "-" for part, whole in parts
        ]
        speed = f"{nodes * 1000 // spent:,}" if spent else "-"
        usual = f"{median(times):.0f} ms" if times else "-"
        columns.append(
            [*shares, usual, f"{spent / 1000:.1f} s", speed, str(engine.outcomes.count(None))]
        )
    left_out = {"points": not result.maximum_points, "not searched": result.finished}
    return [[*row] for row in zip(headings, *columns, strict=True) if not left_out.get(row[0])]
