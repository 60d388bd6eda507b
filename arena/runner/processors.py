"""The processors of this machine: how many are idle, and which of them a worker gets."""

import os
import platform
from collections import defaultdict
from pathlib import Path


def _available() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def load() -> float:
    """Return how many processors were busy in the last minute; 0 where the system does not say."""
    if hasattr(os, "getloadavg"):
        return os.getloadavg()[0]
    return 0.0


def load_text() -> str:
    """Return the load in words: "load 0.3 on 8 processors"."""
    return f"load {load():.1f} on {len(_available())} processors"


def idle() -> int:
    """Return how many of the processors that this process may use are idle, by the load."""
    return max(0, len(_available()) - round(load()))


def spare() -> int:
    """Return how many processors games may use: those that are idle, and at least 1."""
    return max(1, idle())


def machine() -> str:
    """The machine in words: processor, number of processors for this program, operating system."""
    table = Path("/proc/cpuinfo")
    lines = (
        table.read_text(encoding="utf-8", errors="replace").splitlines() if table.exists() else []
    )
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.processor(),
    )
    return f"{model or platform.machine()}, {len(_available())} processors, {platform.platform()}"


def shares(workers: int, threads: int) -> list[list[int]]:
    """Processors for each worker, whole cores first; empty lists where pinning is impossible, or
    would leave an engine with fewer processors than its `threads`.
    """
    available, unpinned = _available(), [list[int]() for _ in range(workers)]
    if not hasattr(os, "sched_setaffinity") or len(available) < workers * threads:
        return unpinned
    cores = defaultdict[str, list[int]](
        list
    )  # by what the hardware threads of one core have in common
    for processor in available:
        siblings = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        cores[siblings.read_text() if siblings.exists() else str(processor)].append(processor)
    units = (
        list(cores.values()) if len(cores) >= workers else [[processor] for processor in available]
    )
    pinned = [
        [processor for unit in units[number::workers] for processor in unit]
        for number in range(workers)
    ]
    return pinned if min(map(len, pinned)) >= threads else unpinned
