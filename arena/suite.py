"""Test suites: every position searched by an engine under one limit, several engine processes side by side."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import chess
import chess.engine

from zobra.arena.engines import EngineSpec
from zobra.arena.epd import SuitePosition
from zobra.arena.player import Player
from zobra.arena.suite_results import Outcome
from zobra.arena.suite_verdict import Answer, Effort, StableSolution, answer_from_line

# an engine that has not answered this long after its time was up is taken to hang (seconds)
GRACE = 10.0
# how long an engine may be silent after its start (seconds)
START_PATIENCE = 30.0
_ANALYSIS = "UCI_AnalyseMode"

OutcomeHandler = Callable[[int, Outcome], None]


async def run_suite(
    positions: Sequence[SuitePosition],
    spec: EngineSpec,
    limit: chess.engine.Limit,
    on_outcome: OutcomeHandler,
    *,
    workers: int = 1,
    solved_plies: int | None = None,
    timeout: float = 600.0,
) -> None:
    """Lets one engine search all positions; `on_outcome` gets each position's index and outcome as it is found.

    A search ends early once a solution has stood for `solved_plies` plies of depth (None: never). `timeout` bounds
    searches without a time limit (seconds). An engine that crashes, hangs or plays an illegal move loses that position
    and is started afresh. Raises EngineFailure when the engine cannot be started.
    """
    queue = list(enumerate(positions))[::-1]
    workers = max(1, min(workers, len(queue)))
    crew = [_Worker(spec, limit, solved_plies, timeout) for _ in range(workers)]
    asyncio.get_running_loop().set_exception_handler(_pass_engine_errors_on)
    tasks = [asyncio.create_task(worker.run(queue, on_outcome)) for worker in crew]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _pass_engine_errors_on(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Hands an error in the middle of a search to whoever waits for that search.

    python-chess tells such errors (an illegal move above all) to the event loop alone, and the search never ends.
    """
    command = getattr(context.get("protocol"), "command", None)
    analysis = getattr(command, "analysis", None)
    error = context.get("exception")
    if isinstance(analysis, chess.engine.AnalysisResult) and isinstance(error, chess.engine.EngineError):
        analysis.set_exception(error)
    elif not isinstance(error, chess.engine.EngineTerminatedError):  # a search that nobody waits for any more
        loop.default_exception_handler(context)


class _Worker:
    """Takes positions from a common queue, with one engine process that is started when needed."""

    def __init__(self, spec: EngineSpec, limit: chess.engine.Limit, solved_plies: int | None, timeout: float) -> None:
        self._spec, self._limit, self._solved_plies = spec, limit, solved_plies
        self._timeout = timeout if limit.time is None else limit.time + GRACE
        self._solver: _Solver | None = None

    async def run(self, queue: list[tuple[int, SuitePosition]], on_outcome: OutcomeHandler) -> None:
        """Works until the queue is empty."""
        try:
            while queue:
                index, position = queue.pop()
                on_outcome(index, await self._outcome(position, index))
        finally:
            if self._solver is not None:
                await self._solver.quit()

    async def _outcome(self, position: SuitePosition, game: int) -> Outcome:
        if self._solver is None:
            self._solver = await _Solver.start(self._spec, START_PATIENCE)
        try:
            search = self._solver.solve(position, self._limit, game, self._solved_plies)
            return await asyncio.wait_for(search, self._timeout)
        except chess.engine.EngineError as error:
            why = f"engine failed: {error}"
        except asyncio.TimeoutError:
            why = f"no answer within {self._timeout:g} s"
        solver, self._solver = self._solver, None
        await solver.kill()
        return Outcome(move=None, solved=False, why=why)


class _Solver(Player):
    """An engine process that solves positions."""

    def _as_in_games(self) -> dict[str, bool]:
        """python-chess would set UCI_AnalyseMode by itself, in which engines ignore limits of strength and books."""
        decided = any(name.lower() == _ANALYSIS.lower() for name in self.spec.options)
        return {_ANALYSIS: False} if self.spec.protocol == "uci" and _ANALYSIS in self._protocol.options and not decided else {}

    async def _begin(self, board: chess.Board, limit: chess.engine.Limit, game: int) -> chess.engine.AnalysisResult:
        """Starts a search; python-chess would wait in vain for that of an engine that dies before."""
        beginning = asyncio.ensure_future(self._protocol.analysis(board, limit, game=game, options=self._as_in_games()))
        try:
            await asyncio.wait({beginning, self._protocol.returncode}, return_when=asyncio.FIRST_COMPLETED)
            if not beginning.done():
                code = self._protocol.returncode.result()
                raise chess.engine.EngineTerminatedError(f"died before its search (exit code: {code})")
            return beginning.result()
        finally:
            beginning.cancel()

    async def solve(self, position: SuitePosition, limit: chess.engine.Limit, game: int, solved_plies: int | None) -> Outcome:
        """Searches one position. Raises chess.engine.EngineError when the engine crashes or moves illegally."""
        board, started = position.board(), asyncio.get_running_loop().time()
        stable, answer, effort = StableSolution(position), Answer(), Effort()
        analysis = await self._begin(board, limit, game)
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
            if held is not None and solved_plies is not None and held >= solved_plies:
                analysis.stop()
        best = (await analysis.wait()).move
        if best is None or board.uci(best) != answer.move:
            # what was said of another move does not count for this one
            answer = Answer(move=None if best is None else board.uci(best))
            stable.update(answer, effort)
        return Outcome.of_search(position, answer, effort, stable)
