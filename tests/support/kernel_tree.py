"""A small package with a copy of the compile layer and two kernels, for tests of where kernels come
from.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

PACKAGES = ("engine", "tt", "search", "uci", "cli", "arena", "train", "api")
CALLEE = """import numpy as np
from zobra.engine.kernels import kernel
TEN = np.int64(10)
@kernel
def ten(): return TEN
"""
CALLER = """from zobra.engine.callee import ten
from zobra.engine.kernels import INT, entry
@entry(INT)
def answer(): return ten()
@entry(INT, INT)
def product(number): return number * ten()
"""
# Calls both kernels, and prints how they came to be there.
PROBE = """
import json, sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path.insert(0, sys.argv[1])
from zobra.engine import kernels
from zobra.engine.kernels import declare
kernels.missing()
if "compile all" in sys.argv:
    kernels.compile_missing()
from zobra.engine.caller import answer, product
print(json.dumps({
    "answers": [answer(), product(3)],
    "imported numba": "numba" in sys.modules,
    "compiled": sum(entry._is_specialised for entry in declare._entries),
    "notices": kernels.notices,
    "level": kernels.selected.target.level,
    "description": kernels.selected.describe(),
}))
"""


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Let no file that this process or its children write have any content; skip elsewhere."""
    resource = pytest.importorskip("resource")
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def copy_zobra(folder: Path) -> dict[str, str]:
    """Copy the sources to `folder`/zobra, without compiled kernels; return an environment for them.

    Its store is below the folder, too.
    """
    without_kernels = shutil.ignore_patterns("compiled", "__pycache__")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / "zobra" / package, ignore=without_kernels)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "ZOBRA_CACHE_DIR": str(folder / "store")}


class Tree:
    """Sources of a small package in `folder`, and a store beside them."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        self.store = folder / "store"
        self.engine = self.sources / "zobra" / "engine"
        self.right = [10, 30]
        shutil.copytree(
            ROOT / "engine" / "kernels",
            self.engine / "kernels",
            ignore=shutil.ignore_patterns("compiled"),
        )
        (self.engine / "__init__.py").touch()  # it goes before the engine of this environment
        (self.engine / "callee.py").write_text(CALLEE)
        (self.engine / "caller.py").write_text(CALLER)

    @property
    def compiled(self) -> Path:
        """The folder of the package's kernels."""
        return self.engine / "kernels" / "compiled"

    def build(self, levels: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the build step of the installation for these levels."""
        command = [sys.executable, "-B", "-m", "zobra.engine.kernels.build"]
        environment = {**os.environ, "ZOBRA_KERNELS": levels, **variables}
        return subprocess.run(
            command, check=False, cwd=self.sources, env=environment, text=True, capture_output=True
        )

    def begin(
        self, *words: str, more: str = "", emulator: tuple[str, ...] = (), **variables: str
    ) -> subprocess.Popen[str]:
        """Start a process that calls both kernels; the word `compile all` does as `zobra warmup`
        does, `more` is code.
        """
        environment = {**os.environ, "ZOBRA_CACHE_DIR": str(self.store), **variables}
        command = [*emulator, sys.executable, "-c", PROBE + more, str(self.sources), *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=environment, text=True, cwd=self.sources, stdout=pipe, stderr=pipe
        )

    def start(
        self, *words: str, emulator: tuple[str, ...] = (), **variables: str
    ) -> dict[str, Any]:
        """What such a process found; its answers are right, and Numba only comes to compile."""
        process = self.begin(*words, emulator=emulator, **variables)
        output, errors = process.communicate(timeout=200)
        assert all(line.startswith("qemu") for line in errors.splitlines()), errors
        found = json.loads(output)
        assert found["answers"] == self.right
        assert found["imported numba"] == (found["compiled"] > 0)
        return found

    def fault(self, **variables: str) -> str:
        """The last line of the traceback with which such a process ends."""
        _, errors = self.begin(**variables).communicate(timeout=200)
        return errors.splitlines()[-1]

    def files(self) -> list[Path]:
        """The files of the store: a set, and its kernels one by one."""
        found = sorted(self.store.rglob("*.kernels"))
        assert found
        return found
