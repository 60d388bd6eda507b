"""The store of compiled kernels: it speeds up the second start, notices changed sources, and survives any damage."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from zobra.engine import kernels
from zobra.engine.fen import START, parse_fen
from zobra.engine.kernels.store import FOLDERS_KEPT, KernelCache
from zobra.engine.layouts import MOVE_LIST
from zobra.engine.piece_square import static_evaluation
from zobra.engine.position import TABLES_RECORD
from zobra.engine.see import see_at_least

ROOT = Path(__file__).parent.parent
# Calls a kernel in a copy of the sources, and says how many were compiled, what was noticed, and the answer.
PROBE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder).lower()]
sys.path.insert(0, sys.argv[1])
import numpy
from zobra.engine.caller import answer
from zobra.engine.kernels import cache
found = answer()
print(cache.compiled, len(cache.notices), found)
"""


CALLEE = """
import numpy as np
from zobra.engine.kernels import kernel
TEN = np.int64(10)


@kernel
def ten():
    return TEN
"""
CALLER = """
from zobra.engine.callee import ten
from zobra.engine.kernels import INT, entry


@entry(INT)
def answer():
    return ten()
"""
KERNEL = """
from neighbour_of_kernel import ANSWER
from zobra.engine import kernels


@kernels.entry(kernels.INT)
def answer():
    return ANSWER
"""


class Tree:
    """A copy of the engine's sources, and two kernels more, with a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.sources, self.store = folder / "sources", folder / "store"
        engine = self.sources / "zobra" / "engine"
        shutil.copytree(ROOT / "engine", engine)
        (engine / "callee.py").write_text(CALLEE)
        (engine / "caller.py").write_text(CALLER)

    def start(self) -> tuple[int, int, int]:
        """(kernels compiled, notices, the answer) of a fresh process."""
        environment = os.environ | {"ZOBRA_CACHE_DIR": str(self.store)}
        command = [sys.executable, "-c", PROBE, str(self.sources)]
        text = subprocess.check_output(command, env=environment, text=True, cwd=self.sources)
        compiled, notices, answer = text.split()
        return int(compiled), int(notices), int(answer)

    def files(self) -> list[Path]:
        found = sorted(self.store.rglob("*.kernel"))
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


@pytest.mark.parametrize("damage", ["emptied", "halved", "random", "one bit", "not JSON"])
def test_damaged_files_cost_a_recompile_and_one_notice(tree, damage):
    for path in tree.files():
        data = bytearray(path.read_bytes())
        if damage == "one bit":
            data[len(data) // 2] ^= 1
        lie = hashlib.sha256(b"{}").hexdigest().encode() + b"\n{}"
        damaged = {"emptied": b"", "halved": data[: len(data) // 2], "random": os.urandom(500), "not JSON": lie}
        path.write_bytes(damaged.get(damage, bytes(data)))
    compiled, notices, answer = tree.start()
    assert compiled > 0 and notices == 1 and answer == 10
    assert tree.start() == (0, 0, 10)


def test_a_store_that_cannot_be_written_is_done_without(tmp_path):
    made = Tree(tmp_path)
    made.store.write_text("a file where the folder should be")
    compiled, notices, answer = made.start()
    assert compiled > 0 and notices == 1 and answer == 10


def test_only_folders_of_its_own_are_removed(tmp_path):
    foreign = [tmp_path / name for name in (".org.chromium.ABC123", "somebody's documents", "0123456789ABCDEF0123")]
    own = [tmp_path / f"{number:020x}" for number in range(FOLDERS_KEPT + 3)]
    for age, folder in enumerate(foreign + own):
        folder.mkdir()
        os.utime(folder, (age, age))
    KernelCache().move(tmp_path)
    assert all(folder.is_dir() for folder in foreign)
    # the newest are kept: those of this tree, and the last ones made
    assert [folder.is_dir() for folder in own] == [False] * 4 + [True] * (FOLDERS_KEPT - 1)


def test_a_changed_callee_changes_its_caller(tmp_path):
    """A kernel of one file that one of another calls: Numba's own stamp would not notice."""
    made = Tree(tmp_path)
    assert made.start()[2] == 10
    callee = made.sources / "zobra" / "engine" / "callee.py"
    callee.write_text(CALLEE.replace("int64(10)", "int64(17)"))
    compiled, _, answer = made.start()
    assert compiled > 0 and answer == 17
    callee.write_text(CALLEE)
    assert made.start() == (0, 0, 10)


def test_entries_of_other_folders_are_kept_under_a_hash_of_all_they_import(tmp_path, monkeypatch):
    """A test's kernel is not of the digest: a constant that it imports from its neighbour has to show in its name."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "neighbour_of_kernel.py").write_text("ANSWER = 42\n")
    (tmp_path / "some_kernel.py").write_text(KERNEL)
    kernel = importlib.import_module("some_kernel")
    assert kernel.answer() == 42
    first = kernel.answer.name
    assert kernel.kernels.cache.read(first) is not None
    for name in ("neighbour_of_kernel", "some_kernel"):
        del sys.modules[name]
    (tmp_path / "neighbour_of_kernel.py").write_text("ANSWER = 42 + 1\n")
    kernel = importlib.import_module("some_kernel")
    assert kernel.answer() == 43 and kernel.answer.name != first


def test_an_entry_has_one_signature():
    """A recursive call with other types than the declared ones would make a second copy of the code."""

    @kernels.entry(kernels.INT, kernels.INT)
    def careless(depth):
        return np.int64(0) if depth == 0 else careless(depth > 1)

    with pytest.raises(TypeError, match="other types"):
        careless(3)


def test_values_of_a_wrong_type_do_not_reach_a_kernel():
    position = parse_fen(START)
    assert static_evaluation(position.record, TABLES_RECORD) == static_evaluation(position.array[0], TABLES_RECORD)
    for wrong in (position.array, None, 7, np.zeros(1, MOVE_LIST)[0]):
        with pytest.raises(TypeError, match="a kernel wants a record"):
            static_evaluation(wrong, TABLES_RECORD)
    with pytest.raises(ValueError, match="argument 2"):
        static_evaluation(position.record, TABLES_RECORD, 1)


def test_inner_kernels_are_not_for_python():
    for inner in (see_at_least, kernels.lowest):
        with pytest.raises(TypeError, match="by kernels only"):
            inner(1)


def test_numba_is_as_good_as_ever_after_kernels_were_linked(tree):
    """What stands in for Numba's own symbols in a linked kernel must not be found by what Numba compiles."""
    code = PROBE + (
        "from zobra.engine.kernels import numeric\n"
        "@numeric\n"
        "def total(numbers, more):\n"
        "    if more:\n"
        "        raise ValueError(more)\n"
        "    return (numbers * numbers).sum()\n"
        "assert total(numpy.arange(4.0), 0) == 14\n"
        "try: total(numpy.arange(4.0), 7)\n"
        "except ValueError: print('raised')\n"
    )
    environment = os.environ | {"ZOBRA_CACHE_DIR": str(tree.store)}
    command = [sys.executable, "-c", code, str(tree.sources)]
    lines = subprocess.check_output(command, env=environment, text=True, cwd=tree.sources).splitlines()
    assert lines == ["0 0 10", "raised"]


def test_several_processes_compile_once(tmp_path):
    made = Tree(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        starts = list(pool.map(lambda _: made.start(), range(4)))
    assert [answer for _, _, answer in starts] == [10] * 4
    assert sum(compiled for compiled, _, _ in starts) == len(made.files())
