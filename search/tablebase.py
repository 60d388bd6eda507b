"""Endgame tables in Syzygy's format, read by python-chess, which is imported when a path is set.

Ronald de Man's tables know of each position whether it is won, drawn or lost (WDL) and how many plies it takes to the next
capture or pawn move, which zeroes the count of the fifty-move rule (DTZ).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess
    from chess.syzygy import Tablebase as Prober

NAMED = 3  # damaged files that are named one by one


class Tablebase:
    """The tables at hand. `largest` is the number of men (kings counted) up to which there are any, 0 without tables."""

    def __init__(self) -> None:
        self.largest = 0
        self.hits = 0
        self._prober: Prober | None = None

    def open(self, path: str) -> list[str]:
        """Use the tables in these folders (separated as in PATH) from now on; what there is to say about them.

        Where there are none and some folder cannot be read, those that were used before stay.
        """
        if not path:
            self.close()
            return []
        from chess.syzygy import Tablebase as Prober

        prober, remarks, damaged = Prober(), [], []
        for folder in filter(None, path.split(os.pathsep)):
            try:
                for file in sorted(Path(folder).iterdir()):
                    damaged += _add(prober, file)
            except (OSError, ValueError) as error:  # ValueError: a path that no file could have
                remarks.append(f"error: no endgame tables in {folder}: {getattr(error, 'strerror', error)}")
        if damaged:
            more = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
            remarks.append(
                f"error: endgame tables that are damaged or cannot be read are passed over: {', '.join(damaged[:NAMED])}{more}"
            )
        wdl, dtz = ({table.path: table.num for table in tables.values()} for tables in (prober.wdl, prober.dtz))
        if remarks and not wdl and self.largest:
            prober.close()
            return [*remarks, f"endgame tables of up to {self.largest} men are used still"]
        self.close()
        self._prober, self.largest = prober, max(wdl.values(), default=0)
        return [*remarks, f"{len(wdl)} WDL and {len(dtz)} DTZ tables of up to {self.largest} men"]

    def close(self) -> None:
        """Use no tables from now on."""
        if self._prober is not None:
            self._prober.close()
        self._prober, self.largest = None, 0

    def wdl(self, board: chess.Board) -> int:
        """For the side to move: 2 won, 1 won but for the fifty-move rule, 0 drawn, -1 and -2 accordingly.

        This holds when the count of the fifty-move rule stands at 0. KeyError if the tables do not know.
        """
        return self._look_up("probe_wdl", board)

    def dtz(self, board: chess.Board) -> int:
        """Plies to the next capture or pawn move, negative for the side that loses, 0 for a draw; it may be one too few.

        100 is added where the fifty-move rule makes it a draw. KeyError if the tables do not know.
        """
        return self._look_up("probe_dtz", board)

    def _look_up(self, probe: str, board: chess.Board) -> int:
        if self._prober is None:
            raise KeyError("there are no endgame tables")
        value = getattr(self._prober, probe)(board)
        self.hits += 1
        return int(value)


def _add(prober: Prober, file: Path) -> list[str]:
    """Add a file if it is a table; its path, in a list, if it cannot be used (the size of a table is 64 n + 16 bytes)."""
    import chess

    magic = {chess.Board.tbw_suffix: chess.Board.tbw_magic, chess.Board.tbz_suffix: chess.Board.tbz_magic}.get(file.suffix)
    if magic is None or not file.is_file():
        return []
    try:
        with file.open("rb") as table:
            if table.read(4) != magic or file.stat().st_size % 64 != 16:
                return [str(file)]
    except OSError:
        return [str(file)]
    prober.add_file(str(file))
    return []
