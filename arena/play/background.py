"""An event loop in its own thread, which runs code for other threads."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """An event loop that runs while this context manager is open."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Background":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_end_tasks())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()

    def wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, and return its result or raise its exception.

        Ctrl-C cancels it.
        """
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in the loop's thread, and return its result or raise its exception."""

        async def run() -> T:
            return function(*arguments)

        return self.wait_for(run())


async def _end_tasks() -> None:
    """Cancel all tasks that are still running, and wait for their end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
