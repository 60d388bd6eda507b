"""Where compiled kernels are kept, and how a damaged or unwritable store heals itself.

The folder is `<user cache>/zobra/<digest>`; the digest covers the source of every kernel package, the versions of Python,
Numba, llvmlite and NumPy, and the name and features of the processor. So the code that runs is always the code in the
tree, and two checkouts keep their kernels side by side. There is one file for each entry, which begins with a checksum of the
rest: what is damaged is removed before LLVM can read it. A lock sees to it that of several processes only one compiles.
Nothing in here can stop the engine; at worst the kernels are compiled anew.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL_PACKAGES = ("engine", "engine/kernels", "tt", "search")
KERNEL_FOLDERS = {ROOT / package for package in KERNEL_PACKAGES}
PLACES = ("NUMBA_CACHE_DIR", "ZOBRA_CACHE_DIR")  # variables that move the folder, and change no code
ENDING, LOCK_FILE = ".kernel", "compiling.lock"
FOLDERS_KEPT = 12
_OWN_NAME = re.compile(r"[0-9a-f]{20}")  # of folders: others may lie beside them, as users choose the place
LOCK_PATIENCE = 120.0  # seconds; whoever has held the lock for longer is taken for stuck


class ObjectCode(NamedTuple):
    """A compiled entry: the name of its C function, the symbols it wants from outside, and the object file."""

    symbol: str
    externals: tuple[str, ...]
    data: bytes


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


def processor_name() -> str:
    """LLVM's name for the processor."""
    return str(llvm.get_host_cpu_name())


def extracts_bits_slowly() -> bool:
    """AMD's processors before Zen 3 have the PEXT instruction, in microcode that takes hundreds of cycles."""
    return processor_name() in ("znver1", "znver2", "bdver4")


def kernel_sources() -> list[Path]:
    """Every Python file whose content can end up in compiled code, in a fixed order."""
    return [path for package in KERNEL_PACKAGES for path in sorted((ROOT / package).glob("*.py"))]


def is_kernel_source(path: Path) -> bool:
    """Is this file's content part of the digest?"""
    return path.parent in KERNEL_FOLDERS


def imported_files(path: Path) -> list[Path]:
    """A source file and those of ours that it imports, directly or not, in a fixed order; kernel sources are not followed."""
    found, waiting = {path}, [path]
    while waiting:
        if is_kernel_source(current := waiting.pop()):
            continue
        names: set[str] = set()
        for node in ast.walk(ast.parse(current.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        modules = [sys.modules[name] for name in names if name in sys.modules]
        files = {Path(file).resolve() for module in modules if (file := getattr(module, "__file__", None))}
        ours = {file for file in files - found if ROOT in file.parents or path.parent in file.parents}
        waiting += ours
        found |= ours
    return sorted(found)


def hash_files(paths: Iterable[Path]) -> Any:
    """A hash of names and contents."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total


def digest() -> str:
    """Name of the present state: sources, versions, processor."""
    total = hash_files(kernel_sources())
    features = llvm.get_host_cpu_features().flatten()
    versions = [version(name) for name in ("numba", "llvmlite", "numpy")]
    environment = sorted((k, v) for k, v in os.environ.items() if k.startswith(("NUMBA_", "ZOBRA_")) and k not in PLACES)
    total.update(repr((sys.version, versions, processor_name(), features, environment)).encode())
    return total.hexdigest()[:20]


def base_folder() -> Path:
    """The folder that holds one folder per digest; the environment variable ZOBRA_CACHE_DIR moves it."""
    if chosen := os.environ.get("ZOBRA_CACHE_DIR"):
        return Path(chosen)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("zobra", appauthor=False))


class KernelCache:
    """The store of compiled kernels that belongs to the code in this tree.

    `folder` is None when nothing can be kept; `notices` are sentences for the user; `compiled` counts the entries
    that had to be compiled by this process; entries declared while `takes_entries` is false are not kept.
    """

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.compiled = 0
        self.takes_entries = True
        self.folder: Path | None = None
        self.is_lock_held = False
        try:
            self._digest = digest()
            self.move(base_folder())
        except (OSError, RuntimeError) as error:
            self._do_without(error)

    def move(self, base: Path) -> None:
        """Keep kernels below this folder from now on; OSError if it cannot be made."""
        self.folder = base / self._digest
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            os.utime(self.folder)
            self._prune()

    @property
    def base(self) -> Path | None:
        """The folder that holds one folder per digest."""
        return None if self.folder is None else self.folder.parent

    def holds(self, name: str) -> bool:
        """Is something kept under this name? It may be damaged."""
        return self.folder is not None and self._path(name).exists()

    def read(self, name: str) -> ObjectCode | None:
        """The object code kept under a name; None when there is none, or none that is sound."""
        if self.folder is None:
            return None
        path = self._path(name)
        try:
            checksum, content = path.read_bytes().split(b"\n", 1)
            if checksum != _checksum(content):
                raise ValueError("the content is not what was written")
            head, data = content.split(b"\n", 1)
            symbol, *externals = json.loads(head)
            return ObjectCode(symbol, tuple(externals), data)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            with contextlib.suppress(OSError):
                path.unlink()
            self._notice("damaged files removed from the kernel cache; compiling them anew")
            return None

    def write(self, name: str, code: ObjectCode) -> None:
        """Keep object code under a name."""
        if self.folder is None:
            return
        content = json.dumps([code.symbol, *code.externals]).encode() + b"\n" + code.data
        target = self._path(name)
        temporary = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            temporary.write_bytes(_checksum(content) + b"\n" + content)
            os.replace(temporary, target)
        except OSError as error:
            self._do_without(error)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """While this is held no other process compiles; one that does is waited for.

        What cannot be locked, or is held for ever, is gone without: two processes that compile the same do no harm.
        """
        if self.folder is None or self.is_lock_held:
            yield
            return
        from filelock import FileLock, Timeout

        lock = FileLock(self.folder / LOCK_FILE)
        with contextlib.suppress(Timeout, OSError, NotImplementedError):
            lock.acquire(timeout=LOCK_PATIENCE)
        self.is_lock_held = True
        try:
            yield
        finally:
            self.is_lock_held = False
            lock.release()

    def is_writable(self) -> bool:
        """Can something be kept?"""
        if self.folder is None:
            return False
        try:
            probe = self.folder / f"writable.{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            self._do_without(error)
            return False
        return True

    def _path(self, name: str) -> Path:
        return Path(str(self.folder)) / (re.sub(r"[^\w.-]", "_", name) + ENDING)

    def _notice(self, sentence: str) -> None:
        if sentence not in self.notices:
            self.notices.append(sentence)

    def _do_without(self, error: Exception) -> None:
        self.folder = None
        self._notice(f"kernel cache is not usable, compiling for this process only: {error}")

    def _prune(self) -> None:
        """Remove the folders of other states that were used least recently."""
        folder = Path(str(self.folder))
        others = [path for path in folder.parent.iterdir() if path.is_dir() and _OWN_NAME.fullmatch(path.name)]
        for path in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[FOLDERS_KEPT:]:
            shutil.rmtree(path, ignore_errors=True)


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
