"""Sharing out the processors of this machine among worker processes."""

import os
from pathlib import Path


def shares(workers: int, threads: int) -> list[list[int]]:
    """Processors for each worker, whole cores first, or empty lists where pinning is impossible or would leave an engine
    with fewer processors than its `threads`."""
    free = [[] for _ in range(workers)]  # type: list[list[int]]
    if not hasattr(os, "sched_getaffinity"):
        return free
    available = sorted(os.sched_getaffinity(0))
    if len(available) < workers * threads:
        return free
    cores: dict[str, list[int]] = {}
    for processor in available:
        cores.setdefault(_core(processor), []).append(processor)
    units = list(cores.values()) if len(cores) >= workers else [[processor] for processor in available]
    for number, unit in enumerate(units):
        free[number % workers].extend(unit)
    return free if min(map(len, free)) >= threads else [[] for _ in range(workers)]


def _core(processor: int) -> str:
    """What hardware threads of one core have in common."""
    try:
        return Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list").read_text()
    except OSError:
        return str(processor)
