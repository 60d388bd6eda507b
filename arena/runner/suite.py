"""Test suites searched by an engine: every position with the same limit."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import chess.engine

from zobra.arena.formats.text import printable
from zobra.arena.model.engines import EngineSpec
from zobra.arena.model.suite_positions import SuitePosition, why_unsolved
from zobra.arena.model.suite_results import Effort, EngineResult, Outcome
from zobra.arena.runner.player import ANSWER_TIME, GRACE, EnginePlayer

_ANALYSIS = "UCI_AnalyseMode"


class SuiteLimits(NamedTuple):
    """How positions are searched."""

    search: chess.engine.Limit
    # Ends a search when a solution has stood for so many plies of depth
    solved_plies: int | None = None
    timeout: float = 600.0  # seconds, for searches without a time limit
    workers: int = 1  # engine processes at a time


async def run_suite(
    positions: Sequence[SuitePosition],
    spec: EngineSpec,
    engine: EngineResult,
    limits: SuiteLimits,
    answered: Callable[[int], None] = lambda index: None,
) -> None:
    """Let an engine search the positions that have no outcome in its results yet, in order.

    `answered` is called with the index of each position when its outcome is known. An engine that
    crashes, hangs or plays an illegal move loses that position and is restarted. Raise
    EngineFailure if the engine cannot be started.
    """
    waiting = [index for index, outcome in enumerate(engine.outcomes) if outcome is None]
    queue = iter(waiting)
    longest = limits.timeout if limits.search.time is None else limits.search.time + GRACE

    async def work() -> None:
        """Search positions from the common queue with one engine process, started when needed."""
        player: EnginePlayer | None = None
        try:
            for index in queue:
                if player is None:
                    player = await EnginePlayer.start(spec, ANSWER_TIME)
                    engine.version = player.announced_name
                try:
                    engine.outcomes[index] = await asyncio.wait_for(
                        _solve(player, positions[index], index, limits), longest
                    )
                except (chess.engine.EngineError, asyncio.TimeoutError) as error:
                    why = f"no answer within {longest:g} s"
                    if isinstance(error, chess.engine.EngineError):
                        why = printable(f"engine failed: {error}")
                    engine.outcomes[index] = Outcome(move=None, solved=False, why=why, failed=True)
                    failing = player
                    player = None
                    await failing.kill()
                answered(index)
        finally:
            if player is not None:
                await player.quit()

    tasks = [asyncio.create_task(work()) for _ in range(min(limits.workers, len(waiting)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _solve(
    player: EnginePlayer, position: SuitePosition, index: int, limits: SuiteLimits
) -> Outcome:
    """Search one position.

    Raise chess.engine.EngineError when the engine crashes or moves illegally.
    """
    board = position.board()
    answer = _Answer()
    started = asyncio.get_running_loop().time()
    analysis = await player.analysis(board, limits.search, index, _search_options(player))
    async for info in analysis:
        elapsed = info.get("time", asyncio.get_running_loop().time() - started)
        is_line = answer.take(position, info, round(elapsed * 1000))
        if is_line and limits.solved_plies is not None:
            if answer.stable_plies >= limits.solved_plies:
                analysis.stop()

    best = (await analysis.wait()).move or None  # a null move is none
    move = None if best is None else board.uci(best)
    if move is None or move != answer.move:
        # Score and line of another move do not count for this one
        answer = _Answer(move=move, effort=answer.effort)
    why = why_unsolved(position, move, answer.mate, answer.line)
    return Outcome(
        move=move,
        solved=not why,
        why=why,
        points=dict(position.points).get(move or "", 0),
        score_cp=answer.score_cp,
        mate=answer.mate,
        line=answer.line,
        effort=answer.effort,
        solution=None if why else answer.since or answer.effort,
    )


def _search_options(player: EnginePlayer) -> dict[str, Any]:
    """Return the options of a search.

    python-chess would set UCI_AnalyseMode by itself, and then engines ignore limited strength and
    books.
    """
    is_set = _ANALYSIS.lower() in (name.lower() for name in player.spec.options)
    if player.spec.protocol != "uci" or is_set or _ANALYSIS not in player.announced():
        return {}
    return {_ANALYSIS: False}


@dataclass
class _Answer:
    """The best line that an engine has reported so far.

    `since` is the effort at which it found the solution that it still has.
    """

    move: str | None = None
    score_cp: int | None = None
    mate: int | None = None
    line: tuple[str, ...] = ()
    effort: Effort = field(default_factory=Effort)
    since: Effort | None = None

    @property
    def stable_plies(self) -> int:
        """The plies of depth for which the solution has been stable, or -1 if there is none."""
        return -1 if self.since is None else self.effort.depth - self.since.depth

    def take(self, position: SuitePosition, info: chess.engine.InfoDict, milliseconds: int) -> bool:
        """Take a report of the engine. Return True if it has a new line."""
        self.effort = Effort(
            milliseconds,
            info.get("nodes", self.effort.nodes),
            info.get("depth", self.effort.depth),
        )
        moves = info.get("pv")
        if not moves or info.get("multipv", 1) != 1:
            return False
        is_bound = info.get("lowerbound") or info.get("upperbound")
        if is_bound and moves[0].uci() == self.move:
            return False  # the line of a bound is cut short, and the move is the same
        self.line = tuple(move.uci() for move in moves)
        self.move = self.line[0]
        self.score_cp = None
        self.mate = None
        if "score" in info:
            self.score_cp = info["score"].relative.score()
            self.mate = info["score"].relative.mate()
        if why_unsolved(position, self.move, self.mate, self.line):
            self.since = None
        elif self.since is None:
            self.since = self.effort
        return True
