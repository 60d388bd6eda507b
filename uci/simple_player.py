"""A simple player in pure Python, which moves as long as the kernels are being compiled.

Alpha-beta with captures to the end, on the rules of python-chess, with the piece-square evaluation that Zobra began with. It
sees a few plies: enough not to lose a piece or to miss a mate, in the seconds that it is needed for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import chess

from zobra.engine.board import FIFTY_MOVES
from zobra.engine.piece_square import FULL_PHASE, QUEEN_PHASE, ROOK_PHASE, TEMPO, table
from zobra.engine.scores import INFINITY, MATE, is_mate, mate_in_moves

MIDDLEGAME, ENDGAME = table().tolist()
FULL, MOVE_BONUS, MATED, MOST = int(FULL_PHASE), int(TEMPO), -int(MATE), int(INFINITY)
PHASES = (0, 1, 1, int(ROOK_PHASE), int(QUEEN_PHASE), 0)  # by piece type, from the pawn on
WORTHS = (1, 3, 3, 5, 9, 20)  # for the order of captures
DEEPEST = 40  # plies: Python's own stack is not endless


class Interrupted(Exception):
    """The search has to end now."""


@dataclass(frozen=True)
class Thought:
    """The best line found with its depth, its score (centipawns, or to mate) and the positions visited so far."""

    depth: int
    score: int
    nodes: int
    line: tuple[chess.Move, ...]

    @property
    def mate(self) -> int | None:
        """Moves to the mate that the score announces, None if it announces none."""
        return mate_in_moves(self.score) if is_mate(self.score) else None


def evaluate(board: chess.Board) -> int:
    """The evaluation of zobra.engine.piece_square in centipawns, from the side to move."""
    middlegame = endgame = phase = 0
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for kind, squares in enumerate(kinds):
        phase += PHASES[kind] * squares.bit_count()
        for black, own in enumerate((board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])):
            piece, places = 2 * kind + black, list(chess.scan_forward(squares & own))
            middlegame += sum(map(MIDDLEGAME[piece].__getitem__, places))
            endgame += sum(map(ENDGAME[piece].__getitem__, places))
    phase = min(phase, FULL)
    white = middlegame * phase + endgame * (FULL - phase)
    return (white if board.turn else -white) // FULL + MOVE_BONUS


class SimplePlayer:
    """One search. `is_over(nodes)` is asked at every position, and cuts the search off."""

    def __init__(self, board: chess.Board, is_over: Callable[[int], bool]) -> None:
        self._board = board.copy()
        self._is_over = is_over
        self._nodes = self._score = 0  # positions visited, and the score of the best line of this depth
        self._best: tuple[chess.Move, ...] = ()
        self._merits: dict[chess.Move, int] = {}  # quiet moves that refuted something, by how deep

    def think(self, choices: Sequence[chess.Move], depths: Iterable[int], is_enough: Callable[[Thought], bool]) -> Thought:
        """The best line that begins with one of `choices` (at least one), from deeper and deeper searches.

        `is_enough` is told what each depth found, and says whether that was the last; a search cut off gives what it has.
        """
        best = Thought(0, evaluate(self._board), self._nodes, tuple(choices[:1]))
        for depth in depths:
            line: list[chess.Move] = []
            self._best = best.line
            try:
                self._search(depth, -MOST, MOST, 0, line, choices)
            except Interrupted:
                return Thought(depth, self._score, self._nodes, tuple(line)) if line else best
            best = Thought(depth, self._score, self._nodes, tuple(line))
            if is_enough(best):
                break
        return best

    def _visit(self) -> None:
        self._nodes += 1
        if self._is_over(self._nodes):
            raise Interrupted

    def _is_drawn(self) -> bool:
        board = self._board
        if board.is_insufficient_material() or board.is_repetition(2):
            return True
        return board.halfmove_clock >= FIFTY_MOVES and any(board.generate_legal_moves())

    def _search(
        self, depth: int, alpha: int, beta: int, ply: int, line: list[chess.Move], choices: Iterable[chess.Move] | None = None
    ) -> int:
        """Score of the board, from the side to move; `line` becomes the best moves. `choices`: the only ones to look at."""
        board = self._board
        self._visit()
        if ply and self._is_drawn():
            return 0
        in_check = board.is_check()
        if (depth <= 0 and not in_check) or ply >= DEEPEST:
            return self._capture(alpha, beta)
        best = MATED + ply if in_check else 0
        for number, move in enumerate(self._ordered(choices or board.generate_legal_moves(), ply)):
            board.push(move)
            following: list[chess.Move] = []
            score = -self._search(depth - 1, -beta, -alpha, ply + 1, following)
            board.pop()
            if number == 0 or score > best:
                best = score
            if score > alpha:
                alpha = score
                line[:] = [move, *following]
                self._score = score if ply == 0 else self._score
            if alpha >= beta:
                self._merits[move] = self._merits.get(move, 0) + depth * depth
                break
        return best

    def _capture(self, alpha: int, beta: int) -> int:
        """Score when only captures are looked at, and standing pat is allowed."""
        best = evaluate(self._board)
        alpha = max(alpha, best)
        if alpha >= beta:
            return best
        for move in self._ordered(self._board.generate_legal_captures(), DEEPEST):
            self._visit()
            self._board.push(move)
            score = -self._capture(-beta, -alpha)
            self._board.pop()
            best, alpha = max(best, score), max(alpha, score)
            if alpha >= beta:
                break
        return best

    def _ordered(self, moves: Iterable[chess.Move], ply: int) -> list[chess.Move]:
        """The move of the last line first, then captures of much by little, then what was good elsewhere."""
        hoped_for = self._best[ply] if ply < len(self._best) else None

        def promise(move: chess.Move) -> tuple[int, int]:
            if move == hoped_for:
                return MOST, 0
            victim = self._board.piece_type_at(move.to_square) or (chess.PAWN if self._board.is_en_passant(move) else None)
            gain = (WORTHS[victim - 1] if victim else 0) + (WORTHS[move.promotion - 1] if move.promotion else 0)
            attacker = self._board.piece_type_at(move.from_square) or chess.PAWN
            return (8 * gain - WORTHS[attacker - 1], 0) if gain else (0, self._merits.get(move, 0))

        return sorted(moves, key=promise, reverse=True)
