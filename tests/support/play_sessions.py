"""What tests of `zobra play` share: engines, and sessions in an event loop."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.arena_runs import scripted
from tests.support.paths import ROOT
from zobra.arena.model.engines import EngineSpec
from zobra.arena.play.new_game import NewGame
from zobra.arena.play.session import Session

MATERIAL = f"{sys.executable} {ROOT / 'tests' / 'tools' / 'material_engine.py'}"
LEVELS = (
    "--option-line",
    "option name UCI_LimitStrength type check default false",
    "--option-line",
    "option name UCI_Elo type spin default 1500 min 1000 max 2600",
)
QUICK = "nodes=1"  # a time control of engines that answer at once


def material(*arguments: str) -> EngineSpec:
    """Return an engine that plays sensibly, and has lines."""
    return EngineSpec("Material", (*MATERIAL.split(), *arguments))


def first_move(*arguments: str) -> EngineSpec:
    """Return an engine that plays the first legal move, or fails as asked."""
    return scripted("Scripted", *arguments)


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for a condition in the event loop."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def in_session(spec: EngineSpec, folder: Path, story, wishes: NewGame | None = None) -> Session:
    """Run a coroutine function of a started session, then close the session and return it."""

    async def run() -> Session:
        session = Session(spec, folder)
        try:
            await session.start(wishes or NewGame(time=QUICK))
            await story(session)
        finally:
            await session.close()
        return session

    return asyncio.run(run())
