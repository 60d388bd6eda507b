"""Endgame tables in Syzygy's format, probed at the root by python-chess.

The tables know of each position whether it is won, drawn or lost (WDL), and the plies to the next
capture or pawn move (DTZ), which resets the count of the fifty-move rule. The search is confined to
the root moves that keep the result. A won position is played by DTZ, so that each move makes
progress and the fifty-move rule is kept. Idea: Ronald de Man, in Stockfish.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
from chess.syzygy import Tablebase as Prober

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.position import Game, Position
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.wdl import CERTAIN

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = (
    2,
    1,
    0,
    -1,
    -2,
)  # for the side to move; the fifty-move rule draws the middle three
SCORES = {WIN: CERTAIN, CURSED_WIN: 40, DRAW: 0, BLESSED_LOSS: -40, LOSS: -CERTAIN}  # centipawns
ZEROING_DTZ = {
    WIN: 1,
    CURSED_WIN: 101,
    DRAW: 0,
    BLESSED_LOSS: -101,
    LOSS: -1,
}  # of a capture or pawn move
CLOCK_SHARE, MOVETIME_SHARE = 0.03, 0.3  # of the time for the move: the most that probing may take
MAGIC = {
    chess.Board.tbw_suffix: chess.Board.tbw_magic,
    chess.Board.tbz_suffix: chess.Board.tbz_magic,
}
NAMED = 3  # problems that are named one by one


class RootRanking(NamedTuple):
    """The root moves to search (None: all), the result that they keep (None: not known), and the
    number of probes.

    `is_certain` is false if the result does not take the count of the fifty-move rule into account.
    """

    moves: tuple[int, ...] | None
    wdl: int | None
    hits: int
    is_certain: bool = True

    def adjust(self, report: Report) -> Report:
        """Return the report with the tables' score, unless the search knows better.

        It may find the mate, perhaps just before the fifty-move rule, or that this rule draws.
        """
        report = report._replace(tablebase_hits=self.hits)
        if self.wdl is None:
            return report
        found_mate = is_mate(report.score) and report.score * self.wdl > 0
        found_draw = report.score == DRAW and not self.is_certain
        if found_mate or found_draw:
            return report
        return report._replace(score=SCORES[self.wdl], bound=0)


class Tablebase:
    """The endgame tables in use.

    `inform` receives the messages for the user; `fifty_move_rule` says whether that rule counts.

    `largest` is the number of pieces, kings included, of the largest table (0: none); no more than
    `probe_limit` are probed.
    """

    def __init__(self, inform: Callable[[str], None]) -> None:
        self.probe_limit, self.fifty_move_rule, self.largest = 7, True, 0
        self._inform, self._is_late, self._hits, self._prober = inform, lambda: False, 0, Prober()

    def open(self, path: str) -> None:
        """Use the tables in these folders, separated as in PATH (empty: none).

        ValueError if there are problems (folders that cannot be read, damaged files) and no tables;
        the last ones stay in use.
        """
        prober, problems = Prober(), list[str]()
        for folder in filter(None, path.split(os.pathsep)):
            try:
                for file in sorted(
                    file
                    for file in Path(folder).iterdir()
                    if file.suffix in MAGIC and file.is_file()
                ):
                    if _is_sound(file):
                        prober.add_file(str(file))
                    else:
                        problems.append(f"{file} is damaged or unreadable")
            except (OSError, ValueError) as error:  # ValueError: a path that no file can have
                problems.append(
                    f"no endgame tables in {folder}: {getattr(error, 'strerror', error)}"
                )
        text = ", ".join(problems[:NAMED]) + (
            f" and {len(problems) - NAMED} more" if len(problems) > NAMED else ""
        )
        wdl, dtz = (
            {table.path: table.num for table in tables.values()}
            for tables in (prober.wdl, prober.dtz)
        )
        if problems and not wdl:
            raise ValueError(text)
        if problems:
            self._inform(f"error: {text}")
        self._prober.close()
        self._prober, self.largest = prober, max(wdl.values(), default=0)
        if path:
            self._inform(f"{len(wdl)} WDL and {len(dtz)} DTZ tables of up to {self.largest} pieces")

    def rank(
        self, game: Game, limits: Limits, keep_all: bool, is_stopped: Callable[[], bool]
    ) -> RootRanking | None:
        """Rank the root moves in a share of the time; `keep_all`: also those without progress.

        None: no table is that large.
        """
        if len(game.position.pieces()) > min(self.probe_limit, self.largest):
            return None
        time_left = limits.clock and limits.clock.of(game.position.white_to_move())[0]
        shares = ((CLOCK_SHARE, time_left), (MOVETIME_SHARE, limits.movetime))
        end = time.monotonic() + min(
            (share * left / 1000 for share, left in shares if left is not None),
            default=float("inf"),
        )
        self._is_late, self._hits = lambda: is_stopped() or time.monotonic() > end, 0
        moves, wdl, is_certain = limits.searchmoves, None, True
        try:
            moves, wdl, is_certain = self._best_moves(
                game, game.position.legal_moves() if moves is None else moves, keep_all
            )
        except (KeyError, TimeoutError):  # a missing table, castling rights, or no time
            pass
        except Exception as error:  # a fault in the tables must not cost the game
            self._inform(
                f"error: endgame tables are not used any more: {type(error).__name__}: {error}"
            )
            self.open("")
        return RootRanking(moves, wdl, self._hits, is_certain)

    def _best_moves(
        self, game: Game, moves: Sequence[int], keep_all: bool
    ) -> tuple[tuple[int, ...], int, bool]:
        """Return the moves with the best result, that result, and whether it is certain.

        KeyError or TimeoutError if it cannot be found.
        """
        clock, keys = int(game.position.record["halfmove"]), [*game.keys, game.position.key]
        after = {move: game.position.after(move) for move in moves}
        seen = {
            move: keys.count(position.key) for move, position in after.items()
        }  # a third repetition is a draw
        results = {
            move: DRAW if seen[move] > 1 else -self._probe("wdl", after[move]) for move in moves
        }
        if not self.fifty_move_rule:
            results = {move: WIN * (wdl > 0) + LOSS * (wdl < 0) for move, wdl in results.items()}
        best = max(results.values())
        moves = tuple(move for move in moves if results[move] == best)
        try:
            is_lost = best < DRAW  # unless the fifty-move rule saves it
            if best == LOSS and self.fifty_move_rule and clock > 0:
                is_lost = clock - self._probe("dtz", game.position) < FIFTY_MOVES
            if best == DRAW or is_lost:
                return moves, best, True
            distances = {move: self._dtz_after(after[move]) for move in moves}
        except (KeyError, TimeoutError):  # without distances, avoid repetitions
            is_certain = clock == 0 or not self.fifty_move_rule
            return tuple(move for move in moves if not seen[move]) or moves, best, is_certain
        ranks = {
            move: (self._wdl_of_dtz(dtz, clock), not seen[move] or dtz < 0, -dtz)
            for move, dtz in distances.items()
        }
        best_rank, compared = max(ranks.values()), 1 if keep_all else 3
        moves = tuple(move for move in moves if ranks[move][:compared] == best_rank[:compared])
        return moves, best_rank[0], True

    def _probe(self, kind: str, position: Position) -> int:
        """The entry of a position in the tables of a kind.

        KeyError if there is none, TimeoutError if no time is left.
        """
        if self._is_late():
            raise TimeoutError
        value = getattr(self._prober, f"probe_{kind}")(position.to_board(chess960=True))
        self._hits += 1
        return int(value)

    def _dtz_after(self, position: Position) -> int:
        """Plies from before the last move to a capture or pawn move: positive if that move wins,
        negative if it loses. The tables may have one too few, and add 100 where the fifty-move rule
        makes it a draw.
        """
        if position.in_check and not position.legal_moves():
            return 1
        if position.record["halfmove"] == 0:
            return ZEROING_DTZ[-self._probe("wdl", position)]
        dtz = -self._probe("dtz", position)
        return dtz + (dtz > 0) - (dtz < 0)

    def _wdl_of_dtz(self, dtz: int, clock: int) -> int:
        """The result that a distance means with this count of the fifty-move rule."""
        if not self.fifty_move_rule:
            return WIN if dtz > 0 else LOSS
        if dtz < 0:
            return LOSS if clock - dtz <= FIFTY_MOVES else BLESSED_LOSS
        is_exact = dtz == 1 or clock == 0  # otherwise the distance may be one too few
        return WIN if dtz + clock <= FIFTY_MOVES - (not is_exact) else CURSED_WIN


def _is_sound(file: Path) -> bool:
    """Can a file be read, does it begin as a table does, and is its size 64 n + 16 bytes?"""
    try:
        with file.open("rb") as table:
            return table.read(4) == MAGIC[file.suffix] and file.stat().st_size % 64 == 16
    except OSError:
        return False
