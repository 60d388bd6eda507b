"""Checks training games: legal, scored from the right side, without many duplicates, and not all won by one side."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from zobra.train.game_kernel import ENDINGS
from zobra.train.games import read_positions
from zobra.train.positions import PACKED

CLEAR_SCORE = 300  # centipawns: a side so far ahead mostly wins
LEAST_COHERENCE, MOST_DUPLICATES = 0.8, 0.2
LEAST_SHARE, LARGEST_SHARE = 0.35, 0.65  # White's share of the points
BOARD = np.dtype([(name, PACKED[name]) for name in ("occupied", "pieces")])


@dataclass(frozen=True)
class DataReport:
    """What games are like; for `coherence` and `duplicates` see the functions of these names."""

    games: int
    plies: int
    positions: int
    results: Counter[int]
    endings: Counter[str]
    coherence: float | None
    duplicates: float
    median_score: float

    def faults(self) -> list[str]:
        """Reasons not to train on the data, in words."""
        found = []
        if self.coherence is not None and self.coherence < LEAST_COHERENCE:
            found.append(f"only {self.coherence:.0%} of the clear scores agree with the result: are they from the right side?")
        if self.duplicates > MOST_DUPLICATES:
            found.append(f"{self.duplicates:.0%} of the positions occur more than once")
        share = (2 * self.results[2] + self.results[1]) / (2 * max(1, self.games))
        if self.games and not LEAST_SHARE <= share <= LARGEST_SHARE:
            found.append(f"White has {share:.0%} of the points")
        return found

    def table(self) -> Table:
        """The report for a terminal."""
        table = Table(show_header=False)
        won, drawn, lost = (self.results[result] for result in (2, 1, 0))
        table.add_row("games", f"{self.games:,} (White +{won} ={drawn} -{lost})")
        table.add_row("plies", f"{self.plies:,}")
        table.add_row("positions kept", f"{self.positions:,}")
        table.add_row("endings", ", ".join(f"{name} {count}" for name, count in self.endings.most_common()))
        table.add_row("coherence", "no clear scores" if self.coherence is None else f"{self.coherence:.1%} of clear scores won")
        table.add_row("duplicates", f"{self.duplicates:.1%}")
        table.add_row("median |score|", f"{self.median_score:.0f} centipawns")
        return table


def coherence(positions: np.ndarray) -> float | None:
    """Share of the clearly scored positions of decided games that the leading side won; None without any."""
    clear = positions[(np.abs(positions["score"].astype(int)) >= CLEAR_SCORE) & (positions["result"] != 1)]
    return float(((clear["score"] > 0) == (clear["result"] == 2)).mean()) if len(clear) else None


def duplicate_share(positions: np.ndarray) -> float:
    """Share of positions that repeat an earlier one."""
    boards = np.empty(len(positions), BOARD)
    boards["occupied"], boards["pieces"] = positions["occupied"], positions["pieces"]
    return 1 - len(np.unique(boards.view(f"V{BOARD.itemsize}"))) / len(positions) if len(positions) else 0.0


def check_data(paths: Iterable[Path], rules: dict[str, int]) -> DataReport:
    """Replay all games of these shards; DataError where a file is damaged or a move is illegal."""
    parts, plies, results, endings = [np.zeros(0, PACKED)], 0, Counter[int](), Counter[str]()
    for path in paths:
        for game, found in read_positions(path, rules):
            parts.append(found)
            results[game.result] += 1
            endings[ENDINGS[game.ending]] += 1
            plies += len(game.moves)
    positions = np.concatenate(parts)
    median = float(np.median(np.abs(positions["score"]))) if len(positions) else 0.0
    shares = coherence(positions), duplicate_share(positions)
    return DataReport(results.total(), plies, len(positions), results, endings, *shares, median)
