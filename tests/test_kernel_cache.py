"""The store of compiled kernels: it speeds up the second start, notices changed sources, and survives any damage."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import zobra.engine
import zobra.search
import zobra.tt

ROOT = Path(__file__).parent.parent
# Imports few kernels from a copy of the sources, and says how many were compiled, what was noticed, and an evaluation.
PROBE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path.insert(0, sys.argv[1])
import numpy
from zobra.engine.evaluate import static_evaluation
from zobra.engine.layouts import POSITION
from zobra.engine.jit import cache
print(cache.compiled, len(cache.notices), static_evaluation(numpy.zeros(1, POSITION)[0]))
"""


class Tree:
    """A copy of the engine's sources with a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.sources, self.store = folder / "sources", folder / "store"
        shutil.copytree(ROOT / "engine", self.sources / "zobra" / "engine")

    def start(self) -> tuple[int, int, int]:
        """(kernels compiled, notices, evaluation of the empty board) of a fresh process."""
        environment = os.environ | {"ZOBRA_CACHE_DIR": str(self.store)}
        command = [sys.executable, "-c", PROBE, str(self.sources)]
        text = subprocess.check_output(command, env=environment, text=True, cwd=self.sources)
        compiled, notices, evaluation = text.split()
        return int(compiled), int(notices), int(evaluation)

    def files(self, ending: str) -> list[Path]:
        found = sorted(self.store.rglob(f"*.{ending}"))
        assert found
        return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    made = Tree(tmp_path_factory.mktemp("tree"))
    compiled, notices, _ = made.start()
    assert compiled > 0 and notices == 0
    return made


def test_the_second_start_compiles_nothing(tree):
    assert tree.start()[:2] == (0, 0)


@pytest.mark.parametrize("ending", ["nbc", "nbi"])
@pytest.mark.parametrize("damage", ["emptied", "halved", "random", "one bit"])
def test_damaged_files_cost_a_recompile_and_one_notice(tree, ending, damage):
    for path in tree.files(ending):
        data = bytearray(path.read_bytes())
        if damage == "one bit":
            data[len(data) // 2] ^= 1
        path.write_bytes({"emptied": b"", "halved": data[: len(data) // 2], "random": os.urandom(500)}.get(damage, bytes(data)))
    compiled, notices, evaluation = tree.start()
    assert compiled > 0 and notices == 1 and evaluation == 10
    assert tree.start()[:2] == (0, 0)


@pytest.mark.parametrize("text", ["", "[]", '{"x": 1}', "\x00\xff"])
def test_a_damaged_list_of_checksums_is_no_harm(tree, text):
    next(tree.store.rglob("checksums.json")).write_text(text)
    compiled, notices, _ = tree.start()
    assert compiled > 0 and notices == 1
    assert tree.start()[:2] == (0, 0)


def test_a_store_that_cannot_be_written_is_done_without(tmp_path):
    made = Tree(tmp_path)
    made.store.write_text("a file where the folder should be")
    compiled, notices, evaluation = made.start()
    assert compiled > 0 and notices == 1 and evaluation == 10


def test_a_changed_callee_changes_its_caller(tmp_path):
    """A kernel of one file that one of another calls: Numba's own stamp would not notice."""
    made = Tree(tmp_path)
    assert made.start()[2] == 10
    scores = made.sources / "zobra" / "engine" / "scores.py"
    text = scores.read_text()
    scores.write_text(text.replace("return (packed + ROUND) >> HALF", "return ((packed + ROUND) >> HALF) + np.int64(7)"))
    compiled, _, evaluation = made.start()
    assert compiled > 0 and evaluation == 17
    scores.write_text(text)
    assert made.start() == (0, 0, 10)


def entries() -> dict[str, Any]:
    """Every compiled function with a fixed signature in the kernel packages: Numba lets it be compiled no further."""
    found = {}
    for package in (zobra.engine, zobra.tt, zobra.search):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if getattr(value, "_can_compile", True) is False:
                    found[name] = value
    return found


def test_every_entry_has_one_signature():
    """A recursive call with other types than the declared ones would make a second one, and stored code unloadable."""
    found = entries()
    assert {"perft", "negamax", "quiescence", "compute_keys", "set_up", "play", "list_moves"} <= found.keys()
    assert {name: len(each.signatures) for name, each in found.items()} == dict.fromkeys(found, 1)
