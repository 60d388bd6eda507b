"""Ending games early: drawn by score, resigned by score, too long, or known from tablebases."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import chess
import chess.syzygy

from zobra.arena.formats.played_move import PlayedMove

DRAW = "1/2-1/2"
WIN_FOR = {chess.WHITE: "1-0", chess.BLACK: "0-1"}
TIME_WITHOUT_LOSS = "time against insufficient material"


@dataclass(frozen=True)
class AdjudicationRules:
    """When a game is ended early. Scores are in centipawns; None switches a rule off."""

    draw: tuple[int, int, int] | None = (
        None  # first full move, moves of each side in a row, largest score
    )
    resign: tuple[int, int] | None = None  # moves of the loser in a row, score that is lost
    resign_twosided: bool = False  # the winner's scores must agree
    move_limit: int | None = None  # full moves in a game
    syzygy: str | None = None  # folder of the tables

    def __post_init__(self) -> None:
        if (self.draw and self.draw[1] < 1) or (self.resign and self.resign[0] < 1):
            raise ValueError("a draw or a resignation needs at least one move")


class Ending(NamedTuple):
    """A result ("1-0", "0-1", "1/2-1/2") with its reason, and details where there are any."""

    result: str
    reason: str
    detail: str = ""


def ending_on_board(board: chess.Board) -> Ending | None:
    """How the rules of chess end the game here, if they do.

    Threefold repetition and fifty moves end it without a claim.
    """
    if not any(board.generate_legal_moves()):
        return (
            Ending(WIN_FOR[not board.turn], "mate")
            if board.is_check()
            else Ending(DRAW, "stalemate")
        )
    if board.is_insufficient_material():
        return Ending(DRAW, "insufficient material")
    if board.halfmove_clock >= 100:
        return Ending(DRAW, "fifty-move rule")
    return Ending(DRAW, "threefold repetition") if board.is_repetition(3) else None


def ending_by_failure(
    board: chess.Board, loser: chess.Color, reason: str, detail: str = ""
) -> Ending:
    """Return how a game ends by a fault of one side.

    Whose time is up does not lose to a side that no series of moves lets mate (FIDE 6.9).
    """
    if reason == "time" and board.has_insufficient_material(not loser):
        return Ending(DRAW, TIME_WITHOUT_LOSS, detail)
    return Ending(WIN_FOR[not loser], reason, detail)


class Adjudicator:
    """Counts what the rules need, for one game."""

    def __init__(
        self, rules: AdjudicationRules, tablebase: chess.syzygy.Tablebase | None = None
    ) -> None:
        self._rules, self._tablebase = rules, tablebase
        self._quiet_plies = 0
        self._losing, self._winning = (
            Counter[bool](),
            Counter[bool](),
        )  # moves in a row with a lost or won score, by colour

    def ending(self, board: chess.Board, played: PlayedMove) -> Ending | None:
        """How the game ends after this move, which led to this position; None if it does not
        end.
        """
        rules, mover, score = self._rules, not board.turn, played.score
        if played.mate is not None:
            score = 100_000 if played.mate > 0 else -100_000
        if (
            self._tablebase is not None
            and not board.halfmove_clock
            and chess.popcount(board.occupied) <= 7
        ):
            value = self._tablebase.get_wdl(board)  # exact right after a capture or pawn move
            if value is not None:  # a win that fifty moves spoil is a draw
                return Ending(
                    DRAW if abs(value) < 2 else WIN_FOR[board.turn == (value > 0)], "tablebase"
                )
        if rules.resign is not None:
            moves, lost = rules.resign
            self._losing[mover] = (
                self._losing[mover] + 1 if score is not None and score <= -lost else 0
            )
            self._winning[mover] = (
                self._winning[mover] + 1 if score is not None and score >= lost else 0
            )
            for color in chess.COLORS:
                if self._losing[color] >= moves and (
                    not rules.resign_twosided or self._winning[not color] >= moves
                ):
                    return Ending(WIN_FOR[not color], "resign adjudication")
        if rules.draw is not None:
            first, moves, most = rules.draw
            before = (
                self._quiet_plies if board.halfmove_clock else 0
            )  # captures and pawn moves begin the count anew
            self._quiet_plies = before + 1 if score is not None and abs(score) <= most else 0
            if board.fullmove_number > first and self._quiet_plies >= 2 * moves:
                return Ending(DRAW, "draw adjudication")
        if rules.move_limit is not None and len(board.move_stack) >= 2 * rules.move_limit:
            return Ending(DRAW, "move limit")
        return None


def open_tablebase(folder: str | None) -> chess.syzygy.Tablebase | None:
    """Opens Syzygy tables.

    Raises ValueError when there are none, or one was not copied in full; OSError.
    """
    if folder is None:
        return None
    tables = sorted(Path(folder).glob("*.rtbw"))
    if not tables:
        raise ValueError(f"{folder}: no Syzygy tables (*.rtbw)")
    for table in tables:
        with table.open("rb") as file:
            if (
                file.read(4) != chess.Board.tbw_magic or table.stat().st_size % 64 != 16
            ):  # a whole one has 64 n + 16 bytes
                raise ValueError(f"{table}: the Syzygy table is damaged")
    return chess.syzygy.open_tablebase(folder)
