"""What a suite asks for and what engines answered, in words."""

from statistics import median

from zobra.arena.model.suite_positions import SuitePosition
from zobra.arena.model.suite_results import Outcome, SuiteResult


def mate_text(moves: int) -> str:
    """ "mate in 3", or "mated in 3" for -3."""
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


def asked(position: SuitePosition) -> str:
    """What a position asks for, such as "bm Qg6, mate in 3"."""
    parts = [
        f"{opcode} {position.san(*moves)}"
        for opcode, moves in (("bm", position.best), ("am", position.avoid))
        if moves
    ]
    if position.mate_in is not None:
        parts.append(mate_text(position.mate_in))
    return ", ".join(parts) or ("most points" if position.maximum_points else "")


def outcome_text(position: SuitePosition, outcome: Outcome | None) -> str:
    """An outcome in one line: the move, its points, and the effort of the first stable solution or
    what is missing.
    """
    if outcome is None:
        return ""
    move = position.san(outcome.move) + (f", {outcome.points} points" if position.points else "")
    if (since := outcome.solution) is None:
        return f"✗ {move}: {outcome.why}"
    return f"✓ {move}, {since.time_ms} ms, {since.nodes:,} nodes, depth {since.depth}"


def summary_rows(result: SuiteResult) -> list[list[str]]:
    """The comparison of the engines over the positions that they searched: a heading, then one cell
    per engine.
    """
    headings = [
        "solved",
        "points",
        "median time to solution",
        "search time",
        "nodes per second",
        "not searched",
    ]
    columns = []
    for engine in result.engines:
        pairs = zip(result.positions, engine.outcomes, strict=True)
        possible = sum(
            position.maximum_points for position, outcome in pairs if outcome is not None
        )
        efforts, times = [outcome.effort for outcome in engine.answered], engine.solution_times()
        spent, nodes = sum(e.time_ms for e in efforts), sum(e.nodes for e in efforts if e.time_ms)
        parts = (engine.solved, len(engine.answered)), (engine.points, possible)
        shares = [
            f"{part} of {whole} ({part / whole:.1%})" if whole else "-" for part, whole in parts
        ]
        speed = f"{nodes * 1000 // spent:,}" if spent else "-"
        usual = f"{median(times):.0f} ms" if times else "-"
        columns.append(
            [*shares, usual, f"{spent / 1000:.1f} s", speed, str(engine.outcomes.count(None))]
        )
    left_out = {"points": not result.maximum_points, "not searched": result.finished}
    return [[*row] for row in zip(headings, *columns, strict=True) if not left_out.get(row[0])]
