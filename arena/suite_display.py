"""What is shown of a suite: progress, a line or table row per position, and a summary of the engines side by side."""

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from zobra.arena.display import LivePanel, counted
from zobra.arena.epd import SuitePosition
from zobra.arena.suite_results import EngineResult, Outcome, SuiteResult

_MOST_BAD_LINES_SHOWN = 20


class SuiteProgress(LivePanel):
    """Progress of one engine over a suite: one line per position where there is no terminal."""

    def __init__(self, console: Console, result: SuiteResult, engine: EngineResult) -> None:
        super().__init__(console, engine.name)
        self._result, self._engine = result, engine
        self.count_from(len(engine.answered), len(result.positions), "position")

    def answered(self, index: int) -> None:
        """One more position has its outcome."""
        done = len(self._engine.answered)
        score = f"{self._engine.solved} solved"
        if self._result.maximum_points:
            score += f", {self._engine.points} points"
        position, outcome = self._result.positions[index], self._engine.outcomes[index]
        line = f"({score}): {position.name} {outcome_text(position, outcome) if outcome else ''}"
        self.count(done)
        self.show(Text(line, overflow="ellipsis", no_wrap=True))
        if not self.live:
            self.console.print(f"{self._engine.name} {done}/{len(self._result.positions)} {line}", soft_wrap=True)


def move_san(position: SuitePosition, move: str | None) -> str:
    """A move of the engine in SAN, "-" when there is none."""
    return position.san(move) if move else "-"


def position_table(result: SuiteResult) -> Table:
    """One row per position, one column per engine: move, time, nodes and depth of the first stable solution."""
    table = Table("position", "asked", title="Positions (time, nodes and depth of the first stable solution)")
    for engine in result.engines:
        table.add_column(engine.name)
    for index, position in enumerate(result.positions):
        outcomes = [engine.outcomes[index] for engine in result.engines]
        cells = [Text(outcome_text(position, o), style="green" if o.solved else "red") if o else "" for o in outcomes]
        table.add_row(position.name, asked(position), *cells)
    return table


def asked(position: SuitePosition) -> str:
    """What a position asks for, such as "bm Qg6, mate in 3"."""
    parts = [f"{opcode} {position.san(*moves)}" for opcode, moves in (("bm", position.best), ("am", position.avoid)) if moves]
    if position.mate_in is not None:
        parts.append(mate_text(position.mate_in))
    if position.maximum_points and not parts:
        parts.append("most points")
    return ", ".join(parts)


def mate_text(moves: int) -> str:
    """ "mate in 3", or "mated in 3" for -3."""
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def outcome_text(position: SuitePosition, outcome: Outcome) -> str:
    """An outcome in one line: the move, its points, and the effort of the first stable solution or what is missing."""
    move = move_san(position, outcome.move) + (f", {outcome.points} points" if position.points else "")
    if outcome.solution is None:
        return f"✗ {move}: {outcome.why}"
    since = outcome.solution
    return f"✓ {move}, {since.time_ms} ms, {since.nodes:,} nodes, depth {since.depth}"


def summary_table(result: SuiteResult) -> Table:
    """The engines side by side."""
    names = [engine.name for engine in result.engines]
    table = Table("", *names, title=f"{counted(len(result.positions), 'position')} at {result.limit_text()}")
    for row in summary_rows(result):
        table.add_row(*row)
    return table


def summary_rows(result: SuiteResult) -> list[list[str]]:
    """The comparison of the engines over the positions that they searched: a heading, then one cell per engine."""
    count, engines = len(result.positions), result.engines
    rows = [["solved", *(_share(engine.solved, len(engine.answered)) for engine in engines)]]
    if result.maximum_points:
        rows.append(["points", *(_share(engine.points, result.possible_points(engine)) for engine in engines)])
    rows.append(["median time to solution", *(_milliseconds(engine.median_solution_time()) for engine in engines)])
    rows.append(["search time", *(f"{sum(o.effort.time_ms for o in e.answered) / 1000:.1f} s" for e in engines)])
    rows.append(["nodes per second", *(_speed(engine) for engine in engines)])
    if not result.finished:
        rows.append(["not searched", *(str(count - len(engine.answered)) for engine in engines)])
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "-"


def _milliseconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ms"


def _speed(engine: EngineResult) -> str:
    searched = [outcome.effort for outcome in engine.answered if outcome.effort.time_ms]
    time_ms = sum(effort.time_ms for effort in searched)
    return f"{sum(effort.nodes for effort in searched) * 1000 // time_ms:,}" if time_ms else "-"


def print_bad_lines(console: Console, result: SuiteResult) -> None:
    """Lists the lines that could not be used, the first ones in full."""
    for bad in result.bad_lines[:_MOST_BAD_LINES_SHOWN]:
        console.print(str(bad), style="yellow", soft_wrap=True)
    rest = Counter(bad.file for bad in result.bad_lines[_MOST_BAD_LINES_SHOWN:])
    for file, count in rest.items():
        console.print(f"{file}: {counted(count, 'more line')} that cannot be used (all are in the JSON file)", style="yellow")
