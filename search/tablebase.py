"""Endgame tables in Syzygy's format, probed at the root by python-chess.

The tables know of each position whether it is won, drawn or lost (WDL), and the plies to the next capture or pawn move (DTZ),
which resets the count of the fifty-move rule. The search is confined to the root moves that keep the result. A won position is
played by DTZ, so that each move makes progress and the fifty-move rule is kept. Idea: Ronald de Man, in Stockfish.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.wdl import CERTAIN

if TYPE_CHECKING:
    from chess.syzygy import Tablebase as Prober

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2  # for the side to move; the fifty-move rule draws the middle three
SCORES = {WIN: CERTAIN, CURSED_WIN: 40, DRAW: 0, BLESSED_LOSS: -40, LOSS: -CERTAIN}  # centipawns
ZEROING_DTZ = {WIN: 1, CURSED_WIN: 101, DRAW: 0, BLESSED_LOSS: -101, LOSS: -1}  # of a capture or pawn move
CLOCK_SHARE, MOVETIME_SHARE = 0.03, 0.3  # of the time for the move: the most that probing may take
NAMED = 3  # damaged files that are named one by one


@dataclass(frozen=True)
class RootRanking:
    """The root moves to search, the result that they keep (None: not known), and the probes and milliseconds it took."""

    moves: tuple[int, ...]
    wdl: int | None
    hits: int
    milliseconds: int

    def confine(self, limits: Limits) -> Limits:
        """The limits for the search that follows: its moves, and what is left of its time."""
        return replace(limits.after(self.milliseconds), searchmoves=limits.searchmoves if self.wdl is None else self.moves)

    def adjust(self, report: Report) -> Report:
        """The report with the score of the tables, unless the search has found the mate itself."""
        report = replace(report, tablebase_hits=self.hits)
        if self.wdl is None:
            return report
        score = SCORES[self.wdl]
        found_mate = abs(self.wdl) == WIN and is_mate(report.score) and (report.score > 0) == (score > 0)
        return report if found_mate else replace(report, score=score, bound=0)


class Tablebase:
    """The endgame tables in use. `inform` receives the messages for the user; `hits` counts probes.

    `largest` is the number of pieces, kings included, of the largest table (0: no tables); positions of more than `probe_limit`
    pieces are not probed. `fifty_move_rule` says whether that rule counts.
    """

    def __init__(self, inform: Callable[[str], None]) -> None:
        self.probe_limit, self.fifty_move_rule = 7, True
        self.largest = self.hits = 0
        self._inform = inform
        self._prober: Prober | None = None

    def open(self, path: str) -> None:
        """Use the tables in these folders, separated as in PATH (empty: none).

        Damaged files are reported. ValueError if a folder cannot be read and no other has tables; the last ones stay in use.
        """
        if not path:
            self.close()
            return
        from chess.syzygy import Tablebase as Prober

        prober, damaged, unreadable = Prober(), list[str](), list[str]()
        for folder in filter(None, path.split(os.pathsep)):
            try:
                damaged += [str(file) for file in sorted(Path(folder).iterdir()) if not _add(prober, file)]
            except (OSError, ValueError) as error:  # ValueError: a path that no file can have
                unreadable.append(f"no endgame tables in {folder}: {getattr(error, 'strerror', error)}")
        if damaged:
            more = f" and {len(damaged) - NAMED} more" if len(damaged) > NAMED else ""
            self._inform(f"error: endgame tables that are damaged or unreadable: {', '.join(damaged[:NAMED])}{more}")
        wdl, dtz = ({table.path: table.num for table in tables.values()} for tables in (prober.wdl, prober.dtz))
        if unreadable and not wdl:
            prober.close()
            raise ValueError("; ".join(unreadable))
        for problem in unreadable:
            self._inform(f"error: {problem}")
        self.close()
        self._prober, self.largest = prober, max(wdl.values(), default=0)
        self._inform(f"{len(wdl)} WDL and {len(dtz)} DTZ tables of up to {self.largest} pieces")

    def close(self) -> None:
        """Use no tables."""
        if self._prober is not None:
            self._prober.close()
        self._prober, self.largest = None, 0

    def probe(self, kind: str, board: chess.Board) -> int:
        """The entry of a position in the tables of this kind, for the side to move. KeyError if there is none.

        "wdl": the result, if the count of the fifty-move rule is 0. "dtz": plies to the next capture or pawn move, negative for
        the side that loses, 0 for a draw; possibly one too few. 100 is added where the fifty-move rule makes it a draw.
        """
        if self._prober is None:
            raise KeyError("there are no endgame tables")
        value = self._prober.probe_wdl(board) if kind == "wdl" else self._prober.probe_dtz(board)
        self.hits += 1
        return int(value)

    def rank(self, game: Game, limits: Limits, analysing: bool, is_stopped: Callable[[], bool]) -> RootRanking | None:
        """Rank the root moves that `limits` allow; None if no table is large enough. This ends after a small share of the time.

        `analysing` asks for all moves that keep the result, not only for those that make progress.
        """
        if len(game.position.pieces()) > min(self.probe_limit, self.largest):
            return None
        begin, hits = time.monotonic(), self.hits
        deadline = begin + _seconds(limits, game.position.white_to_move())
        probe = _RootProbe(self, game, limits, analysing, lambda: is_stopped() or time.monotonic() > deadline)
        wdl = None
        try:
            wdl = probe.rank()
        except (KeyError, TimeoutError):  # a missing table, castling rights, or no time
            pass
        except Exception as error:  # a fault in the tables must not cost the game
            self._inform(f"error: endgame tables are not used any more: {type(error).__name__}: {error}")
            self.close()
        milliseconds = round(1000 * (time.monotonic() - begin))
        return RootRanking(tuple(probe.kept), wdl, self.hits - hits, milliseconds)


class _RootProbe:
    """Ranks the moves of one root. `kept` are the moves to search, all of them until they are ranked."""

    def __init__(self, tables: Tablebase, game: Game, limits: Limits, analysing: bool, is_late: Callable[[], bool]) -> None:
        self._tables, self._analysing, self._is_late = tables, analysing, is_late
        self._board = game.position.to_board(chess960=True)
        self.kept = list(game.position.legal_moves() if limits.searchmoves is None else limits.searchmoves)
        keys = [*game.keys, game.position.key]
        self._seen = {move: keys.count(game.position.after(move).key) for move in self.kept}  # positions of the game

    def rank(self) -> int:
        """Keep the moves of the best result, and return that. KeyError or TimeoutError if it cannot be found."""
        results = {move: self._wdl_after(move) for move in self.kept}
        best = max(results.values())
        self.kept = [move for move, wdl in results.items() if wdl == best]
        try:
            if best > DRAW or (best == LOSS and self._is_near_fifty_moves()):
                best = self._rank_by_dtz()
        except (KeyError, TimeoutError):  # without distances, avoid repetitions
            self.kept = [move for move in self.kept if not self._seen[move]] or self.kept
        return best

    def _wdl_after(self, move: int) -> int:
        """The result of a move. A third repetition is a draw."""
        if self._seen[move] > 1:
            return DRAW
        with self._played(move):
            wdl = -self._tables.probe("wdl", self._board)
        return wdl if self._tables.fifty_move_rule else WIN * (wdl > 0) + LOSS * (wdl < 0)

    def _is_near_fifty_moves(self) -> bool:
        """Can the side that loses hope for the fifty-move rule?"""
        clock = self._board.halfmove_clock
        return self._tables.fifty_move_rule and clock > 0 and clock - self._tables.probe("dtz", self._board) >= FIFTY_MOVES

    def _rank_by_dtz(self) -> int:
        """Of moves with equal WDL, keep those with the best result under the fifty-move rule, of these those with progress."""
        distances = {move: self._dtz_after(move) for move in self.kept}
        results = {move: self._wdl_of_dtz(dtz) for move, dtz in distances.items()}
        best = max(results.values())
        self.kept = [move for move in self.kept if results[move] == best]
        if not self._analysing:
            order = {move: (not self._seen[move] or best < DRAW, -distances[move]) for move in self.kept}
            self.kept = [move for move in self.kept if order[move] == max(order.values())]
        return best

    def _dtz_after(self, move: int) -> int:
        """Plies until this move, or one after it, is a capture or pawn move: positive if it wins, negative if it loses."""
        with self._played(move):
            if self._board.is_checkmate():
                return 1
            if self._board.halfmove_clock == 0:
                return ZEROING_DTZ[-self._tables.probe("wdl", self._board)]
            dtz = -self._tables.probe("dtz", self._board)
            return dtz + (dtz > 0) - (dtz < 0)

    def _wdl_of_dtz(self, dtz: int) -> int:
        """The result that a distance means with the present count of the fifty-move rule."""
        clock = self._board.halfmove_clock
        if not self._tables.fifty_move_rule:
            return WIN if dtz > 0 else LOSS
        if dtz < 0:
            return LOSS if clock - dtz <= FIFTY_MOVES else BLESSED_LOSS
        is_exact = dtz == 1 or clock == 0  # otherwise the distance may be one too few
        return WIN if dtz + clock <= FIFTY_MOVES - (not is_exact) else CURSED_WIN

    @contextmanager
    def _played(self, move: int) -> Iterator[None]:
        """The board after a move; TimeoutError if no time is left."""
        if self._is_late():
            raise TimeoutError
        self._board.push_uci(move_text(move, chess960=True))
        yield
        self._board.pop()


def _seconds(limits: Limits, white: bool) -> float:
    """The most that probing may take."""
    time_left = None if limits.clock is None else limits.clock.of(white)[0]
    seconds = float("inf") if time_left is None else CLOCK_SHARE * time_left / 1000
    return seconds if limits.movetime is None else min(seconds, MOVETIME_SHARE * limits.movetime / 1000)


def _add(prober: Prober, file: Path) -> bool:
    """Add a file if it is a table. False if it is damaged or unreadable; the size of a table is 64 n + 16 bytes."""
    magic = {chess.Board.tbw_suffix: chess.Board.tbw_magic, chess.Board.tbz_suffix: chess.Board.tbz_magic}.get(file.suffix)
    if magic is None or not file.is_file():
        return True
    try:
        with file.open("rb") as table:
            if table.read(4) != magic or file.stat().st_size % 64 != 16:
                return False
    except OSError:
        return False
    prober.add_file(str(file))
    return True
