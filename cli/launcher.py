"""The first module of a self-contained Zobra: a zip archive that Python runs (`make EXE=name`).

The engine needs its sources, data and compiled kernels as real files, so they are unpacked into the
cache folder of Zobra (ZOBRA_CACHE_DIR, or `zobra` in the user's cache folder), under a digest of
the executable. Several simultaneous starts are safe. A folder that other users could have written
to is refused.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path


def unpack(executable: Path) -> Path:
    """Unpack the sources unless an earlier start has done so, and return their folder.

    Raise OSError if the cache directory cannot be written to, or if others can write to the folder.
    """
    import platformdirs

    cache = os.environ.get("ZOBRA_CACHE_DIR") or platformdirs.user_cache_dir(
        "zobra", appauthor=False
    )
    builds = Path(cache).expanduser().absolute() / "builds"
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


def main() -> None:
    """Unpack the sources if necessary, and run Zobra from there."""
    try:
        sys.path[0] = str(unpack(Path(sys.argv[0]).resolve()))
    except OSError as error:
        sys.exit(f"zobra: the sources cannot be unpacked: {error}")
    from zobra.cli.main import TUNABLE
    from zobra.cli.main import main as run

    # OpenBench gives no arguments, and its match runner sets only options that were announced
    if len(sys.argv) == 1:
        sys.argv.append(TUNABLE)
    run()


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as missing:
        sys.exit(
            f"zobra: {sys.executable} lacks the package {missing.name}; install Zobra's "
            "dependencies for this Python"
        )
