"""Adjudication: games ended by score, by length or by tablebases."""

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
    """When a game is adjudicated. Scores are in centipawns; None switches a rule off."""

    # First full move, moves of each side in a row, largest score
    draw: tuple[int, int, int] | None = None
    # Moves of the loser in a row, score that is lost
    resign: tuple[int, int] | None = None
    resign_twosided: bool = False  # the winner's scores must agree
    move_limit: int | None = None  # full moves in a game
    syzygy: str | None = None  # folder of the tables

    def __post_init__(self) -> None:
        if (self.draw and self.draw[1] < 1) or (self.resign and self.resign[0] < 1):
            raise ValueError("a draw or a resignation needs at least one move")


class Ending(NamedTuple):
    """A result ("1-0", "0-1", "1/2-1/2") with its reason, and details if there are any."""

    result: str
    reason: str
    detail: str = ""


def ending_on_board(board: chess.Board) -> Ending | None:
    """Return how the game ends by the rules of chess, or None if it goes on.

    Threefold repetition and the fifty-move rule end it without a claim.
    """
    if not any(board.generate_legal_moves()):
        if board.is_check():
            return Ending(WIN_FOR[not board.turn], "mate")
        return Ending(DRAW, "stalemate")
    if board.is_insufficient_material():
        return Ending(DRAW, "insufficient material")
    if board.halfmove_clock >= 100:
        return Ending(DRAW, "fifty-move rule")
    if board.is_repetition(3):
        return Ending(DRAW, "threefold repetition")
    return None


def ending_by_failure(
    board: chess.Board, loser: chess.Color, reason: str, detail: str = ""
) -> Ending:
    """Return how a game ends by a fault of `loser`.

    A side that runs out of time draws if the opponent cannot checkmate by any legal moves (FIDE
    6.9).
    """
    if reason == "time" and board.has_insufficient_material(not loser):
        return Ending(DRAW, TIME_WITHOUT_LOSS, detail)
    return Ending(WIN_FOR[not loser], reason, detail)


class Adjudicator:
    """Applies the rules to one game, and counts what they need."""

    def __init__(
        self, rules: AdjudicationRules, tablebase: chess.syzygy.Tablebase | None = None
    ) -> None:
        self._rules = rules
        self._tablebase = tablebase
        self._quiet_plies = 0
        # Moves in a row with a lost or won score, by colour
        self._losing = Counter[bool]()
        self._winning = Counter[bool]()

    def ending(self, board: chess.Board, played: PlayedMove) -> Ending | None:
        """Return how the game ends after the last move, `played`, or None if it goes on."""
        score = played.score
        if played.mate is not None:
            score = 100_000 if played.mate > 0 else -100_000
        resigned = self._resignation(not board.turn, score)
        drawn = self._draw(board, score)
        known = self._known(board)
        if known is not None:
            return known
        if resigned is not None:
            return resigned
        if drawn is not None:
            return drawn
        limit = self._rules.move_limit
        if limit is not None and len(board.move_stack) >= 2 * limit:
            return Ending(DRAW, "move limit")
        return None

    def _known(self, board: chess.Board) -> Ending | None:
        """Return how the tablebase ends the game, or None if it has no answer.

        Its results, which ignore the clock, are exact right after a capture or pawn move. A win
        that the fifty-move rule spoils is a draw.
        """
        if self._tablebase is None or board.halfmove_clock:
            return None
        if chess.popcount(board.occupied) > 7:
            return None
        value = self._tablebase.get_wdl(board)
        if value is None:
            return None
        if abs(value) < 2:
            return Ending(DRAW, "tablebase")
        return Ending(WIN_FOR[board.turn == (value > 0)], "tablebase")

    def _resignation(self, mover: chess.Color, score: int | None) -> Ending | None:
        """Count a move for the resignation rule, and return how it ends the game."""
        rules = self._rules
        if rules.resign is None:
            return None
        moves, lost = rules.resign
        is_lost = score is not None and score <= -lost
        is_won = score is not None and score >= lost
        self._losing[mover] = self._losing[mover] + 1 if is_lost else 0
        self._winning[mover] = self._winning[mover] + 1 if is_won else 0
        for color in chess.COLORS:
            agreed = not rules.resign_twosided or self._winning[not color] >= moves
            if self._losing[color] >= moves and agreed:
                return Ending(WIN_FOR[not color], "resign adjudication")
        return None

    def _draw(self, board: chess.Board, score: int | None) -> Ending | None:
        """Count a move for the draw rule, and return how it ends the game.

        Captures and pawn moves restart the count.
        """
        if self._rules.draw is None:
            return None
        first, moves, most = self._rules.draw
        if not board.halfmove_clock:
            self._quiet_plies = 0
        is_quiet = score is not None and abs(score) <= most
        self._quiet_plies = self._quiet_plies + 1 if is_quiet else 0
        if board.fullmove_number > first and self._quiet_plies >= 2 * moves:
            return Ending(DRAW, "draw adjudication")
        return None


def open_tablebase(folder: str | None) -> chess.syzygy.Tablebase | None:
    """Open the Syzygy tablebases in a folder; without a folder return None.

    Raise ValueError if the folder has none or one is damaged, and OSError if it cannot be read.
    """
    if folder is None:
        return None
    tables = sorted(Path(folder).glob("*.rtbw"))
    if not tables:
        raise ValueError(f"{folder}: no Syzygy tablebases (*.rtbw)")
    for table in tables:
        with table.open("rb") as file:
            has_magic = file.read(4) == chess.Board.tbw_magic
        is_whole = table.stat().st_size % 64 == 16  # a whole one has 64 n + 16 bytes
        if not has_magic or not is_whole:
            raise ValueError(f"{table}: the Syzygy tablebase is damaged")
    return chess.syzygy.open_tablebase(folder)
