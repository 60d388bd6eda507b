"""Results of a suite: whether a position is solved, the outcomes of engines, and the JSON file that keeps them.

The file is one object:
    kind "suite", format 1, created (ISO 8601), finished (false while positions are missing), files,
    limit {time_ms, nodes, depth: number or null}, workers,
    bad_lines [{file, line, text, problem}],
    positions [{file, line, name, fen, chess960, best, avoid, mate_in, points [[move, points]]}],
    engines [{name, command, options, error, outcomes [one outcome, or null where none is there yet, per position]}].
An outcome is {move, solved, why, points, score_cp, mate, line, effort, solution}: `why` says what an unsolved position
lacks or how the engine failed, `effort` is the whole search and `solution` the first stable solution or null, both as
{time_ms, nodes, depth}. Moves are UCI, scores are from the side to move (centipawns; moves to mate).
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import chess
import chess.engine

from zobra.arena.epd import BadLine, SuitePosition
from zobra.arena.files import printable, read_json, typed, write_safely
from zobra.arena.game_record import now

FORMAT = 1


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
        return f"most points for {position.san(*position.best_paid)}"
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


@dataclass(frozen=True)
class Outcome:
    """The result of one position."""

    move: str | None
    solved: bool
    why: str
    points: int = 0
    score_cp: int | None = None
    mate: int | None = None
    line: tuple[str, ...] = ()
    effort: Effort = field(default_factory=Effort)
    solution: Effort | None = None

    @classmethod
    def of_search(cls, position: SuitePosition, answer: Answer, effort: Effort, stable: StableSolution) -> "Outcome":
        """The outcome of a finished search."""
        why = why_unsolved(position, answer)
        return cls(
            move=answer.move,
            solved=not why,
            why=why,
            points=points(position, answer.move),
            score_cp=answer.score_cp,
            mate=answer.mate,
            line=answer.line,
            effort=effort,
            solution=None if why else stable.since or effort,
        )


@dataclass
class EngineResult:
    """One engine's outcomes, in the order of the positions; `error` when the engine could not go on."""

    name: str
    command: list[str]
    options: dict[str, Any]
    outcomes: list[Outcome | None]
    error: str = ""

    def __post_init__(self) -> None:
        self.name = printable(self.name)

    @property
    def answered(self) -> list[Outcome]:
        """The outcomes so far."""
        return [outcome for outcome in self.outcomes if outcome is not None]

    @property
    def solved(self) -> int:
        """How many positions are solved."""
        return sum(outcome.solved for outcome in self.answered)

    @property
    def points(self) -> int:
        """The points earned."""
        return sum(outcome.points for outcome in self.answered)

    def solution_times(self) -> list[int]:
        """Milliseconds to the first stable solution, of the solved positions."""
        return [outcome.solution.time_ms for outcome in self.answered if outcome.solution]

    def median_solution_time(self) -> float | None:
        """The median of these times in milliseconds, None when nothing is solved."""
        times = self.solution_times()
        return median(times) if times else None


@dataclass
class SuiteResult:
    """A run over a suite by one or more engines."""

    files: list[str]
    limit: dict[str, int | None]
    workers: int
    positions: list[SuitePosition]
    bad_lines: list[BadLine] = field(default_factory=list)
    engines: list[EngineResult] = field(default_factory=list)
    created: str = field(default_factory=now)

    @property
    def maximum_points(self) -> int:
        """The points a perfect engine would earn, 0 for suites without points."""
        return sum(position.maximum_points for position in self.positions)

    def possible_points(self, engine: EngineResult) -> int:
        """The points that a perfect engine would earn in the positions that this one searched."""
        pairs = zip(self.positions, engine.outcomes, strict=True)
        return sum(position.maximum_points for position, outcome in pairs if outcome is not None)

    @property
    def finished(self) -> bool:
        """Whether every engine has answered every position."""
        return all(None not in engine.outcomes for engine in self.engines)

    def limit_text(self) -> str:
        """The limit in words, such as "1000 ms, 20 plies"."""
        units = {"time_ms": "ms", "nodes": "nodes", "depth": "plies"}
        return ", ".join(f"{self.limit[key]} {unit}" for key, unit in units.items() if self.limit.get(key))

    def save(self, path: Path) -> None:
        """Writes the JSON file in one step, so that an interrupted run leaves a whole file. Raises OSError."""
        content = {"kind": "suite", "format": FORMAT, "finished": self.finished, **dataclasses.asdict(self)}
        write_safely(path.resolve(), json.dumps(content))

    def resume(self, earlier: "SuiteResult") -> int:
        """Takes over the outcomes of an unfinished run of the same positions, limit and engines. How many it took."""
        same = (earlier.positions, earlier.limit) == (self.positions, self.limit)
        described = [[(engine.name, engine.command, engine.options) for engine in run.engines] for run in (earlier, self)]
        if earlier.finished or not same or described[0] != described[1]:
            return 0
        for engine, before in zip(self.engines, earlier.engines, strict=True):
            engine.outcomes = before.outcomes
        self.created = earlier.created
        return sum(len(engine.answered) for engine in self.engines)


def load(path: Path) -> SuiteResult:
    """Reads a results file. Raises OSError, or ValueError naming the file when it is not one."""

    def convert(content: Any) -> SuiteResult:
        if not isinstance(content, dict) or content.get("kind") != "suite":
            raise ValueError('no "kind": "suite"')
        if content.get("format") != FORMAT:
            raise ValueError(f"format {content.get('format')!r} instead of {FORMAT}")
        result: SuiteResult = typed(SuiteResult, content)
        for position in result.positions:
            position.check()
        for engine in result.engines:
            if len(engine.outcomes) != len(result.positions):
                raise ValueError(f"{engine.name} has {len(engine.outcomes)} outcomes")
            for position, outcome in zip(result.positions, engine.outcomes, strict=True):
                if outcome is not None:
                    position.check(outcome.move)
        return result

    return read_json(path, "a file of suite results", convert)
