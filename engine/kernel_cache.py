"""Where compiled kernels are kept, and how a damaged or unwritable store heals itself.

The folder is `<user cache>/zobra/<digest>`; the digest covers the source of every kernel package, the versions of Python,
Numba, llvmlite and NumPy, and the name and features of the processor. So the code that runs is always the code in the
tree, and two checkouts keep their kernels side by side. A list of checksums vouches for every file: what is unlisted or
altered is removed before Numba can read it. Nothing in here can stop the engine; at worst the kernels are compiled anew.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

KERNEL_PACKAGES = ("engine", "tt", "search")
PLACES = ("NUMBA_CACHE_DIR", "ZOBRA_CACHE_DIR")  # variables that move the folder, and change no code
CHECKSUMS = "checksums.json"
FOLDERS_KEPT = 12


def clock_symbol() -> tuple[str, int | None]:
    """Name of the C function that reads the monotonic clock and the clock id it takes (None: the Windows form)."""
    if sys.platform != "win32":
        import time

        return "clock_gettime", int(time.CLOCK_MONOTONIC)
    library = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
    address = ctypes.cast(library.QueryUnbiasedInterruptTime, ctypes.c_void_p).value
    llvm.add_symbol("QueryUnbiasedInterruptTime", address)
    return "QueryUnbiasedInterruptTime", None


def processor_features() -> dict[str, bool]:
    """What the processor can do, by LLVM's names; the environment variable ZOBRA_PORTABLE=1 says: nothing special."""
    return {} if os.environ.get("ZOBRA_PORTABLE") == "1" else dict(llvm.get_host_cpu_features())


def extracts_bits_slowly() -> bool:
    """AMD's processors before Zen 3 have the PEXT instruction, in microcode that takes hundreds of cycles."""
    return llvm.get_host_cpu_name() in ("znver1", "znver2", "bdver4")


def kernel_sources() -> list[Path]:
    """Every Python file whose content can end up in compiled code, in a fixed order."""
    root = Path(__file__).resolve().parent.parent
    return [path for package in KERNEL_PACKAGES for path in sorted((root / package).glob("*.py"))]


def digest() -> str:
    """Name of the present state: sources, versions, processor."""
    total = hashlib.sha256()
    for path in kernel_sources():
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    features = llvm.get_host_cpu_features().flatten()
    versions = [version(name) for name in ("numba", "llvmlite", "numpy")]
    environment = sorted((k, v) for k, v in os.environ.items() if k.startswith(("NUMBA_", "ZOBRA_")) and k not in PLACES)
    total.update(repr((sys.version, versions, llvm.get_host_cpu_name(), features, environment)).encode())
    return total.hexdigest()[:20]


def base_folder() -> Path:
    """The folder that holds one folder per digest; the environment variable ZOBRA_CACHE_DIR moves it."""
    if chosen := os.environ.get("ZOBRA_CACHE_DIR"):
        return Path(chosen)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("zobra", appauthor=False))


class KernelCache:
    """The store of compiled kernels that belongs to the code in this tree.

    `folder` is None when nothing can be written; `notices` are sentences for the user; `compiled` counts the entries
    that had to be compiled by this process.
    """

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.compiled = 0
        self.folder: str | None = None
        try:
            folder = base_folder() / digest()
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
            (folder / f"writable-{os.getpid()}").touch()
            (folder / f"writable-{os.getpid()}").unlink()
            self.folder = str(folder)
            self._remove_damaged()
            self._prune()
        except (OSError, RuntimeError) as error:
            self.folder = None
            self.notices.append(f"kernel cache is not usable, compiling without it: {error}")

    def compile(self, declare: Callable[[bool], Any]) -> Any:
        """Load or compile one entry; `declare(cached)` makes the dispatcher. Damage costs a recompile, never a crash."""
        if self.folder is None:
            self.compiled += 1
            return declare(False)
        try:
            dispatcher = declare(True)
        except Exception as error:  # any fault that stored bytes can cause; a fault of the code itself shows again below
            self.notices.append(f"kernel cache is not usable, compiling without it: {type(error).__name__}: {error}")
            self.folder = None
            return self.compile(declare)
        if sum(dispatcher.stats.cache_misses.values()):
            self.compiled += 1
            self._record_checksums()
        return dispatcher

    def _files(self) -> dict[str, Path]:
        root = Path(str(self.folder))
        return {str(path.relative_to(root)): path for path in root.rglob("*.nb[ic]")}

    def _record_checksums(self) -> None:
        sums = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in self._files().items()}
        target = Path(str(self.folder)) / CHECKSUMS
        temporary = target.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):  # without the list the files count as damaged and are compiled again
            temporary.write_text(json.dumps(sums, indent=1))
            os.replace(temporary, target)

    def _remove_damaged(self) -> None:
        try:
            known = json.loads((Path(str(self.folder)) / CHECKSUMS).read_text())
            trusted = dict(known)
        except (OSError, ValueError, TypeError):
            trusted = {}
        damaged = [
            path for name, path in self._files().items() if trusted.get(name) != hashlib.sha256(path.read_bytes()).hexdigest()
        ]
        for path in damaged:
            path.unlink(missing_ok=True)
        if damaged:
            self.notices.append(f"{len(damaged)} damaged files removed from the kernel cache; compiling them anew")

    def _prune(self) -> None:
        folder = Path(str(self.folder))
        others = [path for path in folder.parent.iterdir() if path.is_dir() and len(path.name) == len(folder.name)]
        for path in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[FOLDERS_KEPT:]:
            shutil.rmtree(path, ignore_errors=True)
