"""The build step: compile all kernels of the engine, for one level or more, into the package's own
folder.

    python -m zobra.engine.kernels.build     # in the folder that holds zobra/

ZOBRA_KERNELS names the levels, "native portable" by default; an empty one means none. Each level
has a process of its own, since a process compiles for one target. Nothing that is compiled is run,
so the builder need not have the level.
"""

import os
import subprocess
import sys

from zobra.engine.kernels.declare import compile_missing, compiled_kernels
from zobra.engine.kernels.kernel_file import pack, remove, write_atomically
from zobra.engine.kernels.processor import level_of, target_of
from zobra.engine.kernels.selection import BUILD_LEVEL, PACKAGE_ENDING, PACKAGE_FOLDER, selected
from zobra.engine.kernels.sources import digest

# Exit statuses
FAILED = 1
MISUSED = 2


def build() -> int:
    """Compile for each level that ZOBRA_KERNELS names; return the exit status.

    After a failure the package carries no kernels.
    """
    try:
        names = os.environ.get("ZOBRA_KERNELS", "native portable").split()
        levels = [target_of(level_of(name)).level for name in dict.fromkeys(names)]
    except ValueError as error:
        print(f"ZOBRA_KERNELS: {error}", file=sys.stderr)
        return MISUSED
    _remove_sets()
    command = [sys.executable, "-B", "-m", "zobra.engine.kernels.build"]
    compilers = [
        subprocess.Popen(command, env={**os.environ, BUILD_LEVEL: level}) for level in levels
    ]
    statuses = [compiler.wait() for compiler in compilers]
    if any(statuses):
        _remove_sets()
        print(
            "the kernels could not be compiled: the engine will compile them when it starts",
            file=sys.stderr,
        )
        return FAILED
    return 0


def _remove_sets() -> None:
    for path in PACKAGE_FOLDER.glob(f"*{PACKAGE_ENDING}"):
        remove(path)


if __name__ == "__main__":
    if not os.environ.get(BUILD_LEVEL):
        sys.exit(build())
    compile_missing()
    PACKAGE_FOLDER.mkdir(exist_ok=True)
    target = selected.target
    path = PACKAGE_FOLDER / f"{target.level}{PACKAGE_ENDING}"
    write_atomically(path, pack(digest(target), target.level, compiled_kernels()))
