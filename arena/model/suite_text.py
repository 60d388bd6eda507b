"""Texts of what a suite asks for and what engines answered."""

from statistics import median

from zobra.arena.model.suite_positions import SuitePosition
from zobra.arena.model.suite_results import EngineResult, Outcome, SuiteResult

_HEADINGS = (
    "resources",
    "solved",
    "engine failed",
    "points",
    "median time to solution",
    "search time",
    "nodes per second",
    "not searched",
)


def mate_text(moves: int) -> str:
    """Return "mate in 3" for 3, "mated in 3" for -3."""
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def asked(position: SuitePosition) -> str:
    """Return what a position asks for, such as "bm Qg6, mate in 3"."""
    parts = []
    if position.best:
        parts.append(f"bm {position.san(*position.best)}")
    if position.avoid:
        parts.append(f"am {position.san(*position.avoid)}")
    if position.mate_in is not None:
        parts.append(mate_text(position.mate_in))
    if not parts and position.maximum_points:
        parts.append("most points")
    return ", ".join(parts)


def outcome_text(position: SuitePosition, outcome: Outcome | None) -> str:
    """Return an outcome as one line of text.

    It has the move, its points, and the cost of the first stable solution or what is missing.
    """
    if outcome is None:
        return ""
    move = position.san(outcome.move)
    if position.points:
        move += f", {outcome.points} points"
    solution = outcome.solution
    if solution is None:
        return f"✗ {move}: {outcome.why}"
    return f"✓ {move}, {solution.time_ms} ms, {solution.nodes:,} nodes, depth {solution.depth}"


def summary_rows(result: SuiteResult) -> list[list[str]]:
    """Return the comparison of the engines: each row is a heading and one cell per engine."""
    columns = [_summary(result, engine) for engine in result.engines]
    rows = []
    for heading in _HEADINGS:
        if heading == "points" and not result.maximum_points:
            continue
        if heading == "not searched" and result.finished:
            continue
        if heading == "engine failed" and not any(each.failures for each in result.engines):
            continue
        rows.append([heading, *(column[heading] for column in columns)])
    return rows


def _summary(result: SuiteResult, engine: EngineResult) -> dict[str, str]:
    """Return the figures of an engine by heading, over the positions that it has searched."""
    possible = 0
    for position, outcome in zip(result.positions, engine.outcomes, strict=True):
        if outcome is not None:
            possible += position.maximum_points
    efforts = [outcome.effort for outcome in engine.answered]
    spent = sum(effort.time_ms for effort in efforts)
    nodes = sum(effort.nodes for effort in efforts if effort.time_ms)
    times = engine.solution_times()
    return {
        "resources": engine.resources.text or "-",
        "solved": _share(engine.solved, len(engine.answered)),
        "engine failed": str(engine.failures),
        "points": _share(engine.points, possible),
        "median time to solution": f"{median(times):.0f} ms" if times else "-",
        "search time": f"{spent / 1000:.1f} s",
        "nodes per second": f"{nodes * 1000 // spent:,}" if spent else "-",
        "not searched": str(engine.outcomes.count(None)),
    }


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "-"
