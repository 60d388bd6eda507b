"""Results of a suite and the JSON file that keeps them.

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
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from zobra.arena.epd import BadLine, SuitePosition
from zobra.arena.journal import now, write_safely
from zobra.arena.suite_verdict import Answer, Effort, StableSolution, points, why_unsolved

FORMAT = 1


@dataclass(frozen=True)
class Outcome:
    """What came of one position."""

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
        """Judges a finished search."""
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

    @property
    def answered(self) -> list[Outcome]:
        """The outcomes that are there."""
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

    @property
    def finished(self) -> bool:
        """Whether every engine has answered every position."""
        return all(None not in engine.outcomes for engine in self.engines)

    def limit_text(self) -> str:
        """The limit in words, such as "1000 ms, 20 plies"."""
        units = {"time_ms": "ms", "nodes": "nodes", "depth": "plies"}
        return ", ".join(f"{self.limit[key]} {unit}" for key, unit in units.items() if self.limit.get(key))

    def save(self, path: Path) -> None:
        """Writes the JSON file in one step, so that a broken-off run leaves the last whole file. Raises OSError."""
        content = {"kind": "suite", "format": FORMAT, "finished": self.finished, **dataclasses.asdict(self)}
        write_safely(path, json.dumps(content, ensure_ascii=False).encode())


def load(path: Path) -> SuiteResult:
    """Reads a results file. Raises OSError, or ValueError naming the file when it is not one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("kind") != "suite":
            raise ValueError('no "kind": "suite"')
        if content.get("format") != FORMAT:
            raise ValueError(f"format {content.get('format')!r} instead of {FORMAT}")
        return SuiteResult(
            files=content["files"],
            limit=content["limit"],
            workers=content["workers"],
            positions=[_position(entry) for entry in content["positions"]],
            bad_lines=[BadLine(**entry) for entry in content["bad_lines"]],
            engines=[_engine(entry) for entry in content["engines"]],
            created=content["created"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a file of suite results ({error})") from error


def _position(entry: dict[str, Any]) -> SuitePosition:
    moves = {key: tuple(entry[key]) for key in ("best", "avoid")}
    return SuitePosition(**{**entry, **moves, "points": tuple((move, value) for move, value in entry["points"])})


def _engine(entry: dict[str, Any]) -> EngineResult:
    return EngineResult(**{**entry, "outcomes": [outcome and _outcome(outcome) for outcome in entry["outcomes"]]})


def _outcome(entry: dict[str, Any]) -> Outcome:
    solution = entry["solution"] and Effort(**entry["solution"])
    values = {"line": tuple(entry["line"]), "effort": Effort(**entry["effort"]), "solution": solution}
    return Outcome(**{**entry, **values})
