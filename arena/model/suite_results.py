"""The outcomes of the engines over test suites, and their JSON file.

The file is one object: "kind": "suite", "format", "finished" (no outcome is missing), and the
fields of SuiteResult.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zobra.arena.formats.fen import check_possible
from zobra.arena.formats.files import read_json, typed, write_safely
from zobra.arena.formats.text import now, printable
from zobra.arena.model.engines import Resources
from zobra.arena.model.suite_positions import BadLine, SuitePosition

FORMAT = 1


@dataclass(frozen=True)
class Effort:
    """The cost of a search so far: milliseconds, nodes, and depth in plies."""

    time_ms: int = 0
    nodes: int = 0
    depth: int = 0


@dataclass(frozen=True)
class Outcome:
    """The result of one position.

    `why` says why it is not solved, or how the engine failed (`failed`). `effort` is the cost of
    the whole search, `solution` that of finding the first stable solution. Moves are in UCI, scores
    from the view of the side to move (centipawns; moves to mate).
    """

    move: str | None
    solved: bool
    why: str
    points: int = 0
    score_cp: int | None = None
    mate: int | None = None
    line: tuple[str, ...] = ()
    effort: Effort = field(default_factory=Effort)
    solution: Effort | None = None
    failed: bool = False


@dataclass
class EngineResult:
    """One engine's outcomes in the order of the positions; None for a position not yet searched.

    `error` says why the engine could not continue; `version` is the name that it gives itself.
    """

    name: str
    command: list[str]
    options: dict[str, Any]
    outcomes: list[Outcome | None]
    error: str = ""
    version: str = ""
    resources: Resources = field(default_factory=Resources)

    def __post_init__(self) -> None:
        self.name = printable(self.name)
        self.version = printable(self.version)

    @property
    def answered(self) -> list[Outcome]:
        """The outcomes so far."""
        return [outcome for outcome in self.outcomes if outcome is not None]

    @property
    def solved(self) -> int:
        """The number of solved positions."""
        return sum(outcome.solved for outcome in self.answered)

    @property
    def failures(self) -> int:
        """The number of positions at which the engine crashed, hung or moved illegally."""
        return sum(outcome.failed for outcome in self.answered)

    @property
    def points(self) -> int:
        """The points earned so far."""
        return sum(outcome.points for outcome in self.answered)

    def solution_times(self) -> list[int]:
        """Return the milliseconds to the first stable solution of each solved position."""
        return [outcome.solution.time_ms for outcome in self.answered if outcome.solution]


@dataclass
class SuiteResult:
    """A run of one or more engines over test suites.

    `limit` has "time_ms", "nodes", "depth", and "stable_plies", the plies after which a solved
    position was left; `created` is an ISO time.
    """

    files: list[str]
    limit: dict[str, int | None]
    workers: int
    positions: list[SuitePosition]
    bad_lines: list[BadLine] = field(default_factory=list)
    engines: list[EngineResult] = field(default_factory=list)
    created: str = field(default_factory=now)
    machine: str = ""
    command_line: str = ""

    @property
    def maximum_points(self) -> int:
        """The points that a perfect engine would earn, or 0 for suites without points."""
        return sum(position.maximum_points for position in self.positions)

    @property
    def finished(self) -> bool:
        """True if every engine has answered every position."""
        return all(None not in engine.outcomes for engine in self.engines)

    @property
    def is_whole(self) -> bool:
        """True if every line of the files was searched by every engine, without a failure."""
        has_failures = any(engine.failures for engine in self.engines)
        return self.finished and not self.bad_lines and not has_failures

    def limit_text(self) -> str:
        """Return the limit as text, such as "1000 ms, 20 plies"."""
        parts = []
        for key, unit in (("time_ms", "ms"), ("nodes", "nodes"), ("depth", "plies")):
            if self.limit.get(key):
                parts.append(f"{self.limit[key]} {unit}")
        if self.limit.get("stable_plies") is not None:
            parts.append(f"until a solution is stable for {self.limit['stable_plies']} plies")
        return ", ".join(parts)

    def save(self, path: Path) -> None:
        """Write the JSON file atomically, so that an interrupted run leaves a complete file.

        Raise OSError.
        """
        content = {"kind": "suite", "format": FORMAT, "finished": self.finished, **asdict(self)}
        write_safely(path.resolve(), json.dumps(content))

    def check_replaceable(self, path: Path) -> None:
        """Raise ValueError if the file exists and does not hold results of the same run."""
        if not path.exists():
            return
        try:
            earlier = load(path)
        except (OSError, ValueError):
            problem = "exists and does not hold results of a suite"
        else:
            differences = self._differences(earlier)
            if not differences:
                return
            problem = f"holds results with other {' and '.join(differences)}"
        raise ValueError(
            f"{path} {problem}: name another file with --json, or replace it with --force"
        )

    def resume(self, path: Path) -> None:
        """Take over the outcomes of an unfinished run; a file of another run is ignored."""
        try:
            earlier = load(path)
        except (OSError, ValueError):
            return
        if earlier.finished or self._differences(earlier):
            return
        for engine, before in zip(self.engines, earlier.engines, strict=True):
            engine.outcomes = before.outcomes
        self.created = earlier.created

    def _differences(self, other: "SuiteResult") -> list[str]:
        """Return what another run had that this one has not; an empty list for the same run."""
        differences = []
        if self.files != other.files or self.positions != other.positions:
            differences.append("suites")
        if _stated(self.limit) != _stated(other.limit):
            differences.append("limits")
        ours = [(engine.name, engine.command, engine.options) for engine in self.engines]
        theirs = [(engine.name, engine.command, engine.options) for engine in other.engines]
        if ours != theirs:
            differences.append("engines")
        else:
            versions = [engine.version for engine in self.engines]
            if versions != [engine.version for engine in other.engines]:
                differences.append("versions of the engines")
        return differences


def _stated(limit: dict[str, int | None]) -> dict[str, int]:
    """Return the limits that are stated."""
    return {name: value for name, value in limit.items() if value is not None}


def load(path: Path) -> SuiteResult:
    """Read a results file. Raise OSError, or ValueError that names the file if it is not one."""

    def convert(content: Any) -> SuiteResult:
        if content["kind"] != "suite" or content["format"] != FORMAT:
            raise ValueError(
                f"{content['kind']} of format {content['format']} instead of suite of "
                f"format {FORMAT}"
            )
        result: SuiteResult = typed(SuiteResult, content)
        for engine in result.engines:
            if len(engine.outcomes) != len(result.positions):
                raise ValueError(
                    f"{engine.name} has {len(engine.outcomes)} outcomes for "
                    f"{len(result.positions)} positions"
                )
        for index, position in enumerate(result.positions):
            board = position.board()
            check_possible(board, position.name)
            moves = [*position.best, *position.avoid, *dict(position.points)]
            for engine in result.engines:
                outcome = engine.outcomes[index]
                if outcome is not None and outcome.move is not None:
                    moves.append(outcome.move)
            for move in moves:
                board.parse_uci(move)
        return result

    return read_json(path, "a file of suite results", convert)
