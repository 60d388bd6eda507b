"""Endgame tablebases in Syzygy's format, probed at the root by python-chess.

Tablebases know of each position whether it is won, drawn or lost (WDL), and the plies to the next
capture or pawn move (DTZ), which resets the count of the fifty-move rule. The search is restricted
to the root moves that keep the result. A won position is played by DTZ, so that each move makes
progress and the fifty-move rule is kept. Idea: Ronald de Man, in Stockfish.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import chess
from chess.syzygy import Tablebase as Prober
from chess.syzygy import is_tablename

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.position import Game, Position
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.wdl import CERTAIN
from zobra.tt.entry import EXACT

# Results for the side to move; the fifty-move rule draws the middle three.
WIN = 2
CURSED_WIN = 1
DRAW = 0
BLESSED_LOSS = -1
LOSS = -2

# Internal units
SCORES = {WIN: CERTAIN, CURSED_WIN: 40, DRAW: 0, BLESSED_LOSS: -40, LOSS: -CERTAIN}
# DTZ of a capture or pawn move, by the result that it reaches
ZEROING_DTZ = {WIN: 1, CURSED_WIN: 101, DRAW: 0, BLESSED_LOSS: -101, LOSS: -1}

# Of the time for the move: the most that probing may take
CLOCK_SHARE = 0.03
MOVETIME_SHARE = 0.3

MAGIC = {
    chess.Board.tbw_suffix: chess.Board.tbw_magic,
    chess.Board.tbz_suffix: chess.Board.tbz_magic,
}
# A file begins with the magic number and a byte of flags; then come lists of pieces, each after one
# or two bytes with an order. A piece is its type, from 1 (pawn) to 6 (king), plus 8 if it is black.
LISTS_AT = 5
HEAD_BYTES = 64
PIECE_LETTERS = " PNBRQK"
MAX_PROBLEMS_SHOWN = 3


class RootRanking(NamedTuple):
    """The root moves to search (None: all), the result that they keep, and the number of probes.

    The result `wdl` is None if it is unknown. `is_certain` is False if it does not take the count
    of the fifty-move rule into account.
    """

    moves: tuple[int, ...] | None
    wdl: int | None
    hits: int
    is_certain: bool = True

    def adjust(self, report: Report) -> Report:
        """Return the report with the tablebases' score, unless the search knows better.

        It may find the mate, perhaps just before the fifty-move rule, or that this rule draws.
        """
        report = report._replace(tablebase_hits=self.hits)
        if self.wdl is None:
            return report
        found_mate = is_mate(report.score) and report.score * self.wdl > 0
        found_draw = report.score == SCORES[DRAW] and not self.is_certain
        if found_mate or found_draw:
            return report
        return report._replace(score=SCORES[self.wdl], bound=int(EXACT))


class Tablebase:
    """The endgame tablebases in use.

    `inform` receives messages for the user. `fifty_move_rule` says whether that rule applies.
    `largest` is the number of pieces, kings included, of the largest tablebase (0: none); positions
    with more than `probe_limit` pieces are not probed.
    """

    def __init__(self, inform: Callable[[str], None]) -> None:
        self.probe_limit = 7
        self.fifty_move_rule = True
        self.largest = 0
        self._inform = inform
        self._prober = Prober()
        self._is_late: Callable[[], bool] = lambda: False
        self._hits = 0

    def open(self, path: str) -> None:
        """Use the tablebases in these folders, separated as in PATH (empty: none).

        Raise ValueError if there are only problems (unreadable folders, damaged files) and no
        tablebases; the previous ones then stay in use.
        """
        prober = Prober()
        problems: list[str] = []
        for folder in filter(None, path.split(os.pathsep)):
            problems += _add_folder(prober, folder)

        text = ", ".join(problems[:MAX_PROBLEMS_SHOWN])
        if len(problems) > MAX_PROBLEMS_SHOWN:
            text += f" and {len(problems) - MAX_PROBLEMS_SHOWN} more"
        pieces = {table.path: table.num for table in prober.wdl.values()}
        if problems and not pieces:
            raise ValueError(text)
        if problems:
            self._inform(f"error: {text}")

        self._prober.close()
        self._prober = prober
        self.largest = max(pieces.values(), default=0)
        if path:
            distances = {table.path for table in prober.dtz.values()}
            self._inform(
                f"{len(pieces)} WDL and {len(distances)} DTZ tables of up to {self.largest} pieces"
            )

    def rank(
        self, game: Game, limits: Limits, keep_all: bool, is_stopped: Callable[[], bool]
    ) -> RootRanking | None:
        """Return the ranking of the root moves, found within a share of the time.

        With `keep_all`, moves that make no progress are kept. Return None if no tablebase is large
        enough.
        """
        if len(game.position.pieces()) > min(self.probe_limit, self.largest):
            return None

        end = time.monotonic() + _seconds_to_probe(limits, game.position.white_to_move())
        self._is_late = lambda: is_stopped() or time.monotonic() > end
        self._hits = 0
        moves = limits.searchmoves
        choices = game.position.legal_moves() if moves is None else moves
        wdl = None
        is_certain = True
        try:
            moves, wdl, is_certain = self._best_moves(game, choices, keep_all)
        except (KeyError, TimeoutError):  # a missing table, castling rights, or no time
            pass
        except Exception as error:  # a fault in the tables must not cost the game
            self._inform(
                f"error: endgame tablebases are no longer used: {type(error).__name__}: {error}"
            )
            self.open("")
        return RootRanking(moves, wdl, self._hits, is_certain)

    def _best_moves(
        self, game: Game, moves: Sequence[int], keep_all: bool
    ) -> tuple[tuple[int, ...], int, bool]:
        """Return the moves with the best result, that result, and whether it is certain.

        Raise KeyError or TimeoutError if it cannot be found.
        """
        clock = int(game.position.record["halfmove"])
        after = {move: game.position.after(move) for move in moves}
        seen = _count_earlier(game, after)
        results = {move: self._result(after[move], seen[move]) for move in moves}
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
            new = tuple(move for move in moves if not seen[move])
            return new or moves, best, is_certain

        # The best moves keep the result, do not repeat, and are the nearest to the next zeroing.
        ranks = {}
        for move, dtz in distances.items():
            makes_progress = not seen[move] or dtz < 0
            ranks[move] = (self._wdl_of_dtz(dtz, clock), makes_progress, -dtz)
        best_rank = max(ranks.values())
        compared = 1 if keep_all else 3
        moves = tuple(move for move in moves if ranks[move][:compared] == best_rank[:compared])
        return moves, best_rank[0], True

    def _result(self, position: Position, seen: int) -> int:
        """Return the result of the move to a position that has occurred this often before."""
        wdl = DRAW  # a third repetition
        if seen < 2:
            wdl = -self._probe("wdl", position)
        if self.fifty_move_rule or wdl == DRAW:
            return wdl
        return WIN if wdl > DRAW else LOSS

    def _probe(self, kind: str, position: Position) -> int:
        """Return the entry of a position in the tablebases of a kind.

        Raise KeyError if there is none, and TimeoutError if no time is left.
        """
        if self._is_late():
            raise TimeoutError
        value = getattr(self._prober, f"probe_{kind}")(position.to_board(chess960=True))
        self._hits += 1
        return int(value)

    def _dtz_after(self, position: Position) -> int:
        """Return the plies from before the last move to a capture or pawn move.

        They are positive if the move wins, and negative if it loses. The number may be one ply too
        small, and has 100 added if the fifty-move rule makes it a draw.
        """
        if position.in_check and not position.legal_moves():
            return 1
        if position.record["halfmove"] == 0:
            return ZEROING_DTZ[-self._probe("wdl", position)]
        dtz = -self._probe("dtz", position)
        if dtz == 0:
            return 0
        return dtz + 1 if dtz > 0 else dtz - 1

    def _wdl_of_dtz(self, dtz: int, clock: int) -> int:
        """Return the result for a DTZ and this count of the fifty-move rule."""
        if not self.fifty_move_rule:
            return WIN if dtz > 0 else LOSS
        if dtz < 0:
            return LOSS if clock - dtz <= FIFTY_MOVES else BLESSED_LOSS
        plies = clock + dtz
        if dtz != 1 and clock != 0:  # the distance may be one too few
            plies += 1
        return WIN if plies <= FIFTY_MOVES else CURSED_WIN


def _count_earlier(game: Game, after: dict[int, Position]) -> dict[int, int]:
    """Return how often the position after each move occurred in the game."""
    keys = [*game.keys, game.position.key]
    return {move: keys.count(position.key) for move, position in after.items()}


def _seconds_to_probe(limits: Limits, white_to_move: bool) -> float:
    """Return the time that probing may take."""
    shares = [float("inf")]
    if limits.movetime is not None:
        shares.append(MOVETIME_SHARE * limits.movetime / 1000)
    if limits.clock is not None:
        time_left, _ = limits.clock.of(white_to_move)
        if time_left is not None:
            shares.append(CLOCK_SHARE * time_left / 1000)
    return min(shares)


def _add_folder(prober: Prober, folder: str) -> list[str]:
    """Add the tablebases in a folder, and return the problems with it."""
    problems = []
    try:
        files = sorted(Path(folder).iterdir())
        for file in files:
            if file.suffix not in MAGIC or not is_tablename(file.stem) or not file.is_file():
                continue
            if _is_sound(file):
                prober.add_file(str(file))
            else:
                problems.append(f"{file} is damaged or unreadable")
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        problems.append(f"no endgame tablebases in {folder}: {getattr(error, 'strerror', error)}")
    return problems


def _is_sound(file: Path) -> bool:
    """Return whether a file can be read, begins like this tablebase, and has 64 n + 16 bytes."""
    try:
        with file.open("rb") as table:
            head = table.read(HEAD_BYTES)
        return (
            file.stat().st_size % 64 == 16
            and head[:4] == MAGIC[file.suffix]
            and _lists_pieces(head, file.stem, file.suffix)
        )
    except OSError:
        return False


def _lists_pieces(head: bytes, name: str, suffix: str) -> bool:
    """Return whether the first bytes of a tablebase list the pieces that its name says.

    If they list others, python-chess looks for these on the board forever. The colours may be
    exchanged, but are the same in all lists: with pawns there is one for each file from a to d, and
    in a WDL table of two different sides another for each side to move, in the upper four bits.
    """
    sides = name.split("v")
    codes = [PIECE_LETTERS.index(letter) for letter in "".join(sides)]
    colours = [8] * len(sides[0]) + [0] * len(sides[1])
    colourings = [
        sorted(code | colour ^ exchanged for code, colour in zip(codes, colours, strict=True))
        for exchanged in (0, 8)
    ]

    orders = 2 if all("P" in side for side in sides) else 1
    step = orders + len(codes)
    starts = [LISTS_AT + orders + step * file for file in range(4 if "P" in name else 1)]
    lists = [head[start : start + len(codes)] for start in starts]
    found = [sorted(byte & 15 for byte in pieces) for pieces in lists]
    if suffix == chess.Board.tbw_suffix and sides[0] != sides[1]:
        found += [sorted(byte >> 4 for byte in pieces) for pieces in lists]
    return any(all(pieces == colouring for pieces in found) for colouring in colourings)
