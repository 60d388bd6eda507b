"""The store of compiled kernels: it speeds up the second start, notices changed sources, and survives any damage."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_every_entry_has_one_signature():
    from zobra.engine import evaluate, perft, position, zobrist
    from zobra.search import negamax, quiescence, worker
    from zobra.tt import table

    entries = [
        value
        for module in (evaluate, perft, position, zobrist, negamax, quiescence, worker, table)
        for value in vars(module).values()
        if hasattr(value, "signatures") and value.signatures
    ]
    assert len(entries) > 8
    assert all(len(each.signatures) == 1 for each in entries)
