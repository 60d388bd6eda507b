"""Processes of a run: the signals that interrupt it, and the end of all processes that it started.

The first Ctrl-C, SIGTERM or SIGHUP interrupts a run; later ones do not disturb its shutdown.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
_HAS_MASKS = hasattr(signal, "pthread_sigmask")  # Windows has none
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_reactions: list[Callable[[], Any] | None] = []  # the innermost last
_held: list[bool] = []  # for each block that holds signals back, whether one came


def _handle(*_: object) -> None:
    if _held:
        _held[-1] = True
        return
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    reaction = _reactions[-1]
    if reaction is None:
        raise KeyboardInterrupt
    reaction()


@contextlib.contextmanager
def interruptible(reaction: Callable[[], Any] | None = None) -> Iterator[None]:
    """Call `reaction` at the first signal; without one, raise KeyboardInterrupt.

    Later signals are ignored until the outermost block ends. Signals that this process ignores
    already, as under nohup, remain ignored.
    """
    before = {}
    if not _reactions:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, _handle)
    _reactions.append(reaction)
    try:
        yield
    finally:
        _reactions.pop()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold signals back until the block ends.

    A process that is started in the block inherits this, and gets none until it unblocks them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS) if _HAS_MASKS else set()
    _held.append(False)  # another thread may get a signal that this one has masked
    try:
        yield
    finally:
        if _HAS_MASKS:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if _held.pop():
            _handle()


def start_resource_tracker() -> None:
    """Start the process with which multiprocessing tracks shared resources.

    It would otherwise start with the first worker, and unblock the signals that are held back then.
    Windows has neither signal masks nor this process.
    """
    if _HAS_MASKS:
        resource_tracker.ensure_running()


def prepare_worker() -> None:
    """Make sure that no signal except SIGKILL ends this worker process before its engines.

    It ends when its pipe closes. On Linux it adopts orphaned processes below it, so that
    `kill_children` finds them.
    """
    for number in _SIGNALS:  # not SIG_IGN, which the engines would inherit
        signal.signal(number, lambda *_: None)
    if _HAS_MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # 36: PR_SET_CHILD_SUBREAPER


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine like asyncio.run, but cancel it at the first signal.

    After its cleanup KeyboardInterrupt is raised.
    """
    interrupted = threading.Event()

    async def main() -> T:
        task = asyncio.ensure_future(coroutine)
        loop = asyncio.get_running_loop()

        def cancel() -> None:
            interrupted.set()
            loop.call_soon_threadsafe(task.cancel)

        with interruptible(cancel):
            return await task

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if interrupted.is_set():
            raise KeyboardInterrupt from None
        raise  # something else was cancelled, which is a fault


def _descendants(pid: int) -> list[int]:
    """Return all descendants of a process, from /proc on Linux; none elsewhere."""
    children = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            behind_name = entry.read_text().rpartition(")")[2]
            parent = int(behind_name.split()[1])
            children[parent].append(int(entry.parent.name))
    found = [pid]
    for parent in found:
        found.extend(children[parent])
    return found[1:]


def _kill(pids: list[int], kill: Callable[[int, int], None] = os.kill) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):  # it may have ended; Windows has no error of its own
            kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def kill_engine(pid: int) -> None:
    """Kill a process group by its leader and, on Linux, all descendants of that process."""
    below = _descendants(pid)
    _kill([pid], getattr(os, "killpg", os.kill))
    _kill(below)


def kill_children() -> None:
    """Kill all descendants of this process."""
    while below := _descendants(os.getpid()):
        _kill(below)
        for _ in below:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)
