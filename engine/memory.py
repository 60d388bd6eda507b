"""Memory: how much is available, and large blocks of it, zeroed and touched.

What is available depends on the machine and on the control groups of this process.
"""

import contextlib
import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import numpy as np

HUGE_PAGE = 1 << 21  # bytes, on most processors
SMALLEST_SHARE = 64 << 20  # bytes that a thread of its own is started for
# Memory shared with other processes, which is the default, cannot have huge pages.
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}

CGROUP_MOUNT = Path("/sys/fs/cgroup")
CGROUP_MEMBERSHIP = Path("/proc/self/cgroup")
# Files with the limit and the use of a control group, and the line of memory.stat with its cached
# files, which can be dropped.
VERSION_1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
VERSION_2 = ("memory.max", "memory.current", "inactive_file")


def _machine_bytes() -> int | None:
    """Return the memory that the machine has available, or else its total; None if unknown."""
    with contextlib.suppress(OSError, KeyError, ValueError):
        sizes = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return int(sizes["MemAvailable"].split()[0]) << 10
    with contextlib.suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _group_bytes(folder: Path, names: tuple[str, str, str]) -> int | None:
    """Return the memory that one control group leaves.

    Return None if it has no limit ("max") or does not exist.
    """
    limit, use, cached = names
    with contextlib.suppress(OSError, ValueError):
        free = int((folder / limit).read_text()) - int((folder / use).read_text())
        statistics = dict(
            line.split() for line in (folder / "memory.stat").read_text().splitlines()
        )
        return max(0, free + int(statistics.get(cached, 0)))
    return None


def available_megabytes(
    mount: Path = CGROUP_MOUNT, membership: Path = CGROUP_MEMBERSHIP
) -> int | None:
    """Return the memory in MiB that this process can still take, or None if it is unknown.

    It is the smallest of the amounts that the machine, the control groups of the process (version 1
    or 2) and all their parents have left.
    """
    found = [_machine_bytes()]
    lines: list[str] = []
    with contextlib.suppress(OSError):  # only Linux has it
        lines = membership.read_text().splitlines()
    for _, controllers, path in (line.split(":", 2) for line in lines):
        if not controllers or "memory" in controllers.split(","):
            base = mount / "memory" if controllers else mount
            names = VERSION_1 if controllers else VERSION_2
            group = PurePosixPath(path.lstrip("/"))
            found += [_group_bytes(base / folder, names) for folder in (group, *group.parents)]
    known = [size for size in found if size is not None]
    return min(known) >> 20 if known else None


def map_memory(size: int, threads: int = 1) -> np.ndarray:
    """Return `size` zero bytes, in huge pages if possible. Raise MemoryError if the system refuses.

    Every page is touched now, by `threads` threads: the first touch of a page can take
    milliseconds, which a game cannot spare.
    """
    try:
        memory = mmap.mmap(-1, size + -size % HUGE_PAGE, **PRIVATE)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"the system refuses {size >> 20} MB: {error}") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a wish: not every system has huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    block = np.frombuffer(memory, np.uint8, size)
    set_zero(block, threads, step=mmap.PAGESIZE)
    return block


def set_zero(block: np.ndarray, threads: int = 1, step: int = 1) -> None:
    """Set every `step`-th byte of a block to zero, with at most `threads` threads.

    NumPy lets them run concurrently. To zero a small share takes less time than to start a thread.
    """
    share = max(SMALLEST_SHARE, -(-len(block) // threads))
    share += -share % HUGE_PAGE
    slices = [block[begin : begin + share : step] for begin in range(0, len(block), share)]
    if len(slices) == 1:
        slices[0].fill(0)
        return
    try:
        with ThreadPoolExecutor(len(slices)) as pool:
            list(pool.map(lambda each: each.fill(0), slices))
    except RuntimeError:  # the system allows no more threads
        for each in slices:
            each.fill(0)
