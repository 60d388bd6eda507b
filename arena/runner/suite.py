"""Test suites searched by an engine: every position under one limit."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import chess.engine

from zobra.arena.formats.text import printable
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.suite_positions import SuitePosition, why_unsolved
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome
from zobra.arena.runner.player import EnginePlayer

GRACE = 10.0  # an engine that has not answered this long after its time was up hangs (seconds)
START_TIMEOUT = 30.0  # how long an engine may be silent after its start (seconds)
_ANALYSIS = "UCI_AnalyseMode"


class SuiteLimits(NamedTuple):
    """How positions are searched."""

    search: chess.engine.Limit
    solved_plies: int | None = (
        None  # ends a search when a solution has stood for so many plies of depth
    )
    timeout: float = 600.0  # seconds, for searches without a time limit
    workers: int = 1  # engine processes side by side


async def run_suite(
    positions: Sequence[SuitePosition],
    spec: EngineSpec,
    engine: EngineResult,
    limits: SuiteLimits,
    answered: Callable[[int], None] = lambda index: None,
) -> None:
    """Lets an engine search the positions without an outcome in its results, in their order.

    `answered` gets each one's index when its outcome is there. An engine that crashes, hangs or
    plays an illegal move loses that position and is started afresh. Raises EngineFailure when the
    engine cannot be started.
    """
    waiting = [index for index, outcome in enumerate(engine.outcomes) if outcome is None]
    queue = iter(waiting)
    longest = limits.timeout if limits.search.time is None else limits.search.time + GRACE

    async def work() -> None:
        """Takes positions from the common queue, with one engine process that is started when
        needed.
        """
        player: EnginePlayer | None = None
        try:
            for index in queue:
                if player is None:
                    player = await EnginePlayer.start(spec, START_TIMEOUT)
                    engine.version = player.announced_name
                try:
                    engine.outcomes[index] = await asyncio.wait_for(
                        _solve(player, positions[index], index, limits), longest
                    )
                except (chess.engine.EngineError, asyncio.TimeoutError) as error:
                    hangs = isinstance(error, asyncio.TimeoutError)
                    why = (
                        f"no answer within {longest:g} s"
                        if hangs
                        else printable(f"engine failed: {error}")
                    )
                    engine.outcomes[index] = Outcome(move=None, solved=False, why=why)
                    failing, player = player, None
                    await failing.kill()
                answered(index)
        finally:
            if player is not None:
                await player.quit()

    asyncio.get_running_loop().set_exception_handler(_pass_engine_errors_on)
    tasks = [asyncio.create_task(work()) for _ in range(min(limits.workers, len(waiting)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _pass_engine_errors_on(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Ends a search with the error that happened in the middle of it. python-chess hands such
    errors (an illegal move above all) to the event loop alone, and the search never ends.
    """
    analysis, error = (
        getattr(getattr(context.get("protocol"), "command", None), "analysis", None),
        context.get("exception"),
    )
    if isinstance(analysis, chess.engine.AnalysisResult) and isinstance(
        error, chess.engine.EngineError
    ):
        analysis.set_exception(error)
    elif not isinstance(
        error, chess.engine.EngineTerminatedError
    ):  # the search was given up before
        loop.default_exception_handler(context)


async def _solve(
    player: EnginePlayer, position: SuitePosition, index: int, limits: SuiteLimits
) -> Outcome:
    """Searches one position.

    Raises chess.engine.EngineError when the engine crashes or moves illegally.
    """
    board, effort = position.board(), Effort()
    move: str | None = None
    score_cp: int | None = None
    mate: int | None = None
    line: tuple[str, ...] = ()
    since: Effort | None = None  # where the engine came to the solution that it still has
    # python-chess would set UCI_AnalyseMode by itself, in which engines ignore limits of strength
    # and books
    decided = (
        _ANALYSIS.lower() in map(str.lower, player.spec.options)
        or _ANALYSIS not in player.announced()
    )
    options = {} if player.spec.protocol != "uci" or decided else {_ANALYSIS: False}
    started = asyncio.get_running_loop().time()
    analysis = await player.analysis(board, limits.search, index, options)
    async for info in analysis:
        elapsed = info.get("time", asyncio.get_running_loop().time() - started)
        effort = Effort(
            round(elapsed * 1000), info.get("nodes", effort.nodes), info.get("depth", effort.depth)
        )
        moves, score = info.get("pv"), info.get("score")
        if not moves or info.get("multipv", 1) != 1:
            continue
        if (info.get("lowerbound") or info.get("upperbound")) and moves[0].uci() == move:
            continue  # the line of a bound is cut short, and the move is the same
        line = tuple(one.uci() for one in moves)
        move = line[0]
        score_cp, mate = (score.relative.score(), score.relative.mate()) if score else (None, None)
        since = None if why_unsolved(position, move, mate, line) else since or effort
        if (
            since is not None
            and limits.solved_plies is not None
            and effort.depth - since.depth >= limits.solved_plies
        ):
            analysis.stop()
    best = (await analysis.wait()).move or None  # a null move is none
    if best is None or board.uci(best) != move:
        # score and line of another move do not count for this one
        move, score_cp, mate, line, since = (
            None if best is None else board.uci(best),
            None,
            None,
            (),
            None,
        )
    why, points = why_unsolved(position, move, mate, line), dict(position.points).get(move or "", 0)
    return Outcome(
        move, not why, why, points, score_cp, mate, line, effort, None if why else since or effort
    )
