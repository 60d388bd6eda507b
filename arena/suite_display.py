"""What is shown of a suite: progress, a line or table row per position, and a summary of the engines side by side."""

from collections import Counter
from statistics import median

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
        engine, position, done = self._engine, self._result.positions[index], len(self._engine.answered)
        points = f", {engine.points} points" if self._result.maximum_points else ""
        line = f"({engine.solved} solved{points}): {position.name} {outcome_text(position, engine.outcomes[index])}"
        self.count(done)
        self.show(Text(line, overflow="ellipsis", no_wrap=True))
        if not self.live:
            self.console.print(f"{engine.name} {done}/{len(self._result.positions)} {line}", soft_wrap=True)


def move_san(position: SuitePosition, move: str | None) -> str:
    """A move of the engine in SAN, "-" when there is none."""
    return position.san(move) if move else "-"


def mate_text(moves: int) -> str:
    """ "mate in 3", or "mated in 3" for -3."""
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def asked(position: SuitePosition) -> str:
    """What a position asks for, such as "bm Qg6, mate in 3"."""
    parts = [f"{opcode} {position.san(*moves)}" for opcode, moves in (("bm", position.best), ("am", position.avoid)) if moves]
    if position.mate_in is not None:
        parts.append(mate_text(position.mate_in))
    return ", ".join(parts) or ("most points" if position.maximum_points else "")


def outcome_text(position: SuitePosition, outcome: Outcome | None) -> str:
    """An outcome in one line: the move, its points, and the effort of the first stable solution or what is missing."""
    if outcome is None:
        return ""
    move = move_san(position, outcome.move) + (f", {outcome.points} points" if position.points else "")
    if (since := outcome.solution) is None:
        return f"✗ {move}: {outcome.why}"
    return f"✓ {move}, {since.time_ms} ms, {since.nodes:,} nodes, depth {since.depth}"


def position_table(result: SuiteResult) -> Table:
    """One row per position, one column per engine: move, time, nodes and depth of the first stable solution."""
    names = [engine.name for engine in result.engines]
    table = Table("position", "asked", *names, title="Positions (time, nodes and depth of the first stable solution)")
    for position, *outcomes in zip(result.positions, *(engine.outcomes for engine in result.engines), strict=True):
        cells = [Text(outcome_text(position, o), style="green" if o and o.solved else "red") for o in outcomes]
        table.add_row(position.name, asked(position), *cells)
    return table


def summary_table(result: SuiteResult) -> Table:
    """The engines side by side."""
    names = [engine.name for engine in result.engines]
    table = Table("", *names, title=f"{counted(len(result.positions), 'position')} at {result.limit_text()}")
    for row in summary_rows(result):
        table.add_row(*row)
    return table


def summary_rows(result: SuiteResult) -> list[list[str]]:
    """The comparison of the engines over the positions that they searched: a heading, then one cell per engine."""
    headings = ["solved", "points", "median time to solution", "search time", "nodes per second", "not searched"]
    columns = []
    for engine in result.engines:
        pairs = zip(result.positions, engine.outcomes, strict=True)
        possible = sum(position.maximum_points for position, outcome in pairs if outcome is not None)
        efforts, times = [outcome.effort for outcome in engine.answered], engine.solution_times()
        spent, nodes = sum(e.time_ms for e in efforts), sum(e.nodes for e in efforts if e.time_ms)
        shares = _share(engine.solved, len(engine.answered)), _share(engine.points, possible)
        speed = f"{nodes * 1000 // spent:,}" if spent else "-"
        usual = f"{median(times):.0f} ms" if times else "-"
        columns.append([*shares, usual, f"{spent / 1000:.1f} s", speed, str(engine.outcomes.count(None))])
    left_out = {"points": not result.maximum_points, "not searched": result.finished}
    return [[*row] for row in zip(headings, *columns, strict=True) if not left_out.get(row[0])]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "-"


def print_bad_lines(console: Console, result: SuiteResult) -> None:
    """Lists the lines that could not be used, the first ones in full."""
    for bad in result.bad_lines[:_MOST_BAD_LINES_SHOWN]:
        console.print(str(bad), style="yellow", soft_wrap=True)
    for file, count in Counter(bad.file for bad in result.bad_lines[_MOST_BAD_LINES_SHOWN:]).items():
        console.print(f"{file}: {counted(count, 'more line')} that cannot be used (all are in the JSON file)", style="yellow")
