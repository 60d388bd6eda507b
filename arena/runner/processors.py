"""The processors of this machine: how many are idle, and which ones each worker gets."""

import os
import platform
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from zobra.arena.formats.text import counted


def _available() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def count() -> int:
    """Return the number of processors that this process may use."""
    return len(_available())


def load() -> float:
    """Return the average number of busy processors in the last minute, or 0 if it is unknown."""
    if hasattr(os, "getloadavg"):
        return os.getloadavg()[0]
    return 0.0


def load_text() -> str:
    """Return the load as text: "load 0.3 on 8 processors"."""
    return f"load {load():.1f} on {counted(count(), 'processor')}"


def idle() -> int:
    """Return the number of idle processors among those that this process may use, by the load."""
    return max(0, count() - round(load()))


def spare() -> int:
    """Return the number of processors for games: the idle ones, but at least 1."""
    return max(1, idle())


def machine() -> str:
    """Return a description of the machine: processor, number available, operating system."""
    model = _model() or platform.machine()
    return f"{model}, {counted(count(), 'processor')}, {platform.platform()}"


def _model() -> str:
    table = Path("/proc/cpuinfo")
    if table.exists():
        for line in table.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def shares(workers: int, threads: int) -> list[list[int]]:
    """Return the processors of each worker, whole cores first.

    The lists are empty if pinning is impossible, or if it would leave an engine fewer processors
    than `threads`.
    """
    unpinned: list[list[int]] = [[] for _ in range(workers)]
    available = _available()
    if not hasattr(os, "sched_setaffinity") or len(available) < workers * threads:
        return unpinned

    units = _cores(available)
    if len(units) < workers:
        units = [[processor] for processor in available]
    pinned: list[list[int]] = [[] for _ in range(workers)]
    for number, unit in enumerate(units):
        pinned[number % workers] += unit
    return pinned if min(map(len, pinned)) >= threads else unpinned


def _cores(processors: Sequence[int]) -> list[list[int]]:
    """Return the processors of each core: its hardware threads."""
    cores = defaultdict[str, list[int]](list)
    for processor in processors:
        siblings = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        core = siblings.read_text() if siblings.exists() else str(processor)
        cores[core].append(processor)
    return list(cores.values())
