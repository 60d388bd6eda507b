"""Kernels as Python sees them: declared with types, called with those types only, compiled and
linked beside Numba's own.
"""

import importlib
import sys
import types

import numpy as np
import pytest

from tests.support.kernel_tree import Tree
from zobra.engine import kernels
from zobra.engine.fen import START, parse_fen
from zobra.engine.layouts import MOVE_LIST
from zobra.engine.position import CONSTANTS_RECORD, set_up
from zobra.engine.see import see_at_least

KERNEL = """
import library_of_kernel, installed_library
from ..neighbour import ANSWER
from zobra.engine.kernels import INT, entry
@entry(INT)
def answer(): return ANSWER
def adder(more): return entry(INT)(lambda: ANSWER + more)
"""


def test_entries_of_other_folders_are_kept_under_a_hash_of_all_they_import(tmp_path, monkeypatch):
    """A constant that a test's kernel imports has to show in its name.

    What is no Python source is not looked at, nor what an environment beside it holds.
    """
    files = {
        "library_of_kernel": "library.so",
        "installed_library": ".venv/site-packages/library.py",
    }
    for name, file in files.items():
        module = types.SimpleNamespace(__file__=str(tmp_path / file))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "upper" / "lower").mkdir(parents=True)
    (tmp_path / "upper" / "lower" / "some_kernel.py").write_text(KERNEL)
    names = set()
    for answer in (42, 142):
        (tmp_path / "upper" / "neighbour.py").write_text(f"ANSWER = {answer}\n")
        kernel = importlib.import_module("upper.lower.some_kernel")
        assert kernel.answer() == answer
        assert kernel.adder(1)() == answer + 1
        assert kernel.adder(2)() == answer + 2
        assert kernel.answer.key in kernels.store.read(kernel.answer.key)
        names.add(kernel.answer.name)
        for name in ("upper.neighbour", "upper.lower.some_kernel"):
            del sys.modules[name]
    assert len(names) == 2


def test_an_entry_has_one_signature():
    """A recursive call with other types than the declared ones would make a second copy of the
    code.
    """

    @kernels.entry(kernels.INT, kernels.INT)
    def careless(depth):
        return np.int64(0) if depth == 0 else careless(depth > 1)

    with pytest.raises(TypeError, match="other types"):
        careless(3)


def test_values_of_a_wrong_type_do_not_reach_a_kernel():
    position = parse_fen(START)
    set_up(position.record, CONSTANTS_RECORD)
    set_up(position.array[0], CONSTANTS_RECORD)
    for wrong in (position.array, None, 7, np.zeros(1, MOVE_LIST)[0]):
        with pytest.raises(TypeError, match="a kernel wants a record"):
            set_up(wrong, CONSTANTS_RECORD)
    with pytest.raises(ValueError, match="argument 2"):
        set_up(position.record, CONSTANTS_RECORD, 1)


def test_inner_kernels_cannot_be_called_from_python():
    for inner in (see_at_least, kernels.lowest):
        with pytest.raises(TypeError, match="by kernels only"):
            inner(1)


NUMERIC = """
import numpy
from zobra.engine.kernels import numeric
@numeric
def total(numbers, more):
    if more:
        raise ValueError(more)
    return (numbers * numbers).sum()
assert total(numpy.arange(4.0), 0) == 14
try: total(numpy.arange(4.0), 7)
except ValueError: print('raised')
"""


def test_numba_still_works_after_kernels_were_linked(tmp_path):
    """What stands in for Numba's own symbols in a linked kernel must not be found by what Numba
    compiles.
    """
    tree = Tree(tmp_path)
    tree.start()
    found, raised = tree.begin(more=NUMERIC).communicate()[0].splitlines()
    assert '"compiled": 0' in found
    assert raised == "raised"
