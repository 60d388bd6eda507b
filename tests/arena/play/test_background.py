"""An event loop in a thread."""

import asyncio

import pytest

from zobra.arena.play.background import Background


def test_work_is_done_in_the_loop_and_errors_come_back():
    async def double(number: int) -> int:
        await asyncio.sleep(0)
        return 2 * number

    def fail() -> None:
        raise ValueError("no")

    with Background() as background:
        assert background.wait_for(double(21)) == 42
        assert background.call(asyncio.get_running_loop) is not None
        with pytest.raises(ValueError, match="no"):
            background.call(fail)


def test_tasks_are_cancelled_in_good_order_at_the_end():
    seen = []

    async def run() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            await asyncio.sleep(0.01)
            seen.append("tidied up")

    async def begin() -> asyncio.Task:
        task = asyncio.create_task(run())
        await asyncio.sleep(0)
        return task

    with Background() as background:
        background.wait_for(begin())
    assert seen == ["tidied up"]
