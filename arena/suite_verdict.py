"""Whether a position of a suite is solved: the move, the proof of a mate, and how early the engine found it."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess
import chess.engine

from zobra.arena.epd import SuitePosition


@dataclass(frozen=True)
class Effort:
    """The cost of a search so far: milliseconds, nodes, and depth in plies."""

    time_ms: int = 0
    nodes: int = 0
    depth: int = 0


@dataclass(frozen=True)
class Answer:
    """An engine's best move and line in UCI notation, and its score in centipawns or moves to mate from the mover's view."""

    move: str | None = None
    score_cp: int | None = None
    mate: int | None = None
    line: tuple[str, ...] = ()


def why_unsolved(position: SuitePosition, answer: Answer) -> str:
    """What the answer misses of what the position asks for (bm, am and dm alike); empty when it is solved.

    A position that gives only points per move asks for a move with the most points.
    """
    if answer.move is None:
        return "no move"
    if position.best and answer.move not in position.best:
        return f"best is {position.san(*position.best)}"
    if answer.move in position.avoid:
        return f"{position.san(answer.move)} is to be avoided"
    if position.mate_in is not None:
        return _gap_in_mate_proof(position, answer)
    if not (position.best or position.avoid) and points(position, answer.move) < position.maximum_points:
        return f"most points for {position.san(*position.worthiest)}"
    return ""


def points(position: SuitePosition, move: str | None) -> int:
    """The points that a move earns where the suite gives points per move, else 0."""
    return dict(position.points).get(move or "", 0)


def _gap_in_mate_proof(position: SuitePosition, answer: Answer) -> str:
    """A mate counts when the score names it and a legal line of exactly that length ends in checkmate; to give mate sooner
    than the suite is as good, to be mated sooner is not."""
    asked, claimed = position.mate_in or 0, answer.mate
    if claimed is None or claimed * asked <= 0:
        return f"mate in {asked} not seen"
    if abs(claimed) > abs(asked) or (asked < 0 and claimed != asked):
        return f"mate in {claimed} instead of {asked}"
    plies = 2 * claimed - 1 if claimed > 0 else -2 * claimed
    if len(answer.line) != plies or answer.line[0] != answer.move:
        return f"mate in {claimed} without its whole line"
    board = position.board()
    try:
        for move in answer.line:
            board.push_uci(move)
    except ValueError as error:
        return f"mate in {claimed} with an {error}"
    return "" if board.is_checkmate() else f"mate in {claimed} with a line that does not mate"


class StableSolution:
    """Finds the point of a search (`since`) after which the engine kept to the solution; None while it has another move."""

    def __init__(self, position: SuitePosition) -> None:
        self._position = position
        self.since: Effort | None = None

    def update(self, answer: Answer, effort: Effort) -> None:
        """Takes the engine's answer at one moment of its search."""
        if why_unsolved(self._position, answer):
            self.since = None
        elif self.since is None:
            self.since = effort

    def held_for(self, effort: Effort) -> int | None:
        """The plies of depth through which the solution has stood; None while there is none."""
        return None if self.since is None else effort.depth - self.since.depth


def answer_from_line(board: chess.Board, line: Sequence[chess.Move], score: chess.engine.PovScore | None) -> Answer:
    """The answer that a line of engine output states."""
    moves, walked = [], board.copy(stack=False)
    for move in line:
        moves.append(walked.uci(move))
        walked.push(move)
    relative = score.relative if score else None
    return Answer(
        move=moves[0] if moves else None,
        score_cp=relative.score() if relative else None,
        mate=relative.mate() if relative else None,
        line=tuple(moves),
    )
