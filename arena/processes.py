"""The processes of an engine: all of them end with it, also those that it started and those that left its process group."""

import contextlib
import ctypes
import os
import signal
import sys
from collections import defaultdict
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Makes this process the parent of processes below it whose own parents end, so that `kill_children` finds them (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _descendants(pid: int) -> list[int]:
    """All processes below this one, by /proc (Linux); none elsewhere."""
    children = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            children[int(entry.read_text().rpartition(")")[2].split()[1])].append(int(entry.parent.name))
    found = [pid]
    for parent in found:
        found.extend(children[parent])
    return found[1:]


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def kill_engine(pid: int) -> None:
    """Kills a process that leads a group, its group, and (where there is /proc) all processes below it."""
    below = _descendants(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)
    _kill(below)


def kill_children() -> None:
    """Kills all processes below this one."""
    while below := _descendants(os.getpid()):
        _kill(below)
        for _ in below:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)
