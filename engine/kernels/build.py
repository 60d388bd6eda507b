"""The build step: compile all kernels of the engine, for one or more levels, into the package.

    python -m zobra.engine.kernels.build     # in the folder that holds zobra/

ZOBRA_KERNELS names the levels, "native portable" by default. If it is empty, nothing is compiled.
Each level has a process of its own (the same command with the level), since a process compiles for
one target. The kernels are not run, so the build machine need not support the level.
"""

import os
import subprocess
import sys

from zobra.engine.kernels.declare import engine_entries
from zobra.engine.kernels.kernel_set import ENDING, write_set
from zobra.engine.kernels.processor import target_of
from zobra.engine.kernels.selection import PACKAGE_FOLDER, package_path, selected
from zobra.engine.kernels.sources import import_engine

# Exit statuses
FAILED = 1
MISUSED = 2


def build() -> int:
    """Compile for each level that ZOBRA_KERNELS names; return the exit status.

    After a failure the package has no kernels.
    """
    names = os.environ.get("ZOBRA_KERNELS", "native portable").split()
    try:
        levels = dict.fromkeys(target_of(name).level for name in names)
    except ValueError as error:
        print(f"ZOBRA_KERNELS: {error}", file=sys.stderr)
        return MISUSED

    _remove_sets()
    compilers = []
    for level in levels:
        command = [sys.executable, "-B", "-m", "zobra.engine.kernels.build", level]
        compilers.append(subprocess.Popen(command, env={**os.environ, "ZOBRA_LEVEL": level}))
    statuses = [compiler.wait() for compiler in compilers]
    if any(statuses):
        _remove_sets()
        print(
            "the kernels could not be compiled: the engine will compile them when it starts",
            file=sys.stderr,
        )
        return FAILED
    return 0


def build_set() -> None:
    """Compile for the target of this process."""
    from zobra.engine.kernels.compiler import object_code

    import_engine()
    kernels = {each.key: object_code(each.specialised()) for each in engine_entries()}
    PACKAGE_FOLDER.mkdir(exist_ok=True)
    write_set(package_path(selected.target), kernels)


def _remove_sets() -> None:
    for path in PACKAGE_FOLDER.glob(f"*{ENDING}"):
        path.unlink()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(build())
    build_set()
