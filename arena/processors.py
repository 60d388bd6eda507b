"""The processors of this machine: how many are free, and which worker process gets which."""

import os
import platform
from pathlib import Path


def spare() -> int:
    """Processors that this process may use and that are idle, by the machine's load of the last minute; at least 1."""
    count = len(_available())
    return max(1, count - (round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0))


def machine() -> str:
    """The machine in words: processor, number of processors for this program, operating system."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    model = next((line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")), "")
    return f"{model or platform.processor() or platform.machine()}, {len(_available())} processors, {platform.platform()}"


def shares(workers: int, threads: int) -> list[list[int]]:
    """Processors for each worker, whole cores first; empty lists where pinning is impossible, or would leave an engine with
    fewer processors than its `threads`."""
    free = [[] for _ in range(workers)]  # type: list[list[int]]
    available = _available()
    if not hasattr(os, "sched_setaffinity") or len(available) < workers * threads:
        return free
    cores: dict[str, list[int]] = {}
    for processor in available:
        cores.setdefault(_core(processor), []).append(processor)
    units = list(cores.values()) if len(cores) >= workers else [[processor] for processor in available]
    for number, unit in enumerate(units):
        free[number % workers].extend(unit)
    return free if min(map(len, free)) >= threads else [[] for _ in range(workers)]


def _available() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def _core(processor: int) -> str:
    """What the hardware threads of one core have in common."""
    try:
        return Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list").read_text()
    except OSError:
        return str(processor)
