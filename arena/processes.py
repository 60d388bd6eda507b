"""The processes of a match: which processors they get, and how they end.

All processes of an engine end with it, also those that it started and those that left its process group.
"""

import contextlib
import ctypes
import os
import platform
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


def _available() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def spare() -> int:
    """Processors that this process may use and that are idle, by the machine's load of the last minute; at least 1."""
    return max(1, len(_available()) - (round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0))


def machine() -> str:
    """The machine in words: processor, number of processors for this program, operating system."""
    table = Path("/proc/cpuinfo")
    lines = table.read_text(encoding="utf-8", errors="replace").splitlines() if table.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())
    return f"{model or platform.machine()}, {len(_available())} processors, {platform.platform()}"


def shares(workers: int, threads: int) -> list[list[int]]:
    """Processors for each worker, whole cores first; empty lists where pinning is impossible, or would leave an engine with
    fewer processors than its `threads`."""
    available, unpinned = _available(), [[] for _ in range(workers)]  # type: list[int], list[list[int]]
    if not hasattr(os, "sched_setaffinity") or len(available) < workers * threads:
        return unpinned
    cores: dict[str, list[int]] = defaultdict(list)  # by what the hardware threads of one core have in common
    for processor in available:
        siblings = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        cores[siblings.read_text() if siblings.exists() else str(processor)].append(processor)
    units = list(cores.values()) if len(cores) >= workers else [[processor] for processor in available]
    pinned = [[processor for unit in units[number::workers] for processor in unit] for number in range(workers)]
    return pinned if min(map(len, pinned)) >= threads else unpinned
