"""The user's store: kernels compiled on this machine because the package had none.

It is the folder `kernels` in ZOBRA_CACHE_DIR, by default `zobra` in the user's cache folder. It
holds whole sets, and single entries as sets of one: these are written as soon as they are compiled,
so that an interrupted compilation can be resumed, and so are kernels that are not the engine's. A
lock lets only one of several processes compile for a set.

Nothing in here stops the engine: if nothing can be stored, kernels are compiled for this process.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from zobra.engine.kernels.kernel_set import (
    ENDING,
    KernelSet,
    ObjectCode,
    note,
    read_set,
    write_set,
)

OWN_FOLDER = 0o755  # the rights of a folder that only its owner can change
SECONDS_KEPT = 30 * 86_400
LOCK_SECONDS = 120.0  # a process that holds the lock for longer is taken for stuck
PROBE = {"": ObjectCode("", (), bytes(1 << 20))}  # larger than a set


class UserStore:
    """The store below a folder. Creating this object reads and writes nothing."""

    def __init__(self, base: Path | None = None) -> None:
        self._base = base

    @cached_property
    def folder(self) -> Path | None:
        """The folder, whether it exists or not, or None if nothing can be read or stored."""
        base = self._base or os.environ.get("ZOBRA_CACHE_DIR")
        if not base:
            from platformdirs import user_cache_dir

            base = user_cache_dir("zobra", appauthor=False)
        try:
            return Path(base).expanduser().absolute() / "kernels"
        except RuntimeError as error:  # the user has no home
            note(f"compiled kernels cannot be kept: {error}")
            return None

    def read(self, name: str) -> KernelSet:
        """Return the set of this name, or an empty set if the store has none."""
        if self.folder is None:
            return {}
        try:
            if not self.folder.is_dir():
                return {}
            _check_own(self.folder, self.folder.stat())
        except OSError as error:
            self._disable(error)
            return {}
        return read_set(self.folder / f"{name}{ENDING}", _check_own)

    def write(self, name: str, kernels: KernelSet) -> None:
        """Store a set, if the folder can be written to."""
        if self.folder is None:
            return
        try:
            write_set(self._made_folder() / f"{name}{ENDING}", kernels)
        except OSError as error:
            self._disable(error)

    def check_writable(self) -> None:
        """Raise OSError if a set could not be stored now."""
        probe = self._made_folder() / f"probe-{os.getpid()}{ENDING}"
        write_set(probe, PROBE)
        probe.unlink()

    def remove_old(self) -> None:
        """Remove old sets, old locks, and old partial files of processes that were killed."""
        with contextlib.suppress(OSError):
            for path in self._made_folder().glob(f"*{ENDING}*"):
                if time.time() - path.stat().st_mtime > SECONDS_KEPT:
                    path.unlink()

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the compile lock of a set.

        On timeout, or if nothing can be locked, continue without it: compiling twice is harmless.
        """
        from filelock import FileLock

        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError, NotImplementedError):
                path = self._made_folder() / f"{name}{ENDING}.lock"
                held.enter_context(FileLock(path, timeout=LOCK_SECONDS))
            yield

    def _made_folder(self) -> Path:
        """Create the folder if necessary, and return it."""
        if self.folder is None:
            raise FileNotFoundError("there is no folder for compiled kernels")
        self.folder.mkdir(OWN_FOLDER, parents=True, exist_ok=True)
        _check_own(self.folder, self.folder.stat())
        return self.folder

    def _disable(self, error: OSError) -> None:
        self.folder = None
        note(f"compiled kernels cannot be kept: {error}")


def _check_own(path: Path, status: os.stat_result) -> None:
    """Raise PermissionError if another user owns a folder or file, or can write to it.

    What lies there is machine code that this process would run. Root is trusted, and so is Windows,
    which keeps other users out of a profile.
    """
    if os.name != "posix":
        return
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"other users can write to {path}")


store = UserStore()
