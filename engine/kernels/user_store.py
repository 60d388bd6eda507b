"""The user's store: kernels that were compiled on this machine, because the package had none for
its processor.

Its folder is `<user cache>/zobra/<digest>`; ZOBRA_CACHE_DIR moves it. It holds one file for each
kernel, written as soon as that is compiled, and one with the whole set. A lock sees to it that of
several processes only one compiles. What is damaged is removed; what others could have written is
not read; where nothing can be kept, kernels are compiled for this process only. Nothing in here can
stop the engine.
"""

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import zobra.engine.kernels.kernel_file as kernel_file
from zobra.engine.kernels.kernel_file import Kernels, check_own, remove
from zobra.engine.kernels.processor import Target
from zobra.engine.kernels.sources import digest

SET, LOCK_FILE = "all", "compiling.lock"
OWN_NAME = re.compile(
    r"[0-9a-f]{20}"
)  # of folders: others may lie beside them, as users choose the place
FOLDERS_KEPT, DAYS_KEPT = 12, 30  # a folder is removed only when it is beyond both
SECONDS_A_DAY = 86_400
LOCK_TIMEOUT = 120.0  # seconds; a process that holds the lock for longer is taken for stuck
PROBE_SIZE = 1 << 19  # bytes; what all kernels together need

notices: list[str] = []  # sentences for the user about compiled kernels, the oldest first


def note(sentence: str) -> None:
    """Add a sentence for the user, unless it is there already."""
    if sentence not in notices:
        notices.append(sentence)


class UserStore:
    """The store for one target. Making one reads and writes nothing.

    `compiled` counts the kernels that this process compiled.
    """

    def __init__(self, target: Target, base: Path | None = None) -> None:
        self.compiled = 0
        self._base, self._level, self._is_lock_held = base, target.level, False
        self._digest = digest(target)

    @cached_property
    def folder(self) -> Path | None:
        """The folder of this target's kernels, whether it is there or not; None when nothing can be
        read or kept.
        """
        try:
            folder = self._own_folder()
            with contextlib.suppress(FileNotFoundError):
                check_own(os.stat(folder), folder)
        except (OSError, RuntimeError) as error:
            self._do_without(error)
            return None
        return folder

    def read(self, name: str = SET) -> Kernels:
        """What is kept under a name: one kernel, or the whole set; nothing when there is none, or
        none that is sound.
        """
        if self.folder is None:
            return {}
        path = self.folder / _file_name(name)
        try:
            return kernel_file.unpack(kernel_file.read_own(path), self._digest, self._level)
        except FileNotFoundError:
            pass
        except (kernel_file.NotOwn, PermissionError) as error:
            note(f"a file of compiled kernels is not used: {error}")
        except (OSError, ValueError):
            remove(path)
            note(f"damaged files removed from the kernel store {self.folder}")
        return {}

    def write(self, kernels: Kernels, name: str = SET) -> None:
        """Keep kernels under a name, if anything can be kept."""
        if self.folder is None:
            return
        try:
            path = self._make_folder() / _file_name(name)
            if path.is_dir():
                remove(path)
            kernel_file.write_atomically(path, kernel_file.pack(self._digest, self._level, kernels))
        except OSError as error:
            self._do_without(error)

    def check_writable(self) -> None:
        """Raise OSError or RuntimeError unless a set of kernels can be kept now."""
        probe = self._make_folder() / "probe"
        kernel_file.write_atomically(probe, bytes(PROBE_SIZE))
        remove(probe)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """While this is held no other process compiles; one that does is waited for.

        Where nothing can be locked, or a lock is held too long, it is gone without: two that
        compile the same do no harm.
        """
        if self._is_lock_held or self.folder is None:
            yield
            return
        from filelock import FileLock

        with contextlib.ExitStack() as held:
            try:
                folder = self._make_folder()
            except OSError as error:
                self._do_without(error)
            else:
                with contextlib.suppress(OSError, NotImplementedError):
                    held.enter_context(FileLock(folder / LOCK_FILE).acquire(timeout=LOCK_TIMEOUT))
                    for fragment in folder.glob(
                        f"*{kernel_file.TEMPORARY}"
                    ):  # of a process that was killed
                        remove(fragment)
                self._is_lock_held = True
                held.callback(setattr, self, "_is_lock_held", False)
            yield

    def _own_folder(self) -> Path:
        """The place of this target's kernels; RuntimeError where the user has no home."""
        if not (base := self._base or os.environ.get("ZOBRA_CACHE_DIR")):
            from platformdirs import user_cache_dir

            base = user_cache_dir("zobra", appauthor=False)
        return Path(base).expanduser().absolute() / self._digest

    def _make_folder(self) -> Path:
        """Make the folder, if it is not there.

        Then folders of other digests that are old and beyond the newest are removed.
        """
        folder = self._own_folder()
        if not folder.is_dir():
            folder.mkdir(kernel_file.FOLDER_MODE, parents=True, exist_ok=True)
            others = [
                path
                for path in folder.parent.iterdir()
                if OWN_NAME.fullmatch(path.name) and path != folder
            ]
            dated = [
                (path.stat().st_mtime, path)
                for path in others
                if path.is_dir() and not path.is_symlink()
            ]
            for made, path in sorted(dated, reverse=True)[FOLDERS_KEPT - 1 :]:
                if time.time() - made > DAYS_KEPT * SECONDS_A_DAY:
                    shutil.rmtree(path, ignore_errors=True)
        check_own(folder.stat(), folder)
        return folder

    def _do_without(self, error: Exception) -> None:
        self.folder = None
        note(f"compiled kernels cannot be kept: {error}")


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name) + ".kernel"
