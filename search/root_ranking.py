"""What endgame tables say of the moves at the root: which of them keep the result, and what it is.

Inside the tables the search is confined to the moves that keep the result; a won position is played by distance to zeroing
(DTZ), so that every move makes progress and the fifty-move rule takes nothing away. A little outside, captures that lead into
the tables bound what a move is worth from below, and the captures that answer it from above: a move that cannot be as good as
another is dropped. Idea of ranking the root by tables: Ronald de Man, in Stockfish.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import chess

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.scores import is_mate
from zobra.search.limits import Limits, Report
from zobra.search.tablebase import Tablebase
from zobra.search.wdl import CERTAIN

WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2
OUTCOME_NAMES = {
    WIN: "won",
    CURSED_WIN: "drawn by the fifty-move rule, else won",
    DRAW: "drawn",
    BLESSED_LOSS: "drawn by the fifty-move rule, else lost",
    LOSS: "lost",
}
SCORES = {WIN: CERTAIN, CURSED_WIN: 40, DRAW: 0, BLESSED_LOSS: -40, LOSS: -CERTAIN}  # centipawns
NEAR = 2  # men above the largest table at which captures are still looked at: one of ours and one in reply
ZEROED = {WIN: 1, CURSED_WIN: 101, DRAW: 0, BLESSED_LOSS: -101, LOSS: -1}  # distance of a move that zeroes at once
CLOCK_SHARE, MOVETIME_SHARE = 0.03, 0.3  # of the time there is: what may be spent on looking up


class TooLate(Exception):
    """There is no time to look further."""


@dataclass(frozen=True)
class Ranking:
    """The moves to search, the result that they all keep (None: not known), and the positions and the time it took."""

    moves: tuple[int, ...]
    outcome: int | None
    hits: int
    milliseconds: int

    def adjust(self, report: Report) -> Report:
        """The report with what the tables know: their score, unless the search has found the mate itself."""
        report = replace(report, tablebase_hits=self.hits)
        if self.outcome is None:
            return report
        score = SCORES[self.outcome]
        found_mate = abs(self.outcome) == WIN and is_mate(report.score) and (report.score > 0) == (score > 0)
        return report if found_mate else replace(report, score=score, bound=0)


@dataclass(frozen=True)
class Rules:
    """How tables are to be used: up to how many men, and whether the fifty-move rule counts.

    `analysing` asks for every move that keeps the result, not only for those that make progress.
    """

    limit: int = 7
    fifty_moves: bool = True
    analysing: bool = False


@dataclass(frozen=True)
class Candidate:
    """A root move in both notations; `is_new` unless it leads back to a position of the game."""

    move: int
    on_board: chess.Move
    is_new: bool


@dataclass
class Root:
    """The position to rank, and how."""

    tables: Tablebase
    board: chess.Board
    candidates: list[Candidate]
    rules: Rules
    is_late: Callable[[], bool]

    def rank(self) -> tuple[list[Candidate], int | None]:
        """The moves to search and their result; all moves and none when time is up."""
        try:
            if len(self.board.piece_map()) <= self.rules.limit:
                with suppress(KeyError):  # a table is missing, or there are castling rights
                    return self._rank_inside()
            return self._rank_outside()
        except TooLate:
            return self.candidates, None

    def _rank_inside(self) -> tuple[list[Candidate], int | None]:
        outcomes = {candidate: self._outcome_of(candidate) for candidate in self.candidates}
        best = max(outcomes.values())
        kept = [candidate for candidate, outcome in outcomes.items() if outcome == best]
        try:
            if best > DRAW or (best == LOSS and self._clock_may_save()):
                return self._rank_by_distance(kept)
        except (KeyError, TooLate):  # without distances: at least do not go round in circles
            return [candidate for candidate in kept if candidate.is_new] or kept, best
        return kept, best

    def _clock_may_save(self) -> bool:
        """Is the side that loses so near to the end of the fifty moves that how it defends may matter?"""
        clock = self.board.halfmove_clock
        return self.rules.fifty_moves and clock > 0 and clock - self.tables.dtz(self.board) >= FIFTY_MOVES

    def _rank_by_distance(self, kept: list[Candidate]) -> tuple[list[Candidate], int]:
        """Among moves that WDL tables hold equal: by what the fifty-move rule leaves of the result, then by progress."""
        distances = {candidate: self._distance(candidate) for candidate in kept}
        outcomes = {candidate: self._outcome_after(distance) for candidate, distance in distances.items()}
        best = max(outcomes.values())
        kept = [candidate for candidate in kept if outcomes[candidate] == best]
        if not self.rules.analysing:
            order = {candidate: (candidate.is_new or best < DRAW, -distances[candidate]) for candidate in kept}
            first = max(order.values())
            kept = [candidate for candidate in kept if order[candidate] == first]
        return kept, best

    def _distance(self, candidate: Candidate) -> int:
        """Plies until this move, or what it leads to, zeroes the count: positive if it wins, negative if it loses.

        100 is added where the fifty-move rule makes it a draw.
        """
        with self._played(candidate.on_board):
            if self.board.is_checkmate():
                return 1
            if self.board.halfmove_clock == 0:
                return ZEROED[-self.tables.wdl(self.board)]
            distance = -self.tables.dtz(self.board)
            return distance + (distance > 0) - (distance < 0)

    def _outcome_after(self, distance: int) -> int:
        """The result that a distance means with the present count of the fifty-move rule."""
        clock = self.board.halfmove_clock
        if not self.rules.fifty_moves:
            return WIN if distance > 0 else LOSS
        if distance < 0:
            return LOSS if clock - distance <= FIFTY_MOVES else BLESSED_LOSS
        is_exact = distance == 1 or clock == 0  # else the distance may be one too few
        return WIN if distance + clock <= FIFTY_MOVES - (not is_exact) else CURSED_WIN

    def _rank_outside(self) -> tuple[list[Candidate], int | None]:
        """Above the tables: drop what is refuted by a capture into them, or worse than one."""
        if len(self.board.piece_map()) > self.rules.limit + NEAR:
            return self.candidates, None
        bounds = {candidate: self._bounds(candidate) for candidate in self.candidates}
        assured = max(low for low, _ in bounds.values())
        if assured == WIN and not self.rules.analysing:
            return [candidate for candidate, (low, _) in bounds.items() if low == WIN], WIN
        kept = [candidate for candidate, (_, high) in bounds.items() if high >= assured and high > LOSS]
        return (kept, None) if kept else (self.candidates, LOSS)

    def _bounds(self, candidate: Candidate) -> tuple[int, int]:
        """The worst and the best that a move may turn out to be."""
        with self._played(candidate.on_board):
            try:
                outcome = -self._outcome()
                return outcome, outcome
            except KeyError:
                return LOSS, min((self._after_capture(reply) for reply in self.board.generate_legal_captures()), default=WIN)

    def _after_capture(self, reply: chess.Move) -> int:
        """The result once the opponent has captured so, as good as it may be where that is not known."""
        with self._played(reply):
            try:
                return self._outcome()
            except KeyError:
                return WIN

    def _outcome_of(self, candidate: Candidate) -> int:
        with self._played(candidate.on_board):
            return -self._outcome()

    def _outcome(self) -> int:
        """The result for the side to move, the count of the fifty-move rule at zero; KeyError where it is not known."""
        if len(self.board.piece_map()) > self.rules.limit:
            raise KeyError("too many men")
        outcome = self.tables.wdl(self.board)
        return outcome if self.rules.fifty_moves else LOSS * (outcome < 0) + WIN * (outcome > 0)

    @contextmanager
    def _played(self, move: chess.Move) -> Iterator[None]:
        """The board with this move played; TooLate when there is no time left."""
        if self.is_late():
            raise TooLate
        self.board.push(move)
        try:
            yield
        finally:
            self.board.pop()


def consult(tables: Tablebase, game: Game, limits: Limits, rules: Rules, is_stopped: Callable[[], bool]) -> Ranking | None:
    """What the tables say of the root moves that `limits` allow; None if that is nothing.

    A small share of the time is spent at most; `is_stopped` ends it too.
    """
    rules = replace(rules, limit=min(rules.limit, tables.largest))
    if rules.limit == 0 or len(game.position.pieces()) > rules.limit + NEAR:
        return None
    begin, before = time.monotonic(), tables.hits
    deadline = begin + _patience(limits, game.position.white_to_move())
    seen = {*game.keys, game.position.key}
    candidates = [
        Candidate(move, chess.Move.from_uci(move_text(move, chess960=True)), game.position.after(move).key not in seen)
        for move in limits.searchmoves or game.position.legal_moves()
    ]
    board = game.position.to_board(chess960=True)
    root = Root(tables, board, candidates, rules, lambda: is_stopped() or time.monotonic() > deadline)
    kept, outcome = root.rank()
    if tables.hits == before:
        return None
    milliseconds = round(1000 * (time.monotonic() - begin))
    return Ranking(tuple(candidate.move for candidate in kept), outcome, tables.hits - before, milliseconds)


def _patience(limits: Limits, white: bool) -> float:
    """Seconds that looking up may take."""
    clock = limits.clock
    milliseconds = None if clock is None else clock.white_time if white else clock.black_time
    patience = float("inf") if milliseconds is None else CLOCK_SHARE * milliseconds / 1000
    return patience if limits.movetime is None else min(patience, MOVETIME_SHARE * limits.movetime / 1000)
