"""Ctrl-C, SIGTERM and SIGHUP end a run in good order: the first one interrupts it, the later ones do not disturb its end."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_reactions: list[Callable[[], Any] | None] = []  # the innermost last
_held: list[bool] = []  # for each block that holds signals back, whether one came


def _handle(*_: object) -> None:
    if _held:
        _held[-1] = True
        return
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if (reaction := _reactions[-1]) is None:
        raise KeyboardInterrupt
    reaction()


@contextlib.contextmanager
def interruptible(reaction: Callable[[], Any] | None = None) -> Iterator[None]:
    """Calls `reaction` (None: raises KeyboardInterrupt) at the first signal; ignores others until the outermost block ends.
    Signals that this process ignores already, as under nohup, stay ignored."""
    before = {}
    if not _reactions:
        heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, _handle) for number in heeded}
    _reactions.append(reaction)
    try:
        yield
    finally:
        _reactions.pop()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Holds the signals back until the block ends. A process started within does not get them, until it releases them."""
    masked = hasattr(signal, "pthread_sigmask")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS) if masked else set()
    _held.append(False)  # another thread may get a signal that this one has masked
    try:
        yield
    finally:
        if masked:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if _held.pop():
            _handle()


def ignore_interrupts() -> None:
    """For a worker process, which ends when its pipe closes: no signal but SIGKILL ends it before its engines."""
    for number in _SIGNALS:  # not SIG_IGN, which the engines would inherit
        signal.signal(number, lambda *_: None)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine as asyncio.run does. A signal cancels it; after its clean-up KeyboardInterrupt is raised."""
    interrupted = False

    async def main() -> T:
        task, loop = asyncio.ensure_future(coroutine), asyncio.get_running_loop()

        def cancel() -> None:
            nonlocal interrupted
            interrupted = True
            loop.call_soon_threadsafe(task.cancel)

        with interruptible(cancel):
            return await task

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
