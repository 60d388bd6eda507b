"""Test suites: every position searched by an engine under one limit, several engine processes side by side."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import chess
import chess.engine

from zobra.arena.engines import EngineSpec
from zobra.arena.epd import SuitePosition
from zobra.arena.files import printable
from zobra.arena.player import EnginePlayer
from zobra.arena.suite_results import Answer, Effort, Outcome, StableSolution, answer_from_line

# an engine that has not answered this long after its time was up hangs (seconds)
GRACE = 10.0
# how long an engine may be silent after its start (seconds)
START_TIMEOUT = 30.0
_ANALYSIS = "UCI_AnalyseMode"

OutcomeHandler = Callable[[int, Outcome], None]


class SuiteLimits(NamedTuple):
    """How long a position is searched: until `search` ends it, or a solution has stood for `solved_plies` plies of depth.

    `timeout` (seconds) bounds searches without a time limit.
    """

    search: chess.engine.Limit
    solved_plies: int | None = None
    timeout: float = 600.0


async def run_suite(
    queue: Iterable[tuple[int, SuitePosition]],
    spec: EngineSpec,
    limits: SuiteLimits,
    on_outcome: OutcomeHandler,
    workers: int = 1,
) -> None:
    """Lets one engine search positions, in their order; `on_outcome` gets each one's index and outcome as it is found.

    An engine that crashes, hangs or plays an illegal move loses that position and is started afresh. Raises EngineFailure
    when the engine cannot be started.
    """
    waiting = list(queue)[::-1]
    asyncio.get_running_loop().set_exception_handler(_pass_engine_errors_on)
    solvers = [SuiteSolver(spec, limits) for _ in range(min(workers, len(waiting)))]
    tasks = [asyncio.create_task(solver.run(waiting, on_outcome)) for solver in solvers]
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


class SuiteSolver:
    """Takes positions from a common queue, with one engine process that is started when needed."""

    def __init__(self, spec: EngineSpec, limits: SuiteLimits) -> None:
        self._spec, self._limit, self._solved_plies = spec, limits.search, limits.solved_plies
        self._timeout = limits.timeout if limits.search.time is None else limits.search.time + GRACE
        self._player: EnginePlayer | None = None

    async def run(self, queue: list[tuple[int, SuitePosition]], on_outcome: OutcomeHandler) -> None:
        """Works until the queue is empty. Raises EngineFailure when the engine cannot be started."""
        try:
            while queue:
                index, position = queue.pop()
                on_outcome(index, await self._outcome(position, index))
        finally:
            if self._player is not None:
                await self._player.quit()

    async def _outcome(self, position: SuitePosition, game: int) -> Outcome:
        if self._player is None:
            self._player = await EnginePlayer.start(self._spec, START_TIMEOUT)
        try:
            return await asyncio.wait_for(self._solve(self._player, position, game), self._timeout)
        except chess.engine.EngineError as error:
            why = f"engine failed: {error}"
        except asyncio.TimeoutError:
            why = f"no answer within {self._timeout:g} s"
        player, self._player = self._player, None
        await player.kill()
        return Outcome(move=None, solved=False, why=printable(why))

    def _as_in_games(self, player: EnginePlayer) -> dict[str, bool]:
        """python-chess would set UCI_AnalyseMode by itself, in which engines ignore limits of strength and books."""
        decided = any(name.lower() == _ANALYSIS.lower() for name in self._spec.options)
        return {_ANALYSIS: False} if self._spec.protocol == "uci" and _ANALYSIS in player.announced() and not decided else {}

    async def _solve(self, player: EnginePlayer, position: SuitePosition, game: int) -> Outcome:
        """Searches one position. Raises chess.engine.EngineError when the engine crashes or moves illegally."""
        board, started = position.board(), asyncio.get_running_loop().time()
        stable, answer, effort = StableSolution(position), Answer(), Effort()
        analysis = await player.analysis(board, self._limit, game, self._as_in_games(player))
        async for info in analysis:
            elapsed = info.get("time", asyncio.get_running_loop().time() - started)
            effort = Effort(round(elapsed * 1000), info.get("nodes", effort.nodes), info.get("depth", effort.depth))
            if not info.get("pv") or info.get("multipv", 1) != 1:
                continue
            is_bound = info.get("lowerbound") or info.get("upperbound")
            if is_bound and board.uci(info["pv"][0]) == answer.move:
                continue  # the line of a bound is cut short, and the move is the same
            answer = answer_from_line(board, info["pv"], info.get("score"))
            stable.update(answer, effort)
            held = stable.held_for(effort)
            if held is not None and self._solved_plies is not None and held >= self._solved_plies:
                analysis.stop()
        best = (await analysis.wait()).move
        if best is None or board.uci(best) != answer.move:
            # score and line of another move do not count for this one
            answer = Answer(move=None if best is None else board.uci(best))
            stable.update(answer, effort)
        return Outcome.of_search(position, answer, effort, stable)
