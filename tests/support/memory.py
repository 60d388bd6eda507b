"""How much memory this process uses."""

import mmap
from pathlib import Path


def resident_megabytes() -> int:
    """Return how much memory of this process has been touched, in MiB. Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * mmap.PAGESIZE >> 20
