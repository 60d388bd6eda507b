"""The start of a self-contained Zobra, as `make EXE=name` builds it: unpacks the sources that it
carries, then runs them.

The engine needs its sources, data and compiled kernels as real files. They go to the user's cache
directory, under a digest of this executable. Several starts at once are safe. A folder that other
users could have filled is refused.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path


def unpacked(executable: Path) -> Path:
    """The folder with the unpacked sources.

    Raises OSError when the cache directory cannot be written.
    """
    import platformdirs

    builds = platformdirs.user_cache_path("zobra") / "builds"
    target = builds / hashlib.sha256(executable.read_bytes()).hexdigest()[:16]
    if not target.is_dir():
        builds.mkdir(parents=True, exist_ok=True)
        draft = tempfile.mkdtemp(dir=builds)
        try:
            with zipfile.ZipFile(executable) as archive:
                archive.extractall(draft)
            os.replace(draft, target)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            if not target.is_dir():  # otherwise another start was faster
                raise
    status = target.stat()
    if os.name == "posix" and (status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022):
        raise PermissionError(f"other users can write to {target}")
    return target


if __name__ == "__main__":
    try:
        try:
            sys.path[0] = str(unpacked(Path(sys.argv[0]).resolve()))
        except OSError as error:
            sys.exit(f"zobra: the sources cannot be unpacked: {error}")
        from zobra.cli.main import TUNABLE, main

        if (
            len(sys.argv) == 1
            # OpenBench gives no arguments, and its match runner sets only options that were
            # announced
        ):
            sys.argv.append(TUNABLE)
        main()
    except ModuleNotFoundError as missing:
        sys.exit(
            f"zobra: {sys.executable} lacks the package {missing.name}; install Zobra's "
            "dependencies for it"
        )
