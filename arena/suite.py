"""Test suites: every position searched by an engine under one limit, several engine processes side by side."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import chess.engine

from zobra.arena.engines import EngineSpec
from zobra.arena.epd import SuitePosition
from zobra.arena.files import printable
from zobra.arena.player import EnginePlayer
from zobra.arena.suite_results import Answer, Effort, EngineResult, Outcome, why_unsolved

# an engine that has not answered this long after its time was up hangs (seconds)
GRACE = 10.0
# how long an engine may be silent after its start (seconds)
START_TIMEOUT = 30.0
_ANALYSIS = "UCI_AnalyseMode"


class SuiteLimits(NamedTuple):
    """How long a position is searched: until `search` ends it, or a solution has stood for `solved_plies` plies of depth.

    `timeout` (seconds) bounds searches without a time limit. `workers`: engine processes side by side.
    """

    search: chess.engine.Limit
    solved_plies: int | None = None
    timeout: float = 600.0
    workers: int = 1


async def run_suite(
    positions: Sequence[SuitePosition],
    spec: EngineSpec,
    engine: EngineResult,
    limits: SuiteLimits,
    answered: Callable[[int], None] = lambda index: None,
) -> None:
    """Lets an engine search the positions without an outcome in its results, in their order.

    `answered` gets each one's index when its outcome is there. An engine that crashes, hangs or plays an illegal move loses
    that position and is started afresh. Raises EngineFailure when the engine cannot be started.
    """
    waiting = [index for index, outcome in enumerate(engine.outcomes) if outcome is None]
    queue = iter(waiting)

    async def work() -> None:
        """Takes positions from the common queue, with one engine process that is started when needed."""
        player: EnginePlayer | None = None
        try:
            for index in queue:
                if player is None:
                    player = await EnginePlayer.start(spec, START_TIMEOUT)
                    engine.version = player.announced_name
                engine.outcomes[index], usable = await _outcome(player, positions[index], index, limits)
                if not usable:
                    failed, player = player, None
                    await failed.kill()
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
    """Ends a search with the error that happened in the middle of it.

    python-chess hands such errors (an illegal move above all) to the event loop alone, and the search never ends.
    """
    command = getattr(context.get("protocol"), "command", None)
    analysis = getattr(command, "analysis", None)
    error = context.get("exception")
    if isinstance(analysis, chess.engine.AnalysisResult) and isinstance(error, chess.engine.EngineError):
        analysis.set_exception(error)
    elif not isinstance(error, chess.engine.EngineTerminatedError):  # the search was given up before
        loop.default_exception_handler(context)


async def _outcome(player: EnginePlayer, position: SuitePosition, index: int, limits: SuiteLimits) -> tuple[Outcome, bool]:
    """The outcome of a position, and whether the engine can go on."""
    timeout = limits.timeout if limits.search.time is None else limits.search.time + GRACE
    try:
        return await asyncio.wait_for(_solve(player, position, index, limits), timeout), True
    except chess.engine.EngineError as error:
        return Outcome(move=None, solved=False, why=printable(f"engine failed: {error}")), False
    except asyncio.TimeoutError:
        return Outcome(move=None, solved=False, why=f"no answer within {timeout:g} s"), False


async def _solve(player: EnginePlayer, position: SuitePosition, index: int, limits: SuiteLimits) -> Outcome:
    """Searches one position. Raises chess.engine.EngineError when the engine crashes or moves illegally."""
    board, answer, effort = position.board(), Answer(), Effort()
    since: Effort | None = None  # where the engine came to the solution that it still has
    # python-chess would set UCI_AnalyseMode by itself, in which engines ignore limits of strength and books
    decided = _ANALYSIS.lower() in map(str.lower, player.spec.options) or _ANALYSIS not in player.announced()
    options = {} if player.spec.protocol != "uci" or decided else {_ANALYSIS: False}
    started = asyncio.get_running_loop().time()
    analysis = await player.analysis(board, limits.search, index, options)
    async for info in analysis:
        elapsed = info.get("time", asyncio.get_running_loop().time() - started)
        effort = Effort(round(elapsed * 1000), info.get("nodes", effort.nodes), info.get("depth", effort.depth))
        line = info.get("pv")
        if not line or info.get("multipv", 1) != 1:
            continue
        is_bound = info.get("lowerbound") or info.get("upperbound")
        if is_bound and board.uci(line[0]) == answer.move:
            continue  # the line of a bound is cut short, and the move is the same
        moves, walked, score = [], board.copy(stack=False), info.get("score")
        centipawns, mate = (score.relative.score(), score.relative.mate()) if score else (None, None)
        for move in line:
            moves.append(walked.uci(move))
            walked.push(move)
        answer = Answer(moves[0], centipawns, mate, tuple(moves))
        since = None if why_unsolved(position, answer) else since or effort
        if since is not None and limits.solved_plies is not None and effort.depth - since.depth >= limits.solved_plies:
            analysis.stop()
    best = (await analysis.wait()).move
    if best is None or board.uci(best) != answer.move:
        # score and line of another move do not count for this one
        answer, since = Answer(None if best is None else board.uci(best)), None
    return Outcome.of_search(position, answer, effort, since)
