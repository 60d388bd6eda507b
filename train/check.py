"""The check of a data set before training: it replays each game, and finds faults."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.recfunctions import repack_fields
from rich.table import Table

from zobra.train.game_kernel import ENDINGS, GOLDEN
from zobra.train.games import read_positions
from zobra.train.positions import PACKED
from zobra.train.recipe import Filter

CLEAR_SCORE = 300  # internal units: a side this far ahead mostly wins
COMPARED_GAMES = 100_000  # their positions fit in memory
MIN_COHERENCE = 0.8
MAX_DUPLICATES = 0.2
MIN_WHITE_SHARE = 0.35  # of the points
MAX_WHITE_SHARE = 0.65
HIGH_HALF = np.uint64(32)


class DataReport(NamedTuple):
    """Statistics of the games of a set.

    `results` counts games by half points for White, and `positions` those positions that pass the
    filter. For `coherence` and `duplicates` see the functions of this module.
    """

    games: int
    plies: int
    positions: int
    results: Counter[int]
    endings: Counter[str]
    coherence: float | None
    duplicates: float
    median_score: float  # median of |score|, internal units

    def faults(self) -> list[str]:
        """Return the reasons not to train on these games, as sentences."""
        found = []
        if not self.positions:
            found.append("no position passes the filter")
        if self.coherence is not None and self.coherence < MIN_COHERENCE:
            found.append(
                f"only {self.coherence:.0%} of the clear scores agree with the result: is their "
                "sign right?"
            )
        if self.duplicates > MAX_DUPLICATES:
            found.append(f"{self.duplicates:.0%} of the positions repeat an earlier one")
        half_points = 2 * self.results[2] + self.results[1]
        white_share = half_points / (2 * max(1, self.games))
        if self.games and not MIN_WHITE_SHARE <= white_share <= MAX_WHITE_SHARE:
            found.append(f"White has {white_share:.0%} of the points")
        return found

    def table(self) -> Table:
        """Return the report as a table for the terminal."""
        results = f"White +{self.results[2]} ={self.results[1]} -{self.results[0]}"
        endings = [f"{name} {count}" for name, count in self.endings.most_common()]
        coherence = "no clear scores"
        if self.coherence is not None:
            coherence = f"{self.coherence:.1%} of clear scores won"

        table = Table(show_header=False)
        table.add_row("games", f"{self.games:,} ({results})")
        table.add_row("plies", f"{self.plies:,}")
        table.add_row("positions kept", f"{self.positions:,}")
        table.add_row("endings", ", ".join(endings))
        table.add_row("coherence", coherence)
        table.add_row("duplicates", f"{self.duplicates:.1%}")
        table.add_row("median |score|", f"{self.median_score:.0f} internal units")
        return table


def coherence(positions: np.ndarray) -> float | None:
    """Return how often the side ahead won, over positions with a clear score in decisive games.

    Return None if there are no such positions.
    """
    is_clear = np.abs(positions["score"].astype(int)) >= CLEAR_SCORE
    clear = positions[is_clear & (positions["result"] != 1)]
    if not len(clear):
        return None
    agrees = (clear["score"] > 0) == (clear["result"] == 2)
    return float(agrees.mean())


def duplicate_share(positions: np.ndarray) -> float:
    """Return the share of positions that repeat an earlier one."""
    if not len(positions):
        return 0.0
    boards = repack_fields(positions[["occupied", "pieces"]])
    different = np.unique(boards.view(f"V{boards.itemsize}"))
    return 1 - len(different) / len(positions)


def sample_boards(positions: np.ndarray, one_in: int) -> np.ndarray:
    """Return about one in `one_in` positions, chosen by a hash of their occupied squares.

    Of equal boards, either all are chosen or none.
    """
    mixed = positions["occupied"] * GOLDEN >> HIGH_HALF
    return positions[mixed % np.uint64(one_in) == 0]


def check_data(paths: Iterable[Path], wanted: Filter, games: int) -> DataReport:
    """Replay the games of shards, `games` in all, and return their statistics.

    If there are more than COMPARED_GAMES, coherence, duplicates and the median score are estimated
    from a sample of the positions. Raise DataError if a file is damaged or a move is illegal.
    """
    one_in = 1 + (games - 1) // COMPARED_GAMES
    parts = [np.zeros(0, PACKED)]
    plies = 0
    kept = 0
    results = Counter[int]()
    endings = Counter[str]()
    for path in paths:
        for game, found in read_positions(path, wanted):
            parts.append(sample_boards(found, one_in))
            plies += len(game.moves)
            kept += len(found)
            results[game.result] += 1
            endings[ENDINGS[game.ending]] += 1

    sample = np.concatenate(parts)
    median = float(np.median(np.abs(sample["score"]))) if len(sample) else 0.0
    return DataReport(
        results.total(),
        plies,
        kept,
        results,
        endings,
        coherence(sample),
        duplicate_share(sample),
        median,
    )
