"""Engines are started once before a run, so that it does not begin with one that cannot play."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from zobra.arena.model.engines import EngineSpec, Resources
from zobra.arena.runner.player import EngineFailure, EnginePlayer
from zobra.arena.runner.processes import run_async

_STARTED_AT_ONCE = 4  # engines


class Checked(NamedTuple):
    """What an engine that was started once says of itself, or the problem with it."""

    version: str = ""
    resources: Resources = Resources()
    problem: str = ""


def start_each(
    engines: Sequence[EngineSpec],
    timeout: float,
    check: Callable[[EnginePlayer], None] = lambda player: None,
) -> list[Checked]:
    """Start each engine once, and return what they say of themselves.

    `check` raises EngineFailure for an engine that is not able to play. Raise EngineFailure that
    names all engines that do not start or are not able.
    """
    free = asyncio.Semaphore(_STARTED_AT_ONCE)

    async def start(engine: EngineSpec) -> Checked:
        async with free:
            try:
                player = await EnginePlayer.start(engine, timeout)
                try:
                    check(player)
                    return Checked(player.announced_name, player.resources)
                finally:
                    await player.quit()
            except EngineFailure as failure:
                return Checked(problem=str(failure))

    async def start_all() -> list[Checked]:
        return await asyncio.gather(*map(start, engines))

    found: list[Checked] = run_async(start_all())
    problems = [checked.problem for checked in found if checked.problem]
    if problems:
        raise EngineFailure("disconnect", "; ".join(problems))
    return found
